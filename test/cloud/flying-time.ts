/**
 * Makes all timers of this process fire 100 times as early, so that waits for a fake are short. Returns the function
 * that restores them.
 */
export function timeFlies(): () => void {
  const real = globalThis.setTimeout;
  const soon = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => real(act, ms / 100, ...args);
  globalThis.setTimeout = Object.assign(soon, real);
  return () => {
    globalThis.setTimeout = real;
  };
}
