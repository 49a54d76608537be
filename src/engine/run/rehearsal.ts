import { askStages } from "../../core/authoring/evaluate.ts";
import { FurrowError } from "../../core/errors.ts";
import { type Fact, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import type { DriverLookup } from "../../core/host/driver.ts";
import { knownAfterApply } from "../../core/facts/symbols.ts";
import type { Step } from "../../core/host/step.ts";
import { Host } from "../host/host.ts";
import { HostMutex } from "../host/host-mutex.ts";
import { Knowledge } from "../host/knowledge.ts";
import { Outputs, unknownOutput } from "../plan/outputs.ts";
import { labelOf, type Planned, type PlannedTask } from "../plan/plan.ts";
import { OneByOne } from "../task/one-by-one.ts";
import { canRehearse } from "../task/rights/rehearse-steps.ts";
import { runTask, type TaskContext, TaskFailure } from "../task/run-task.ts";
import type { AttemptContext } from "../task/task-context.ts";

type Context = Omit<TaskContext, "host" | "upcoming" | "performer" | "beforeChange">;

/**
 * The rehearsal of one host's plan. Before a run makes its first call that a driver can rehearse, the task with this
 * call and all later tasks run as in check mode, so a service can refuse a later call before anything changes. Only
 * tasks whose facts all come from such drivers are decided; no host is contacted. A run that changes nothing rehearses
 * nothing.
 */
export class Rehearsal {
  readonly #context: Context;
  /** The ids of the tasks whose failure ends the plan, because no rescue catches it. */
  readonly #decisive: ReadonlySet<string>;
  #isOver = false;

  constructor(context: Context, plan: readonly Planned[]) {
    this.#context = context;
    this.#decisive = new Set(decisiveTasks(plan));
  }

  /** Rehearses the given task and all later ones, once. Throws FurrowError if one of them would be refused. */
  readonly before = async (task: PlannedTask, steps: readonly Step[], attempt: AttemptContext): Promise<void> => {
    if (this.#isOver || !(await canRehearse(steps, this.#context))) return;
    this.#isOver = true;
    const outputs = new Outputs(this.#context.outputs);
    const hosts = new Map<string, Host>();
    for (const next of [task, ...this.#after(attempt, outputs)]) {
      const host = hosts.get(next.target) ?? unaskedHost(next.target);
      hosts.set(next.target, host);
      const error = await this.#rehearse(next, host, outputs);
      if (error === undefined) continue;
      if (next === task) throw error;
      const { retries, until } = next.call.options;
      const isSure = this.#decisive.has(next.id) && retries === undefined && until === undefined;
      if (!isSure || !["E_REFUSED", "E_DRIVER"].includes(error.code)) return;
      throw earlier(error, labelOf(next, this.#context.playHost).title);
    }
  };

  *#after({ upcoming }: AttemptContext, outputs: Outputs): Generator<PlannedTask, void> {
    for (const task of upcoming(outputs.lookupFor(this.#context.playHost))) {
      if (task === "border") return;
      yield task;
    }
  }

  /** Runs a task in check mode. Returns the error if the task fails. */
  async #rehearse(task: PlannedTask, host: Host, outputs: Outputs): Promise<FurrowError | undefined> {
    const { playHost } = this.#context;
    if (!(await this.#isForDrivers(task))) {
      outputs.set(task.call, playHost, unknownOutput);
      return undefined;
    }
    try {
      await runTask(task, {
        ...this.#context,
        mode: "check",
        onlyController: true,
        host,
        hostFor: () => host,
        drivers: this.#drivers,
        outputs,
        performer: new OneByOne(),
        upcoming: () => [],
        conflicts: undefined,
        paranoia: undefined,
        confirm: undefined,
        sink: () => undefined,
      });
      return undefined;
    } catch (error) {
      if (error instanceof TaskFailure) return error.error;
      throw error;
    }
  }

  /** The drivers that can rehearse; a fact of any other driver has an unknown value. */
  readonly #drivers: DriverLookup = async (name) => {
    const driver = await this.#context.drivers(name);
    return driver.rehearse === undefined ? { name, read: () => Promise.resolve(knownAfterApply) } : driver;
  };

  /** True if all facts in the task's first stage come from drivers that can rehearse. */
  async #isForDrivers({ call: { module }, parsed }: PlannedTask): Promise<boolean> {
    if (!("params" in parsed)) return true;
    const stage = askStages(module, parsed.params).next();
    const facts = listFacts(stage.value).map(({ fact }): Fact => fact);
    for (const fact of facts) {
      if (!isControllerFact(fact) || (await this.#context.drivers(fact.driver)).rehearse === undefined) return false;
    }
    return facts.length > 0;
  }
}

function decisiveTasks(nodes: readonly Planned[]): string[] {
  return nodes.flatMap((node) => {
    if (node.node === "task") return [node.id];
    return node.node === "composite" || node.rescue !== undefined
      ? []
      : [...decisiveTasks(node.children), ...decisiveTasks(node.always ?? [])];
  });
}

/** A host about which nothing is known, and which cannot be queried. */
function unaskedHost(name: string): Host {
  const never = (): never => {
    throw new FurrowError("E_BUG", { what: "a rehearsal asked a host" });
  };
  const state = { knowledge: new Knowledge(), mutex: new HostMutex() };
  return new Host(name, undefined, state, never, { connected: () => undefined, notice: () => undefined });
}

function earlier({ code, failure }: FurrowError, title: string): FurrowError {
  const found = `found before the first change, for the later task "${title}"`;
  return new FurrowError(code, { ...failure, details: [...(failure.details ?? []), found] });
}
