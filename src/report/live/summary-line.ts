import type { Paint } from "../text/colours.ts";
import { count, duration } from "../text/words.ts";

/** How many tasks have finished, and how many there are. */
export interface TaskCount {
  readonly ended: number;
  readonly total: number;
}

/** The counts in the last line of the view. */
export interface Counted {
  readonly hosts: number;
  readonly done: number;
  readonly working: number;
  readonly failed: number;
  /** The hosts that another run holds. */
  readonly held: number;
  readonly isStopping: boolean;
  /** The tasks in the play, over all hosts. */
  readonly tasks: TaskCount;
  /** The tasks of the hosts that have not failed, from which the time left is estimated. */
  readonly pace: TaskCount;
  /**
   * How long the play has been running, in milliseconds; undefined if it is only waiting for hosts that do not answer,
   * or if a running task already takes longer than all finished ones.
   */
  readonly tookMs: number | undefined;
  /** The number of changes in the play, with its noun; undefined until the play's first task has finished. */
  readonly changed: string | undefined;
}

/** One part of the line. If the line is too long, the parts with the highest rank are left out first. */
interface Part {
  readonly text: string;
  readonly rank: number;
  readonly paint?: (text: string) => string;
}

/**
 * Formats the last line of the view; on a narrow terminal, leaves out the less important parts. Empty if there are no
 * parts.
 */
export function summaryLine(counted: Counted, columns: number, paint: Paint): string {
  const { hosts, done, working, failed, held, isStopping, tasks, changed } = counted;
  const left = timeLeft(counted);
  let parts: readonly Part[] = [
    ...(hosts > 1 ? [{ text: `${done} of ${count(hosts, "host")} done`, rank: 0 }] : []),
    ...(hosts > 1 && working > 0 ? [{ text: `${working} working`, rank: 4 }] : []),
    ...(failed > 0 ? [{ text: `${failed} failed`, rank: 0, paint: paint.bad }] : []),
    ...(held > 0 ? [{ text: `${held} held`, rank: 0, paint: paint.bad }] : []),
    ...(isStopping ? [{ text: "stopping", rank: 0, paint: paint.bad }] : []),
    ...(tasks.total > 0 ? [{ text: `${tasks.ended} of ${count(tasks.total, "task")}`, rank: 3 }] : []),
    ...(left === undefined ? [] : [{ text: left, rank: 2 }]),
    ...(changed === undefined ? [] : [{ text: changed, rank: 1 }]),
  ];
  for (let rank = 4; rank > 0 && parts.map(({ text }) => text).join(between).length > columns; rank -= 1)
    parts = parts.filter((part) => part.rank < rank);
  const texts = parts.map(({ text, paint: own }) => (own === undefined ? text : own(text)));
  return texts.length === 0 ? "" : paint.dim(texts.join(between));
}

const between = " · ";

/** Estimates the time left in the play at the current pace; undefined while an estimate would be too rough. */
function timeLeft({ pace: { ended, total }, tookMs }: Counted): string | undefined {
  if (tookMs === undefined || tookMs < 5000 || ended < 5 || ended < total / 5 || ended >= total) return undefined;
  const left = (tookMs / ended) * (total - ended);
  return `about ${duration(Math.max(10_000, Math.round(left / 10_000) * 10_000))} left`;
}
