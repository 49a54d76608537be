import { readerPosition } from "../authoring/position.ts";

/** The list behind each watched list. */
const behind = new WeakMap<object, readonly unknown[]>();

/**
 * A proxy for the list. Whenever something in it is read, the proxy calls `read` with the position of the user's code.
 * {@link unwatched} does not call `read`.
 */
export function watchedHosts<T>(list: readonly T[], read: (source: string | undefined) => void): readonly T[] {
  const get = (target: readonly T[], key: string | symbol, receiver: unknown): unknown => {
    read(readerPosition(get));
    return Reflect.get(target, key, receiver);
  };
  const watched = new Proxy(list, { get });
  behind.set(watched, list);
  return watched;
}

/** The list behind a watched list; any other list unchanged. */
export function unwatched<T>(list: readonly T[]): readonly T[] {
  return (behind.get(list) as readonly T[] | undefined) ?? list;
}
