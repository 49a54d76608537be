import { randomFillSync } from "node:crypto";
import { setTimeout as sleepInNode } from "node:timers/promises";

/** A timer that has been set. */
export interface Timer {
  /** Ends it; without effect once it is over. */
  cancel(): void;
}

/**
 * Time and chance, as engine and transport see them. Nothing else there may read a clock, set a timer or draw a random
 * number (the lint rule `furrow/world`), so that a test can put its own in place of Node's and replay a run to the byte.
 */
export interface World {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with an AbortError once `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `act` once after `ms` milliseconds. An `idle` timer does not keep the process alive. */
  after(ms: number, act: () => void, idle: boolean): Timer;
  /** Calls `act` every `ms` milliseconds; does not keep the process alive. */
  every(ms: number, act: () => void): Timer;
  /** A number from 0 to below 1. */
  random(): number;
  /** Fills an array with random bytes that nobody can guess, and gives it back. */
  fill<T extends Uint8Array>(bytes: T): T;
}

const nodeWorld: World = {
  now: () => performance.now(),
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

/** Puts another world in place for this whole process, or Node's own where none is given. For tests. */
export function useWorld(other: World = nodeWorld): void {
  world = other;
}

/** Milliseconds of a clock that never goes back. */
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

/** A number from 0 to below 1. Anybody may guess it. */
export function random(): number {
  return world.random();
}

/** Fills an array with random bytes that nobody can guess, and gives it back. */
export function fillRandom<T extends Uint8Array>(bytes: T): T {
  return world.fill(bytes);
}

/** So many random bytes that nobody can guess. */
export function randomBytes(count: number): Buffer {
  return world.fill(Buffer.allocUnsafe(count));
}
