import { FurrowError, isFurrowError } from "../core/errors.ts";
import type { EventSink } from "../core/events.ts";
import { Window } from "./ahead.ts";
import type { Host } from "./host.ts";
import type { OnceGroups } from "./once.ts";
import { expandComposite, mainTasks, type Planned, type PlannedGroup, type PlannedTask } from "./plan.ts";
import { runTask, type TaskContext, TaskFailure } from "./run-task.ts";

/** What a host's way through a play needs from the run around it. */
export interface HostContext extends Omit<TaskContext, "host" | "upcoming" | "window"> {
  /** The host a task acts on, reached with the privilege the task needs. */
  readonly hostFor: (task: PlannedTask) => Host;
  readonly once: OnceGroups;
  /** Names the play, so that groups of different plays are not taken for one. */
  readonly playId: string;
  /** Aborted when the run is to stop at the next task border. */
  readonly stop: AbortSignal;
  readonly sink: EventSink;
}

/** Thrown at a task border when the run is to stop. */
export class Stopped extends Error {}

/** Takes one host through its plan. Throws TaskFailure where it failed, Stopped where the run stops. */
export class HostRun {
  readonly #context: HostContext;
  readonly #windows = new Map<string, Window>();
  #upcoming: PlannedTask[];

  constructor(plan: readonly Planned[], context: HostContext) {
    this.#context = context;
    this.#upcoming = mainTasks(plan);
  }

  async nodes(nodes: readonly Planned[]): Promise<void> {
    for (const node of nodes) await this.#node(node);
  }

  async #node(node: Planned): Promise<void> {
    if (node.node === "task") return this.#task(node);
    if (node.node === "group") return this.#group(node);
    const group = expandComposite(node, this.#context.outputs.lookupFor(this.#context.playHost));
    if (group === undefined) {
      throw new TaskFailure(
        new FurrowError("E_PARAMS", {
          what: "its params are outputs of tasks that have not run, or that check mode cannot know",
          where: { host: this.#context.playHost, task: node.composite.name },
          hint: "List those tasks earlier; in check mode, give params that do not depend on what only a run can tell",
        }),
      );
    }
    this.#upcoming = [...mainTasks(group.children), ...this.#upcoming];
    return this.#group(group);
  }

  async #task(task: PlannedTask): Promise<void> {
    const { stop, hostFor } = this.#context;
    if (stop.aborted) throw new Stopped();
    const at = this.#upcoming.indexOf(task);
    if (at >= 0) this.#upcoming = this.#upcoming.slice(at + 1);
    const window = this.#windows.get(task.target) ?? new Window();
    this.#windows.set(task.target, window);
    await runTask(task, {
      ...this.#context,
      host: hostFor(task),
      window,
      upcoming: this.#upcoming.filter(({ target }) => target === task.target),
    });
  }

  async #group(group: PlannedGroup): Promise<void> {
    const { once, playHost, playId } = this.#context;
    const act = (): Promise<void> => this.#guarded(group);
    if (group.kind !== "once") return act();
    try {
      await once.run(`${playId}.${group.id}`, group.host, playHost, act);
    } catch (error) {
      if (!isFurrowError(error)) throw error;
      throw new TaskFailure(error.at({ host: playHost, task: group.name }));
    }
  }

  async #guarded(group: PlannedGroup): Promise<void> {
    let failure: Error | undefined;
    try {
      await this.#mended(group);
    } catch (thrown) {
      failure = thrown as Error;
    }
    try {
      if (group.always) await this.nodes(group.always);
    } catch (thrown) {
      // What failed first says why; a stop order that comes then must not hide it.
      throw failure ?? thrown;
    }
    if (failure) throw failure;
  }

  async #mended(group: PlannedGroup): Promise<void> {
    try {
      await this.nodes(group.children);
    } catch (failure) {
      if (!(failure instanceof TaskFailure) || group.rescue === undefined) throw failure;
      await this.nodes(group.rescue);
      const { playHost, sink } = this.#context;
      sink({ type: "rescued", host: playHost, group: group.name, error: failure.error });
    }
  }
}
