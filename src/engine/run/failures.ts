import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { interruption } from "../host/host.ts";
import { TaskFailure } from "../task/run-task.ts";

/** The hosts that have failed in a run, with their failures. */
export class Failures {
  readonly #byHost = new Map<string, TaskFailure>();

  /** Records that a host has failed; returns its failure. */
  note(host: string, thrown: unknown): TaskFailure {
    const failure = thrown instanceof TaskFailure ? thrown : new TaskFailure(asError(thrown).at({ host }));
    this.#byHost.set(host, failure);
    return failure;
  }

  has(host: string): boolean {
    return this.#byHost.has(host);
  }

  /** The outcome of a host that has failed; undefined if it has not failed. */
  outcomeOf(host: string): TaskFailure["outcome"] | undefined {
    return this.#byHost.get(host)?.outcome;
  }

  /** The hosts with this outcome. */
  of(outcome: TaskFailure["outcome"]): string[] {
    return [...this.#byHost].filter(([, failure]) => failure.outcome === outcome).map(([name]) => name);
  }

  get errors(): FurrowError[] {
    return [...this.#byHost.values()].map(({ error }) => error);
  }
}

function asError(thrown: unknown): FurrowError {
  if (isFurrowError(thrown)) return thrown;
  if (thrown instanceof DOMException) return interruption(new AbortController().signal);
  return new FurrowError("E_BUG", { what: thrown instanceof Error ? thrown.message : String(thrown), cause: thrown });
}
