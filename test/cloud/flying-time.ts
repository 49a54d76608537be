/**
 * Makes all timers in this process run a hundred times faster, so waits for a fake are short. Returns a function that
 * restores the timers.
 */
export function timeFlies(): () => void {
  const real = globalThis.setTimeout;
  const soon = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => real(act, ms / 100, ...args);
  globalThis.setTimeout = Object.assign(soon, real);
  return () => {
    globalThis.setTimeout = real;
  };
}
