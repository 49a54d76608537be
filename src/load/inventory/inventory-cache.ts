import { createHash } from "node:crypto";
import type { SourceCache } from "../../core/inventory/inventory-source.ts";
import { readState, writeState } from "../state/state-folder.ts";

/** The options of an inventory cache. */
export interface CacheOptions {
  /** Name of the inventory source whose answers are cached. */
  readonly source: string;
  readonly now: Date;
  /** True to ignore cached answers and replace them. */
  readonly refresh: boolean;
  readonly notice: (text: string) => void;
}

interface Kept {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly source: string;
  readonly key: string;
  readonly value: unknown;
}

/** The cache of one inventory source: one file per key, below `inventory-cache/` in the state folder. */
export function inventoryCache({ source, now, refresh, notice }: CacheOptions): SourceCache {
  return {
    async remembered<T>(key: string, maximumAgeSeconds: number, produce: () => Promise<T>): Promise<T> {
      const digest = createHash("sha256")
        .update(JSON.stringify([source, key]))
        .digest("hex");
      const file = `inventory-cache/${digest.slice(0, 32)}.json`;
      const kept = refresh ? undefined : read(file, source, key);
      const age = kept === undefined ? Number.POSITIVE_INFINITY : (now.getTime() - kept.at) / 1000;
      // A date in the future means that a clock was wrong.
      if (kept !== undefined && age >= 0 && age <= maximumAgeSeconds) return kept.value as T;
      const value = await produce();
      try {
        writeState(file, `${JSON.stringify({ at: now.getTime(), source, key, value } satisfies Kept)}\n`);
      } catch (error) {
        notice(`cannot cache the answer of the inventory source ${source}: ${(error as Error).message}`);
      }
      return value;
    },
  };
}

/** The cached answer for a key. The cache only saves calls, so an unreadable file is not an error. */
function read(file: string, source: string, key: string): Kept | undefined {
  try {
    const kept = JSON.parse(readState(file) ?? "null") as Kept | null;
    return kept?.source === source && kept.key === key && typeof kept.at === "number" ? kept : undefined;
  } catch {
    return undefined;
  }
}
