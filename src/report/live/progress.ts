import type { RunEvent } from "../../core/events.ts";
import { readTransferLine } from "../../core/transfer-line.ts";
import type { Paint } from "../text/colours.ts";
import { Transfer } from "../transfer.ts";
import { summaryLine, type TaskCount } from "./summary-line.ts";
import { nameless, withoutName } from "../fold/alike.ts";
import { safeLine } from "../text/value.ts";
import { count, duration, taskName } from "../text/words.ts";
import { padded, widthOf } from "../text/width.ts";

/** The progress of one host. */
interface HostProgress {
  state: "waiting" | "running" | "done" | "failed";
  /** False until the first connection is open; the host's first task waits for it. */
  connected: boolean;
  /** The time at which the connection was lost, in milliseconds; undefined while it is open. */
  lost: number | undefined;
  task: string;
  /** The time at which the task started, in milliseconds. */
  since: number;
  /** The time at which the last task finished, in milliseconds; undefined while a task is running. */
  idle: number | undefined;
  output: string;
  /** The current download or upload. */
  transfer: Transfer | undefined;
  /** The number of tasks in the current play: in total (undefined until known), and finished. */
  planned: number | undefined;
  ended: number;
}

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
        // Until now, the host's first task could only wait.
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
        this.#output(host, event.text, now);
        break;
      case "taskRetry":
        host.output = `retry in ${duration(event.delaySeconds * 1000)}: ${event.error.failure.what}`;
        break;
      case "taskFinished":
        host.ended += 1;
        host.idle = now;
        host.lost = undefined;
        host.output = "";
        this.#finished += 1;
        if (event.outcome === "changed") this.#changed += 1;
        break;
      case "hostStopped":
        host.state = "failed";
        break;
      case "warning":
        if (event.connection !== undefined) host.lost = event.connection === "lost" ? now : undefined;
        break;
      case "stepStarted":
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
    for (const name of hosts) Object.assign(this.#host(name), { state: "waiting", planned: undefined, ended: 0 });
  }

  #host(name: string): HostProgress {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host: HostProgress = {
      state: "waiting",
      connected: false,
      lost: undefined,
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
      isStopping: this.#stopping,
      tasks: countTasks(this.#playHosts.map((name) => this.#host(name))),
      pace: countTasks(this.#playHosts.map((name) => this.#host(name)).filter(({ state }) => state !== "failed")),
      tookMs: all.every(isOverOrMute) ? undefined : now - this.#playBegan,
      changed: this.#finished > 0 ? `${this.#changed} ${this.#checking ? "would change" : "changed"}` : undefined,
    };
    return summaryLine(counts, columns, paint);
  }
}

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

/** A line in the view: one or more hosts, and their task. */
export interface Line {
  readonly who: string;
  readonly what: string;
  readonly since: number;
  readonly output: string;
}

type Running = readonly [name: string, host: HostProgress];

function eachLine([who, host]: Running): Line {
  return { who, what: doing(host), since: sinceOf(host), output: host.lost === undefined ? host.output : "" };
}

/**
 * Groups hosts with the same task into one line, largest group first. Titles that differ only in the host's own name
 * count as the same.
 */
function groupLines(running: readonly Running[]): Line[] {
  const groups = new Map<string, Running[]>();
  for (const one of running) {
    const key = nameless(doing(one[1]), one[0]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .flatMap(([, same]) => {
      const [first] = same;
      if (first === undefined) return [];
      if (same.length === 1) return [eachLine(first)];
      const since = Math.min(...same.map(([, host]) => sinceOf(host)));
      const isOne = same.every(([, host]) => doing(host) === doing(first[1]));
      const output = same.every(([, host]) => host.output === first[1].output) ? first[1].output : "";
      return [
        {
          who: count(same.length, "host"),
          what: isOne ? doing(first[1]) : withoutName(doing(first[1]), first[0]),
          since,
          output,
        },
      ];
    });
}

/** Returns the task of a host, with a note while the task is waiting for the connection. */
function doing({ connected, lost, task }: HostProgress): string {
  if (lost !== undefined) return `reconnecting, for ${task}`;
  return connected ? task : `connecting, for ${task}`;
}

function sinceOf({ lost, since }: HostProgress): number {
  return lost ?? since;
}

/** True for a host that has finished, or to which a connection attempt has failed. */
function isOverOrMute({ state, connected, output }: HostProgress): boolean {
  return state === "done" || state === "failed" || (!connected && output !== "");
}

function atWork({ state, idle }: HostProgress, now: number): boolean {
  return state === "running" && (idle === undefined || now - idle < pauseMs);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line.split("\r").at(-1) ?? "";
}
