import { finished, type Deployment, type Finished } from "../playbooks/deployment.ts";
import type { Controller, Event } from "../torture/controller.ts";
import { ProcessStarts } from "../torture/process-starts.ts";
import { commandOf, type Point, waitOf } from "./points.ts";

/** The result of a deployment whose furrow process was killed repeatedly. */
export interface Survived {
  /** The points at which furrow processes were killed. */
  readonly blows: readonly string[];
  /** The tasks that each furrow process had reported when it ended. The last process ended on its own. */
  readonly lives: readonly (readonly Finished[])[];
  /** How many times each command was started on the host. */
  readonly started: ReadonlyMap<string, number>;
}

/** Milliseconds after which a suspended program continues even if the next furrow process has not found it running. */
const longestHold = 15_000;

/** A deployment during which furrow is killed at chosen points, and started again until a run finishes. */
export class KilledDeployment {
  readonly #deployment: Deployment;
  readonly #points: readonly Point[];
  readonly #starts: ProcessStarts;
  readonly #started = new Map<string, number>();
  readonly #blows: string[] = [];
  readonly #held = new Set<number>();
  #current: Controller | undefined;
  /**
   * Points that were reached while furrow was not running. For each of these points, a later furrow process is killed
   * once that process reaches the host.
   */
  readonly #owed: string[] = [];

  constructor(deployment: Deployment, points: readonly Point[]) {
    this.#deployment = deployment;
    this.#points = points;
    this.#starts = new ProcessStarts(deployment.host);
  }

  /**
   * @param manager the step of the package manager during which the first furrow process is killed
   * @param between called whenever furrow is not running
   */
  async run(manager: string, between: () => Promise<unknown>): Promise<Survived> {
    const lives: Finished[][] = [];
    this.#starts.listen((line, pid) => this.#began(commandOf(line), pid));
    try {
      for (;;) {
        const life = this.#deployment.start("run", { listener: (event) => this.#heard(event) });
        this.#current = life;
        if (lives.length === 0) void this.#strikeInPackages(manager, life);
        const late = setTimeout(() => this.#release(), longestHold);
        const { code, events, text } = await life.ended;
        clearTimeout(late);
        this.#current = undefined;
        // Tracing starts only here, because tracing the thousands of files that a package manager opens would take
        // minutes.
        if (lives.length === 0) await this.#starts.attach();
        lives.push(finished(events));
        await between();
        if (code === 0) return { blows: this.#blows, lives, started: this.#started };
        if (code !== null) throw new Error(`killed in ${this.#blows.join(", ")}: ${text.slice(-6000)}`);
      }
    } finally {
      this.#release();
      this.#starts.close();
    }
  }

  /** Kills furrow once a process on the host has these consecutive words in its command line. */
  async #strikeInPackages(manager: string, life: Controller): Promise<void> {
    const pattern = manager.replaceAll(/[a-z]+/g, (word) => `[${word[0]}]${word.slice(1)}`).replace(" ", ".*");
    const seen = this.#deployment.inHost(`until grep -qsa '${pattern}' /proc/[0-9]*/cmdline; do sleep 0.1; done`);
    await Promise.race([seen.catch(() => undefined), life.ended]);
    if (this.#current === life) this.#strike(manager);
  }

  #began(what: string, pid: number): void {
    this.#count("(any program)", pid);
    this.#count(what, pid);
  }

  #count(what: string, pid = 0): void {
    const nth = (this.#started.get(what) ?? 0) + 1;
    this.#started.set(what, nth);
    const point = this.#points.find((one) => one.what === what && one.nth === nth);
    if (point === undefined) return;
    const life = this.#current;
    // If furrow is not running, the program must wait for the next furrow process, or the point would be lost.
    if ((point.held || life === undefined) && pid > 0) this.#hold(pid);
    if (life === undefined) this.#owed.push(what);
    else if (point.delayMs === 0) this.#strike(what);
    else setTimeout(() => life === this.#current && this.#strike(what), point.delayMs);
  }

  #strike(what: string): void {
    process.stdout.write(`killed in ${what}\n`);
    this.#blows.push(what);
    this.#current?.child.kill("SIGKILL");
    this.#current = undefined;
  }

  #heard(event: Event): void {
    if (this.#current === undefined) return;
    const isThere = !["runStarted", "playStarted", "batchStarted"].includes(event.type);
    const owed = isThere ? this.#owed.shift() : undefined;
    if (owed !== undefined) return this.#strike(owed);
    // Furrow has told the previous frame to stop, or has not found one.
    if (event.type === "taskStarted" || /has lost its controller/.test(String(event["text"]))) this.#release();
    const said = event.type === "taskStarted" ? (event["task"] as { title: string }).title : event["text"];
    const wait = ["taskStarted", "warning"].includes(event.type) ? waitOf(String(said)) : undefined;
    if (wait !== undefined) this.#count(wait);
  }

  #hold(pid: number): void {
    if (signal(pid, "SIGSTOP")) this.#held.add(pid);
  }

  #release(): void {
    for (const pid of this.#held) signal(pid, "SIGCONT");
    this.#held.clear();
  }
}

/** Returns false if the process has ended. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
