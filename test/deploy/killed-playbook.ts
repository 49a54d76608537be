import type { Deployment, RunOptions } from "../playbooks/deployment.ts";
import type { Event } from "../torture/controller.ts";
import { ProcessStarts } from "../torture/process-starts.ts";
import { type Calm, type Moment, MomentWatch, taskOf, type TaskTime } from "./moments.ts";
import { commandOf } from "./points.ts";

/** How a run ended, whether undisturbed or killed. */
export interface Life extends Calm {
  /** The run's exit code; null if the run was killed. */
  readonly code: number | null;
  readonly text: string;
  /** The programs that the run started on the host, in order. */
  readonly started: readonly string[];
  /** The last task that had begun. */
  readonly last: string;
}

/** Runs playbooks on a deployed host and kills furrow at chosen moments. Programs on the host keep running. */
export class KilledPlaybook {
  readonly #deployment: Deployment;
  readonly #starts: ProcessStarts;
  #onStart: (command: string) => void = () => undefined;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
    this.#starts = new ProcessStarts(deployment.host);
  }

  /** Begins to follow the programs on the host. */
  async attach(): Promise<void> {
    this.#starts.listen((line) => this.#onStart(commandOf(line)));
    await this.#starts.attach();
  }

  close(): void {
    this.#starts.close();
  }

  /** Runs a playbook, and kills furrow at the given moment, if there is one. */
  async run(options: RunOptions, moment?: Moment): Promise<Life> {
    const began = Date.now();
    const started: string[] = [];
    const startMs: number[] = [];
    let last = "(no task)";
    const kill = (): void => void life.child.kill("SIGKILL");
    const watch = moment && new MomentWatch(moment, kill);
    const times = new TaskTimes(began);
    this.#onStart = (command) => {
      started.push(command);
      startMs.push(Date.now() - began);
      watch?.started();
    };
    const listener = (event: Event): void => {
      if (event.type === "taskStarted") last = taskOf(event) ?? last;
      times.heard(event);
      watch?.heard(event);
    };
    const life = this.#deployment.start("run", { ...options, listener });
    const { code, text } = await life.ended;
    watch?.end();
    this.#onStart = () => undefined;
    return { code, text, started, startMs, last, tasks: times.all };
  }
}

/** Notes when each task of a run began and ended. */
class TaskTimes {
  readonly #began: number;
  readonly #starts = new Map<string, number>();
  readonly all: TaskTime[] = [];

  constructor(began: number) {
    this.#began = began;
  }

  heard(event: Event): void {
    const name = taskOf(event);
    const ms = Date.now() - this.#began;
    if (name === undefined) return;
    if (event.type === "taskStarted" && !this.#starts.has(name)) this.#starts.set(name, ms);
    if (event.type === "taskFinished")
      this.all.push({
        name,
        startMs: this.#starts.get(name) ?? ms,
        endMs: ms,
        changed: event["outcome"] === "changed",
      });
  }
}
