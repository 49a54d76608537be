/**
 * Makes all timers in this process fire after a hundredth of their time, so that waits for a fake are short. Returns
 * the function that restores the timers.
 */
export function timeFlies(): () => void {
  const real = globalThis.setTimeout;
  const soon = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => real(act, ms / 100, ...args);
  globalThis.setTimeout = Object.assign(soon, real);
  return () => {
    globalThis.setTimeout = real;
  };
}
