import type { RunEvent } from "../../core/events.ts";
import { readTransferLine } from "../../core/transfer-line.ts";
import type { Paint } from "../text/colours.ts";
import { Transfer } from "../transfer.ts";
import { summaryLine, type TaskCount } from "./summary-line.ts";
import { isHeld } from "../text/error-block.ts";
import { safeLine } from "../text/value.ts";
import { duration, taskName } from "../text/words.ts";
import { padded, widthOf } from "../text/width.ts";
import { eachLine, groupLines, type HostProgress, type Line } from "./working-lines.ts";

/** The inputs for drawing the view: the size of the terminal, the time in milliseconds, the spinner and the colors. */
export interface View {
  readonly rows: number;
  readonly columns: number;
  readonly now: number;
  readonly spinner: string;
  readonly paint: Paint;
}

/** A task that runs longer than this, in milliseconds, is shown with its duration. */
const longTaskMs = 3000;
/**
 * A host without a task for this long, in milliseconds, has finished or is waiting for others; shorter pauses are
 * ignored.
 */
const pauseMs = 500;

/** In reports without a live view, up to this many hosts get a line each. */
const fewHosts = 3;

/** Tracks the progress of every host, and formats it as lines for the bottom of a terminal. */
export class Progress {
  readonly #hosts = new Map<string, HostProgress>();
  #playHosts: readonly string[] = [];
  #playBegan = 0;
  /** The numbers of tasks that finished, and that changed something, in the current play. */
  #finished = 0;
  #changed = 0;
  /** The longest time that a finished task of the current play took, in milliseconds. */
  #longestMs = 0;
  #checking = false;
  #stopping = false;

  /** Handles an event that happened at `now`. */
  handle(event: RunEvent, now: number): void {
    if (event.type === "runStarted") {
      this.#checking = event.mode === "check";
      for (const host of event.hosts) this.#host(host);
    }
    if (event.type === "playStarted") this.#begin(event.hosts, now);
    if (event.type === "runStopping") this.#stopping = true;
    if (!("host" in event) || event.host === undefined) return;
    const host = this.#host(event.host);
    switch (event.type) {
      case "connectRetry":
        host.output = `no connection yet: ${event.error.failure.current ?? event.error.failure.what}`;
        break;
      case "hostConnected":
        // Until now, the host's first task could only wait for the connection.
        if (!host.connected) Object.assign(host, { since: now, output: "" });
        host.connected = true;
        host.lost = undefined;
        break;
      case "hostPlanned":
        host.planned = event.tasks;
        break;
      case "hostDone":
        host.state = "done";
        break;
      case "taskStarted":
        Object.assign(host, {
          state: "running",
          lost: undefined,
          held: undefined,
          task: taskName(event.task),
          since: now,
          idle: undefined,
          output: "",
          transfer: undefined,
        });
        break;
      case "stepOutput":
        host.connected = true;
        host.lost = undefined;
        host.held = undefined;
        this.#output(host, event.text, now);
        break;
      case "taskRetry":
        host.output = `retry in ${duration(event.delaySeconds * 1000)}: ${event.error.failure.what}`;
        break;
      case "taskFinished":
        host.ended += 1;
        this.#longestMs = Math.max(this.#longestMs, now - host.since);
        host.idle = now;
        host.lost = undefined;
        host.held = undefined;
        host.output = "";
        this.#finished += 1;
        if (event.outcome === "changed") this.#changed += 1;
        break;
      case "hostStopped":
        host.state = isHeld(event.error) ? "held" : "failed";
        break;
      case "warning":
        host.held = event.connection === "held" ? event.text.replace(/^is waiting for /, "") : undefined;
        if (event.connection !== undefined && event.connection !== "held")
          host.lost = event.connection === "lost" ? now : undefined;
        break;
      case "stepStarted":
        host.held = undefined;
        break;
      case "rescued":
        break;
    }
  }

  #output(host: HostProgress, text: string, now: number): void {
    const line = lastLine(text);
    const transferred = readTransferLine(line);
    if (transferred === undefined) {
      host.output = line || host.output;
      return;
    }
    host.transfer ??= new Transfer();
    host.transfer.take(transferred, now);
    host.output = host.transfer.text();
  }

  /**
   * Returns the tasks that have run for at least `ms` milliseconds: one line per host for a few hosts, grouped lines
   * for more.
   */
  atWorkFor(ms: number, now: number): Line[] {
    const long = [...this.#hosts].filter(([, host]) => atWork(host, now) && now - host.since >= ms);
    return long.length <= fewHosts ? long.map(eachLine) : groupLines(long);
  }

  #begin(hosts: readonly string[], now: number): void {
    this.#playHosts = hosts;
    this.#playBegan = now;
    this.#finished = 0;
    this.#changed = 0;
    this.#longestMs = 0;
    for (const name of hosts) Object.assign(this.#host(name), { state: "waiting", planned: undefined, ended: 0 });
  }

  #host(name: string): HostProgress {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host: HostProgress = {
      state: "waiting",
      connected: false,
      lost: undefined,
      held: undefined,
      task: "",
      since: 0,
      idle: undefined,
      output: "",
      transfer: undefined,
      planned: undefined,
      ended: 0,
    };
    this.#hosts.set(name, host);
    return host;
  }

  /** Returns the lines of the view: as many working hosts as there is room for, and a summary line. */
  lines({ rows, columns, now, spinner, paint }: View): string[] {
    const running = [...this.#hosts].filter(([, host]) => atWork(host, now));
    // Keep the last rows free; otherwise the terminal would scroll while drawing.
    const room = Math.max(0, Math.min(rows - 3, Math.floor(rows * 0.6)));
    const lines = running.length < room || running.length === 1 ? running.map(eachLine) : groupLines(running);
    const withOutput = 2 * lines.length + 1 <= room;
    const shown = lines.slice(0, Math.max(0, room - 1));
    const width = Math.max(0, ...shown.map(({ who }) => widthOf(who)));
    return [
      ...shown.flatMap(({ who, what, since, output }) => {
        const time = now - since >= longTaskMs ? paint.dim(`  ${duration(now - since)}`) : "";
        const head = `${paint.changed(spinner)} ${padded(who, width)}  ${safeLine(what)}${time}`;
        return withOutput && output !== ""
          ? [head, paint.dim(`  ${" ".repeat(width)}  | ${safeLine(output)}`)]
          : [head];
      }),
      this.#summary(running.length, { columns, now, paint }),
    ].filter((line) => line !== "");
  }

  #summary(working: number, { columns, now, paint }: Pick<View, "columns" | "now" | "paint">): string {
    const all = [...this.#hosts.values()];
    const inState = (state: HostProgress["state"]): number => all.filter((host) => host.state === state).length;
    const counts = {
      hosts: all.length,
      done: inState("done"),
      working,
      failed: inState("failed"),
      held: inState("held"),
      isStopping: this.#stopping,
      tasks: countTasks(this.#playHosts.map((name) => this.#host(name))),
      pace: countTasks(this.#playHosts.map((name) => this.#host(name)).filter(({ state }) => !isOut(state))),
      tookMs: all.every(isOverOrMute) || this.#isSlower(now) ? undefined : now - this.#playBegan,
      changed: this.#finished > 0 ? `${this.#changed} ${this.#checking ? "would change" : "changed"}` : undefined,
    };
    return summaryLine(counts, columns, paint);
  }

  /** True if a running task already takes longer than any task that has finished in this play. */
  #isSlower(now: number): boolean {
    const running = [...this.#hosts.values()].filter(({ state, idle }) => state === "running" && idle === undefined);
    return running.some(({ since }) => now - since > this.#longestMs * longerPart);
  }
}

/**
 * A running task may take this many times as long as the longest finished one. Beyond that, the pace of the finished
 * tasks says nothing about it.
 */
const longerPart = 1.25;

/**
 * Counts the tasks of hosts. A host whose tasks are not known yet counts as having the other hosts' average number of
 * tasks.
 */
function countTasks(hosts: readonly HostProgress[]): TaskCount {
  const known = hosts.flatMap(({ planned, ended }) => (planned === undefined ? [] : [Math.max(planned, ended)]));
  const sum = known.reduce((total, tasks) => total + tasks, 0);
  const unknown = hosts.length - known.length;
  const total = known.length === 0 ? 0 : Math.round(sum + (sum / known.length) * unknown);
  return { ended: hosts.reduce((ended, host) => ended + host.ended, 0), total };
}

/** True for a host that has finished, or to which a connection attempt has failed. */
function isOverOrMute({ state, connected, output }: HostProgress): boolean {
  return state === "done" || isOut(state) || (!connected && output !== "");
}

function isOut(state: HostProgress["state"]): boolean {
  return state === "failed" || state === "held";
}

function atWork({ state, idle }: HostProgress, now: number): boolean {
  return state === "running" && (idle === undefined || now - idle < pauseMs);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line.split("\r").at(-1) ?? "";
}
