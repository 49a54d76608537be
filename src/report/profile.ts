import type { HostProfile, RunEvent } from "../core/events.ts";
import type { Paint } from "./text/colours.ts";
import { safeLine } from "./text/value.ts";
import { bytes, count, duration } from "./text/words.ts";
import { padded, widthOf } from "./text/width.ts";

/** A finished task, with its duration as measured on the controller. */
export interface TimedTask {
  readonly host: string;
  readonly title: string;
  readonly ms: number;
}

/** The number of slowest tasks that are listed. */
const shown = 10;

/** Returns the slowest tasks, slowest first. */
export function slowest(tasks: readonly TimedTask[]): TimedTask[] {
  return tasks.toSorted((a, b) => b.ms - a.ms).slice(0, shown);
}

type RunFinished = Extract<RunEvent, { type: "runFinished" }>;

/** Shows how a run spent its time: a line per host, then the slowest tasks. Empty if nothing was measured. */
export function profileLines(event: RunFinished, tasks: readonly TimedTask[], paint: Paint): string[] {
  if (event.controller === undefined) return [];
  const width = Math.max(0, ...event.recap.map(({ host }) => widthOf(host)));
  const indent = " ".repeat(width + 4);
  const hosts = event.recap.flatMap(({ host, profile, frames, bytesSent, bytesReceived }) => {
    if (profile === undefined) return [`  ${padded(host, width)}  never connected`];
    const traffic = `${count(frames, "round trip")}, ${bytes(bytesSent)} sent, ${bytes(bytesReceived)} received`;
    const forks = `${begunWords(profile.processes)} started`;
    return [`  ${padded(host, width)}  ${traffic}, ${forks}`, `${indent}${shares(profile, event.durationMs)}`];
  });
  const slow = slowest(tasks).filter(({ ms }) => ms >= 1);
  const times = slow.map(({ ms }) => duration(ms));
  const column = Math.max(0, ...times.map((time) => time.length));
  return [
    "",
    paint.strong("profile"),
    ...hosts,
    ...(slow.length === 0 ? [] : ["", paint.strong("slowest tasks")]),
    ...slow.map(
      (task, at) =>
        `  ${(times[at] ?? "").padStart(column)}  ${task.host}  ${safeLine(task.title)}${paint.dim(itsSteps(task, event))}`,
    ),
    "",
    `controller: ${duration(event.controller.cpuMs)} of CPU, including startup`,
  ];
}

/**
 * Shows how much of a task's time its steps took on the host; the rest was spent on connecting, reading facts, or the
 * network.
 */
function itsSteps({ host, title }: TimedTask, { recap }: RunFinished): string {
  const tasks = recap.find((one) => one.host === host)?.profile?.tasks ?? [];
  const own = tasks.filter((task) => title.endsWith(task.title));
  if (own.length === 0) return "";
  const ms = own.reduce((sum, { hostMs }) => sum + hostMs, 0);
  const begun = own.reduce((sum, { processes }) => sum + processes, 0);
  return `  (steps: ${duration(ms)}, ${begunWords(begun)})`;
}

function begunWords(processes: number): string {
  return `${processes} ${processes === 1 ? "process" : "processes"}`;
}

/** Shows how the time of a run was spent on one host; the times add up to the run's duration. */
function shares({ connectMs, frameMs, hostMs }: HostProfile, runMs: number): string {
  const link = Math.max(0, frameMs - hostMs);
  const rest = Math.max(0, runMs - connectMs - frameMs);
  const parts = { connect: connectMs, host: Math.min(hostMs, frameMs), link, controller: rest };
  return Object.entries(parts)
    .map(([name, ms]) => `${name} ${duration(ms)}`)
    .join(", ");
}
