import { nameless, withoutName } from "../fold/alike.ts";
import { count } from "../text/words.ts";
import type { Transfer } from "../transfer.ts";

/** The progress of one host. */
export interface HostProgress {
  state: "waiting" | "running" | "done" | "failed" | "held";
  /** False until the first connection is open; the host's first task waits for it. */
  connected: boolean;
  /** The time at which the connection was lost, in milliseconds; undefined while it is open. */
  lost: number | undefined;
  /** What the host waits for while another run holds it. */
  held: string | undefined;
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

/** A line in the view: one or more hosts, and their task. */
export interface Line {
  readonly who: string;
  readonly what: string;
  readonly since: number;
  readonly output: string;
}

/** A working host with its name. */
export type Running = readonly [name: string, host: HostProgress];

/** Formats the line of one host. */
export function eachLine([who, host]: Running): Line {
  return { who, what: doing(host), since: sinceOf(host), output: outputOf(host) };
}

/**
 * Groups hosts with the same task into one line, largest group first. Titles that differ only in the host's own name
 * count as the same.
 */
export function groupLines(running: readonly Running[]): Line[] {
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
      const output = same.every(([, host]) => outputOf(host) === outputOf(first[1])) ? outputOf(first[1]) : "";
      const what = isOne ? doing(first[1]) : withoutName(doing(first[1]), first[0]);
      return [{ who: count(same.length, "host"), what, since, output }];
    });
}

/** Returns the task of a host, with a note while the task is waiting for the connection or for another run. */
function doing({ connected, lost, held, task }: HostProgress): string {
  if (lost !== undefined) return `reconnecting, for ${task}`;
  if (held !== undefined) return `waiting for another run, for ${task}`;
  return connected ? task : `connecting, for ${task}`;
}

/** What a host printed last, or what it waits for. */
function outputOf({ lost, held, output }: HostProgress): string {
  return lost === undefined ? (held ?? output) : "";
}

function sinceOf({ lost, since }: HostProgress): number {
  return lost ?? since;
}
