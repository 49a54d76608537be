/**
 * The time since an arbitrary moment, in milliseconds; it never goes back. Unlike `performance.now()`, this does not
 * load `node:perf_hooks`, which takes longer than a short run spends on most tasks.
 */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
