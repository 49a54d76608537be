import { FurrowError } from "../core/errors.ts";
import type { Play } from "../core/playbook.ts";

/** Divides hosts into successive batches as `serial` says; the last size of a list goes on to the end. */
export function batches<T>(hosts: readonly T[], serial: Play["serial"]): T[][] {
  if (serial === undefined) return hosts.length === 0 ? [] : [[...hosts]];
  const sizes = (Array.isArray(serial) ? serial : [serial]) as readonly (number | `${number}%`)[];
  const result: T[][] = [];
  let at = 0;
  for (let index = 0; at < hosts.length; index += 1) {
    const size = sizeOf(sizes[Math.min(index, sizes.length - 1)] ?? 0, hosts.length);
    result.push(hosts.slice(at, at + size));
    at += size;
  }
  return result;
}

function sizeOf(size: number | `${number}%`, total: number): number {
  const count = typeof size === "number" ? size : Math.floor((Number.parseFloat(size) / 100) * total);
  if (!Number.isFinite(count) || (typeof size === "number" && size < 1)) {
    throw new FurrowError("E_PLAYBOOK", {
      what: `serial is not a number of hosts`,
      current: String(size),
      expected: 'a whole number from 1, or a share like "25%"',
    });
  }
  return Math.max(1, Math.floor(count));
}

/** Runs `act` for all items, at most `limit` at a time, in order of the list. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
