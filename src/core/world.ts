import { randomFillSync } from "node:crypto";
import { setTimeout as sleepInNode } from "node:timers/promises";

/** A timer that has been set. */
export interface Timer {
  /** Cancels the timer; has no effect once it has fired. */
  cancel(): void;
}

/**
 * Time and random numbers for the engine and the transports. They must not read a clock, set a timer or draw a random
 * number in any other way (lint rule `furrow/world`). A test can therefore replace Node's clock and random numbers and
 * replay a run exactly.
 */
export interface World {
  /** The time in milliseconds, by a clock that never goes backwards. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with an AbortError once `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once after `ms` milliseconds. An `idle` timer does not keep the process alive. */
  after(ms: number, act: () => void, idle: boolean): Timer;
  /** Calls `act` every `ms` milliseconds; does not keep the process alive. */
  every(ms: number, act: () => void): Timer;
  /** A number from 0 (inclusive) to 1 (exclusive). */
  random(): number;
  /** Fills an array with unpredictable random bytes, and returns it. */
  fill<T extends Uint8Array>(bytes: T): T;
}

const nodeWorld: World = {
  // `performance.now()` would load node:perf_hooks, which takes milliseconds at the start of every run.
  now: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (ms, signal) => sleepInNode(ms, undefined, signal && { signal }),
  after: (ms, act, idle) => {
    const timer = setTimeout(act, ms);
    if (idle) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
  every: (ms, act) => {
    const timer = setInterval(act, ms).unref();
    return { cancel: () => clearInterval(timer) };
  },
  random: () => Math.random(),
  fill: (bytes) => randomFillSync(bytes),
};

let world = nodeWorld;

/** Replaces the world for this whole process; without an argument, restores Node's own world. For tests. */
export function useWorld(other: World = nodeWorld): void {
  world = other;
}

/** The time in milliseconds, by a clock that never goes backwards. */
export function now(): number {
  return world.now();
}

/** Resolves after `ms` milliseconds; rejects with an AbortError once `signal` is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return world.sleep(ms, signal);
}

/** Calls `act` once after `ms` milliseconds. An `idle` timer does not keep the process alive. */
export function after(ms: number, act: () => void, { idle = false }: { readonly idle?: boolean } = {}): Timer {
  return world.after(ms, act, idle);
}

/** Calls `act` every `ms` milliseconds; does not keep the process alive. */
export function every(ms: number, act: () => void): Timer {
  return world.every(ms, act);
}

/** A predictable number from 0 (inclusive) to 1 (exclusive). */
export function random(): number {
  return world.random();
}

/** Fills an array with unpredictable random bytes, and returns it. */
export function fillRandom<T extends Uint8Array>(bytes: T): T {
  return world.fill(bytes);
}

/** Returns this many unpredictable random bytes. */
export function randomBytes(count: number): Buffer {
  return world.fill(Buffer.allocUnsafe(count));
}
