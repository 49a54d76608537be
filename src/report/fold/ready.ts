import { isBefore, last } from "./order.ts";
import type { Step } from "./step.ts";

/**
 * If no further host finishes a task for this many milliseconds, the results that have arrived so far are shown,
 * because the other hosts may be hanging.
 */
export const heldMs = 10_000;
/** The limit that applies instead if only a few hosts are missing: the line is then almost complete. */
export const heldForFewMs = 3000;
/** The share of hosts that may still be missing when that limit applies; one missing host is always accepted. */
const fewPart = 1 / 4;
/** The longest time, in milliseconds, for which results are held back, even if hosts continue to finish the task. */
export const longestHeldMs = 60_000;
/**
 * A warning that another host had too is held back for at most this many milliseconds, because it describes the current
 * state.
 */
export const warningHeldMs = 1000;

/** True if a step has been held back for too long. `mute`: hosts to which furrow could not connect. */
export function isLate(step: Step, now: number, mute: ReadonlySet<string>): boolean {
  if (isOfWarnings(step)) return now - step.since >= warningHeldMs;
  const { missing, hosts } = step.awaited(mute);
  const idleMs = missing <= Math.max(1, hosts * fewPart) ? heldForFewMs : heldMs;
  return now - step.latest >= idleMs || now - step.since >= longestHeldMs;
}

/** True for the step that holds warnings back. */
export function isOfWarnings({ place }: Step): boolean {
  return place === last;
}

/**
 * Leaves out each step that must wait for another step that is still growing and holds back an earlier event of the
 * same host.
 */
export function withoutBlocked(ready: readonly Step[], all: readonly Step[]): readonly Step[] {
  const growing = all.filter((step) => !ready.includes(step));
  const free = ready.filter((step) => !growing.some((other) => isBefore(other.arrivals, step.arrivals)));
  return free.length === ready.length ? ready : withoutBlocked(free, all);
}

/** Adds the steps that hold back an earlier event of the same hosts. */
export function withEarlier(ready: readonly Step[], all: readonly Step[]): readonly Step[] {
  const more = all.filter(
    (step) => ready.includes(step) || ready.some((other) => isBefore(step.arrivals, other.arrivals)),
  );
  return more.length === ready.length ? more : withEarlier(more, all);
}
