import type { HostRecap } from "../../core/events.ts";
import type { Failures } from "./failures.ts";
import { labelOf, mainTasks, type Planned } from "../plan/plan.ts";

/** How a host's part of a run ended, and which tasks it did not reach. */
export type HostEnding = Pick<HostRecap, "end" | "left" | "next">;

/** One host's part of a play: its plan, and the tasks that are finished. */
interface Part {
  plan: readonly Planned[];
  readonly through: Set<string>;
  /** True between the beginning and the end of the play. */
  isOpen: boolean;
}

/** Tracks how far each host has got in the plays of a run. */
export class HostProgress {
  readonly #parts = new Map<string, Map<number, Part>>();
  readonly #begun = new Set<string>();

  /** Records the plan of a host for the play with this number. */
  expect(host: string, play: number, plan: readonly Planned[]): void {
    const parts = this.#parts.get(host) ?? new Map<number, Part>();
    parts.set(play, { plan, through: new Set(), isOpen: false });
    this.#parts.set(host, parts);
  }

  /**
   * Records that a host begins a play. Returns `reached`, to call with the id of each finished task, and `end`, to call
   * once the play's tasks and their confirmation are finished.
   */
  begin(host: string, play: number): { readonly reached: (task: string) => void; readonly end: () => void } {
    this.#begun.add(host);
    const part = this.#parts.get(host)?.get(play);
    if (part) part.isOpen = true;
    const end = (): void => {
      if (part) part.isOpen = false;
    };
    return { reached: (task) => part?.through.add(task), end };
  }

  /** How a host's part of the run ended. `stopped`: true if the run was stopped early. */
  endOf(host: string, failures: Failures, stopped: boolean): HostEnding {
    const failed = failures.outcomeOf(host);
    if (failed === undefined && !stopped) return { end: "done" };
    const parts = [...(this.#parts.get(host)?.values() ?? [])];
    const left = parts.flatMap(({ plan, through }) => mainTasks(plan).filter(({ id }) => !through.has(id)));
    const [first] = left;
    const open = first !== undefined && { left: left.length, next: labelOf(first, host).title };
    if (failed !== undefined) return { end: failed, ...open };
    const isNew = !this.#begun.has(host);
    const isStopped = open !== false || parts.some(({ isOpen }) => isOpen);
    return { end: isNew ? "notStarted" : isStopped ? "stopped" : "done", ...open };
  }
}
