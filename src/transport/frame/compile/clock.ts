import type { FrameItem, SessionProfile } from "../../../core/host/frame.ts";
import { clock } from "../on-host/sent/clock.ts";
import { now } from "../../../core/world.ts";

/** A timestamp from the host, printed by its shell. */
export interface Moment {
  /** The item that has just ended. Undefined at the start and the end of a frame. */
  readonly item: number | undefined;
  readonly begins: boolean;
  /** Milliseconds since the host's boot, to the nearest 10 ms. */
  readonly upMs: number;
  /** The id of the newest process or thread. */
  readonly lastId: number;
}

/** Defines the shell function `_fti WHERE`, which prints a timestamp (on-host/clock.sh). */
export const clockFunction: string = clock;

/** Parses the words of a timestamp record. Undefined if the host has no /proc. */
export function readMoment([where, up, last]: readonly string[]): Moment | undefined {
  const upMs = Number.parseFloat(up ?? "") * 1000;
  const lastId = Number.parseInt(last ?? "", 10);
  if (!Number.isFinite(upMs) || !Number.isFinite(lastId)) return undefined;
  const item = where === "b" || where === "e" ? undefined : Number(where);
  return { item, begins: where === "b", upMs, lastId };
}

/** Collects measurements of how a session's frames spend their time. */
export class FrameClock {
  #frameMs = 0;
  #hostMs = 0;
  #processes = 0;
  readonly #tasks: SessionProfile["tasks"][number][] = [];
  #last: Moment | undefined;

  /** Measures a frame, or a part of one, from the moment it is sent until its last answer. */
  async during<T>(act: () => Promise<T>): Promise<T> {
    const started = now();
    this.#last = undefined;
    try {
      return await act();
    } finally {
      this.#frameMs += now() - started;
    }
  }

  /** Records a timestamp that the host printed while running these items. */
  take(moment: Moment, items: readonly FrameItem[]): void {
    const last = this.#last;
    this.#last = moment;
    if (last === undefined || moment.begins) return;
    const hostMs = Math.max(0, moment.upMs - last.upMs);
    // Process ids wrap around.
    const processes = Math.max(0, moment.lastId - last.lastId);
    this.#hostMs += hostMs;
    this.#processes += processes;
    const item = moment.item === undefined ? undefined : items[moment.item];
    if (item?.item === "steps") this.#tasks.push({ title: item.title ?? item.task, hostMs, processes });
  }

  /** The measurements so far. */
  get profile(): SessionProfile {
    const round = (ms: number): number => Math.round(ms * 10) / 10;
    return {
      frameMs: round(this.#frameMs),
      hostMs: round(this.#hostMs),
      processes: this.#processes,
      tasks: this.#tasks.map((task) => ({ ...task, hostMs: round(task.hostMs) })),
    };
  }
}
