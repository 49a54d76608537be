import { isFurrowError, type Where } from "../../core/errors.ts";
import type { EventSink } from "../../core/events.ts";
import { AheadPerformer } from "../ahead/ahead-performer.ts";
import { upcomingTasks, type RemainingPlan, restAfter } from "../plan/upcoming-tasks.ts";
import type { OnceGroups, WaitWithoutFork as Resting } from "./once/once.ts";
import {
  type OnceCall,
  type OnceOutputs,
  everyNode,
  copyOutputs,
  keysIn,
  type OnceKeys,
  onceKeys,
  outputsOf,
} from "../plan/once-calls.ts";
import {
  expandComposite,
  mainTasks,
  type Planned,
  type PlannedComposite,
  type PlannedGroup,
  type PlannedTask,
} from "../plan/plan.ts";
import { Rehearsal } from "./rehearsal.ts";
import { runTask, type TaskContext, TaskFailure } from "../task/run-task.ts";
import { intolerable } from "../task/retries.ts";
import { OneByOne } from "../task/one-by-one.ts";
import type { Performer } from "../task/performer.ts";
import { Stopped } from "../task/stopped.ts";
import type { AttemptContext } from "../task/task-context.ts";
import { labelOfComposite, predictUnknownTasks, resultOfUnknown } from "./unknown-composite.ts";

/** The parts of the run that are needed to run a host's plan. */
export interface HostContext extends Omit<TaskContext, "host" | "upcoming" | "performer" | "beforeChange"> {
  readonly once: OnceGroups;
  /** The once() groups in the plan. */
  readonly onceKeys: OnceKeys;
  /** Waits for another host without occupying a fork. */
  readonly rest: Resting;
  readonly sink: EventSink;
  /** True if nothing may be read or sent ahead of a task's turn. */
  readonly oneByOne: boolean;
  /**
   * Called with each finished task: a task that has ended, was skipped because of a failure, or ran on another host.
   */
  readonly reached: (task: string) => void;
}

/** Runs the plan of one host. Throws TaskFailure if the host failed, Stopped if the run stops. */
export class HostRun {
  readonly #context: HostContext;
  readonly #performer: Performer<AttemptContext>;
  readonly #onceKeys: Map<string, OnceCall>;
  #rehearsal: Rehearsal | undefined;
  /** The number of failed tasks that no rescue has caught. */
  #failures = 0;

  constructor(context: HostContext) {
    const count: EventSink = (event) => {
      const failed = event.type === "taskFinished" && event.error !== undefined && !event.ignored;
      if (failed) this.#failures += 1;
      context.freshness.note(event);
      context.sink(event);
    };
    this.#context = { ...context, sink: count };
    this.#onceKeys = new Map(context.onceKeys);
    const { sink, playHost: host } = context;
    this.#performer = context.oneByOne
      ? new OneByOne()
      : new AheadPerformer((text) => sink({ type: "warning", host, text }));
  }

  /** Runs a plan from its beginning. */
  async run(plan: readonly Planned[]): Promise<void> {
    const { sink, playHost: host } = this.#context;
    sink({ type: "hostPlanned", host, tasks: mainTasks(plan).length });
    // The host may have waited for a fork.
    this.#context.freshness.expireIfActive();
    if (this.#context.mode === "apply" && !this.#context.simulation)
      this.#rehearsal = new Rehearsal(this.#context, plan);
    let confirmed: readonly string[] = [];
    try {
      await this.#nodes(plan, undefined);
      await this.#performer.leave();
      confirmed = await this.#confirm();
    } catch (thrown) {
      await this.#performer.leave();
      await this.#context.confirm?.giveUp(this.#context.signal);
      throw thrown;
    }
    sink({ type: "hostDone", host, ...(confirmed.length > 0 && { confirmed }) });
  }

  /** Confirms changes that may cut the connection, if no task has done so. Returns the confirmed tasks. */
  async #confirm(): Promise<readonly string[]> {
    const { confirm, playHost, signal } = this.#context;
    try {
      return (await confirm?.finish(signal)) ?? [];
    } catch (error) {
      throw isFurrowError(error) ? new TaskFailure(error.at({ host: playHost })) : error;
    }
  }

  /** `next`: the plan that follows if nothing fails. */
  async #nodes(nodes: readonly Planned[], next: RemainingPlan | undefined): Promise<void> {
    for (const [index, node] of nodes.entries()) await this.#node(node, { nodes, at: index + 1, next });
  }

  async #node(node: Planned, rest: RemainingPlan): Promise<void> {
    if (node.node === "task") return this.#task(node, rest);
    if (node.node === "group") return this.#group(node, rest);
    const group = expandComposite(node, this.#context.outputs.lookupFor(this.#context.playHost));
    if (group === undefined) return this.#withoutTasks(node);
    const call = this.#onceKeys.get(node.id);
    for (const [id, inside] of onceKeys([group], call?.key)) this.#onceKeys.set(id, inside);
    return this.#group(group, rest);
  }

  /** Reports a composite whose tasks cannot be planned, because its params are unknown. */
  #withoutTasks(node: PlannedComposite): void {
    const { sink, playHost, outputs, hostFor } = this.#context;
    const result = failingAt({ host: playHost, task: node.composite.name }, () =>
      resultOfUnknown(node, outputs.lookupFor(playHost)),
    );
    const task = labelOfComposite(node, playHost);
    if (result.outcome === "undecided") predictUnknownTasks(hostFor(node), task.title);
    this.#pass([node], "does not run it, or cannot know in check mode whether it does");
    sink({
      type: "taskFinished",
      host: playHost,
      task,
      changes: [],
      notes: [],
      ignored: false,
      durationMs: 0,
      ...result,
    });
    this.#context.reached(node.id);
  }

  async #task(task: PlannedTask, rest: RemainingPlan): Promise<void> {
    const { stop, hostFor } = this.#context;
    if (stop.aborted && !(await this.#performer.hasBegunNext())) throw new Stopped();
    await this.#performer.begin(task);
    const upcoming: TaskContext["upcoming"] = (lookup) => upcomingTasks(rest, lookup);
    try {
      const own = { host: hostFor(task), performer: this.#performer, upcoming, beforeChange: this.#rehearsal?.before };
      await runTask(task, { ...this.#context, ...own });
      this.#context.reached(task.id);
    } catch (error) {
      // A failed task has also ended; a task that did not begin because the run was stopped has not.
      if (error instanceof TaskFailure) this.#context.reached(task.id);
      throw error;
    }
  }

  async #group(group: PlannedGroup, rest: RemainingPlan): Promise<void> {
    const { once, playHost, outputs, stop } = this.#context;
    const call = group.kind === "once" ? this.#onceKeys.get(group.id) : undefined;
    if (call === undefined) return this.#guarded(group, rest);
    // A frame that was sent ahead still holds the turn on this host. End the turn before waiting for another host.
    await this.#performer.leave();
    let ran = false;
    const act = async (): Promise<OnceOutputs> => {
      ran = true;
      await this.#guarded(group, rest);
      return outputsOf(group, outputs, playHost);
    };
    try {
      const made = await once.run(call, playHost, act, this.#context.rest);
      if (ran) return;
      this.#context.freshness.expireIfActive();
      copyOutputs(group, made, outputs, playHost);
      for (const { id } of everyNode([group])) this.#context.reached(id);
    } catch (error) {
      if (!isFurrowError(error)) throw error;
      if (stop.aborted) throw new Stopped();
      throw new TaskFailure(error.at({ host: playHost, task: group.name }));
    }
  }

  /** Records that the host will not run the once() groups among these nodes, so that other hosts do not wait for it. */
  #pass(nodes: readonly Planned[], why: string): void {
    if (this.#onceKeys.size === 0) return;
    this.#context.once.pass(this.#context.playHost, keysIn(nodes, this.#onceKeys), why);
  }

  /** Runs a group with its rescue, then its `always`. */
  async #guarded(group: PlannedGroup, rest: RemainingPlan): Promise<void> {
    let failure: Error | undefined;
    try {
      await this.#rescued(group, restAfter(group, rest));
    } catch (thrown) {
      failure = thrown as Error;
    }
    try {
      // After a failure, this function does not know which plan follows.
      if (group.always) await this.#nodes(group.always, failure === undefined ? rest : undefined);
    } catch (thrown) {
      // Report the first failure, even if the run is stopped later.
      throw failure ?? thrown;
    }
    if (failure) throw failure;
  }

  /** Runs the children of a group, and its rescue if one of them fails. */
  async #rescued(group: PlannedGroup, after: RemainingPlan): Promise<void> {
    const before = this.#failures;
    try {
      await this.#nodes(group.children, after);
      this.#pass(group.rescue ?? [], "did not need the rescue that contains it");
    } catch (failure) {
      this.#pass(group.children, "failed before it");
      if (!(failure instanceof TaskFailure) || group.rescue === undefined) throw failure;
      if (intolerable.has(failure.error.code)) throw failure;
      for (const { id } of everyNode(group.children)) this.#context.reached(id);
      await this.#nodes(group.rescue, after);
      const { playHost, sink } = this.#context;
      const failures = this.#failures - before;
      this.#failures = before;
      sink({ type: "rescued", host: playHost, group: group.name, error: failure.error, failures });
    }
  }
}

/** Returns what `act` returns. If `act` throws a FurrowError, throws it as a TaskFailure at the place `where`. */
function failingAt<T>(where: Where, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw isFurrowError(error) ? new TaskFailure(error.at(where)) : error;
  }
}
