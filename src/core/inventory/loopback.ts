/** True for a URL that refers to this machine, which no proxy can reach: `localhost`, `127.0.0.1`, `[::1]`. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:(?:.*\.)?localhost\.?|127(?:\.\d+){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
}
