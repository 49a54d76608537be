import type { Timer, World } from "../../src/core/world.ts";

/** Returns random integers from 0 up to, but not including, `limit`. */
export type Random = (limit: number) => number;

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
  /** True if the timer does not keep a process alive. */
  readonly idle: boolean;
  /** True if the far end set the timer, not furrow. */
  readonly far: boolean;
  cancelled: boolean;
}

/** A clock that jumps from one alarm to the next, and randomness that is derived from a seed. */
export class VirtualWorld implements World {
  readonly #random: Random;
  /** A binary heap; its first alarm is the next to go off. */
  readonly #alarms: Alarm[] = [];
  #now = 0;
  #order = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.#random(1_000_000) / 1_000_000;
  }

  fill<T extends Uint8Array>(bytes: T): T {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = this.#random(256);
    return bytes;
  }

  after(ms: number, act: () => void, idle: boolean): Timer {
    return this.#set(this.#now + ms, act, idle, false);
  }

  every(ms: number, act: () => void): Timer {
    let timer: Timer | undefined;
    const again = (): void => {
      timer = this.#set(this.#now + ms, ring, true, false);
    };
    const ring = (): void => {
      again();
      act();
    };
    again();
    return { cancel: () => timer?.cancel() };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        timer.cancel();
        reject(new DOMException("This operation was aborted", "AbortError"));
      };
      const timer = this.#set(
        this.#now + ms,
        () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
        false,
        false,
      );
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Schedules an event outside furrow, on a host or in the network, after `ms` milliseconds. */
  happen(ms: number, act: () => void): Timer {
    return this.#set(this.#now + ms, act, false, true);
  }

  /** Schedules an event outside furrow at a given time on the clock. */
  happenAt(at: number, act: () => void): void {
    this.#set(at, act, false, true);
  }

  /** Resolves after `ms` milliseconds, for code outside furrow. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.happen(ms, resolve));
  }

  /** Jumps to the next alarm; returns false if none is set. */
  step(): boolean {
    for (let next = this.#pop(); next !== undefined; next = this.#pop()) {
      if (next.cancelled) continue;
      this.#now = Math.max(this.#now, next.at);
      next.act();
      return true;
    }
    return false;
  }

  /** Timers that furrow has set and not canceled. */
  get left(): { readonly waking: number; readonly idle: number } {
    const own = this.#alarms.filter(({ cancelled, far }) => !cancelled && !far);
    const idle = own.filter((alarm) => alarm.idle).length;
    return { waking: own.length - idle, idle };
  }

  /** True when no event is pending. */
  get isEmpty(): boolean {
    return this.#alarms.every(({ cancelled }) => cancelled);
  }

  #set(time: number, act: () => void, idle: boolean, far: boolean): Alarm & Timer {
    const alarm = {
      at: Math.max(this.#now, time),
      order: (this.#order += 1),
      act,
      idle,
      far,
      cancelled: false,
      cancel: (): void => void (alarm.cancelled = true),
    };
    this.#push(alarm);
    return alarm;
  }

  #push(alarm: Alarm): void {
    const heap = this.#alarms;
    let at = heap.push(alarm) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(alarm, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = alarm;
  }

  #pop(): Alarm | undefined {
    const heap = this.#alarms;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
