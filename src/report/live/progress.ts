import type { RunEvent } from "../../core/events.ts";
import type { Paint } from "../paint.ts";
import { safeLine } from "../value.ts";
import { count, duration, taskName } from "../words.ts";

/** How far one host is. */
interface HostProgress {
  state: "waiting" | "running" | "failed";
  task: string;
  /** Milliseconds of the clock when the task began. */
  since: number;
  /** Milliseconds of the clock when its last task ended; undefined while one runs. */
  idle: number | undefined;
  output: string;
  finished: number;
  changed: number;
}

/** What the live view shows of a terminal's state: its size, the clock in milliseconds, the spinner. */
export interface View {
  readonly rows: number;
  readonly now: number;
  readonly spinner: string;
  readonly paint: Paint;
}

/** A task that runs longer than this shows for how long. */
const longTaskMs = 3000;
/** A host without a task for this long is through, or waits for others; a shorter pause is none to a person's eye. */
const pauseMs = 500;

/** How far every host of a run is, and that as lines for the bottom of a terminal. */
export class Progress {
  readonly #hosts = new Map<string, HostProgress>();
  #checking = false;
  #stopping = false;

  /** Takes an event that happened at `now`. */
  handle(event: RunEvent, now: number): void {
    if (event.type === "runStarted") {
      this.#checking = event.mode === "check";
      for (const host of event.hosts) this.#host(host);
    }
    if (event.type === "runStopping") this.#stopping = true;
    if (!("host" in event) || event.host === undefined) return;
    const host = this.#host(event.host);
    switch (event.type) {
      case "taskStarted":
        Object.assign(host, { state: "running", task: taskName(event.task), since: now, idle: undefined, output: "" });
        break;
      case "stepOutput":
        host.output = lastLine(event.text) || host.output;
        break;
      case "taskRetry":
        host.output = `again in ${duration(event.delaySeconds * 1000)}: ${event.error.failure.what}`;
        break;
      case "taskFinished":
        host.finished += 1;
        host.idle = now;
        if (event.outcome === "changed") host.changed += 1;
        host.output = "";
        break;
      case "hostStopped":
        host.state = "failed";
        break;
      case "hostConnected":
      case "hostPlanned":
      case "hostDone":
      case "stepStarted":
      case "rescued":
      case "warning":
        break;
    }
  }

  #host(name: string): HostProgress {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const host: HostProgress = {
      state: "waiting",
      task: "",
      since: 0,
      idle: undefined,
      output: "",
      finished: 0,
      changed: 0,
    };
    this.#hosts.set(name, host);
    return host;
  }

  /** The lines of the view: hosts at work as far as there is room, and one line about all the others. */
  lines({ rows, now, spinner, paint }: View): string[] {
    const running = [...this.#hosts].filter(([, host]) => atWork(host, now));
    // The last rows must stay free, or the terminal scrolls while it is drawn.
    const room = Math.max(0, Math.min(rows - 3, Math.floor(rows * 0.6)));
    const shown = running.slice(0, running.length <= room ? room : Math.max(0, room - 1));
    const withOutput = 2 * shown.length + 1 <= room;
    const width = Math.max(0, ...shown.map(([name]) => name.length));
    const lines = shown.flatMap(([name, host]) => {
      const time = now - host.since >= longTaskMs ? paint.dim(`  ${duration(now - host.since)}`) : "";
      const head = `${paint.changed(spinner)} ${name.padEnd(width)}  ${safeLine(host.task)}${time}`;
      return withOutput && host.output !== ""
        ? [head, paint.dim(`  ${" ".repeat(width)}  | ${safeLine(host.output)}`)]
        : [head];
    });
    return [...lines, this.#summary(running.length, shown.length, spinner, paint)].filter((line) => line !== "");
  }

  #summary(running: number, shown: number, spinner: string, paint: Paint): string {
    const all = [...this.#hosts.values()];
    const failed = all.filter(({ state }) => state === "failed").length;
    const waiting = all.length - failed - running;
    const hidden = running - shown;
    const sum = (part: "finished" | "changed"): number => all.reduce((total, host) => total + host[part], 0);
    const parts = [
      hidden > 0 && `${spinner} ${count(hidden, "more host")} at work`,
      waiting > 0 && `${waiting} waiting`,
      failed > 0 && paint.bad(`${failed} failed`),
      sum("finished") > 0 &&
        `${count(sum("finished"), "task")}, ${sum("changed")} ${this.#checking ? "would change" : "changed"}`,
      this.#stopping && paint.bad("stopping"),
    ].filter((part) => part !== false);
    return parts.length === 0 ? "" : paint.dim(parts.join(paint.dim("  ·  ")));
  }
}

function atWork({ state, idle }: HostProgress, now: number): boolean {
  return state === "running" && (idle === undefined || now - idle < pauseMs);
}

function lastLine(text: string): string {
  const line = text.trimEnd().split("\n").at(-1) ?? "";
  return line.split("\r").at(-1) ?? "";
}
