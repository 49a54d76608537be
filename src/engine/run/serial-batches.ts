import { FurrowError } from "../../core/errors.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import type { WaitWithoutFork } from "./once/once.ts";

/**
 * Divides hosts into successive batches according to `serial`; the last size in a list applies to all further batches.
 */
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
      expected: 'a whole number, 1 or more, or a share like "25%"',
    });
  }
  return Math.max(1, Math.floor(count));
}

/**
 * Runs `act` for all items in order, at most `limit` at a time. An item that must wait for another item calls `rest`.
 * The item's slot is free for others during the wait; after that, the item gets the next free slot.
 */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  act: (item: T, rest: WaitWithoutFork) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workers: Promise<void>[] = [];
  const returning: (() => void)[] = [];
  let free = 0;
  const rest: WaitWithoutFork = async (until) => {
    workers.push(worker());
    try {
      return await until;
    } finally {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => returning.push(resolve));
    }
  };
  const worker = async (): Promise<void> => {
    for (;;) {
      const back = returning.shift();
      if (back !== undefined) return back();
      const next = queue.next();
      if (next.done === true) break;
      await act(next.value, rest);
    }
    free += 1;
  };
  for (let count = 0; count < Math.min(limit, items.length); count += 1) workers.push(worker());
  // Each call of `rest` adds a worker to this list.
  for (const one of workers) await one;
}
