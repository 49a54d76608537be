import { createHash } from "node:crypto";
import type { SourceCache } from "../../core/inventory/inventory-source.ts";
import { readState, writeState } from "../state/state-folder.ts";

/** How a cache behaves. */
export interface CacheManner {
  /** Name of the inventory source whose answers these are. */
  readonly source: string;
  readonly now: Date;
  /** Nothing kept is used; what is found replaces it. */
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

/** The cache of one inventory source: one file for each key, below `inventory-cache/` in the state folder. */
export function inventoryCache({ source, now, refresh, notice }: CacheManner): SourceCache {
  return {
    async remembered<T>(key: string, maximumAgeSeconds: number, produce: () => Promise<T>): Promise<T> {
      const digest = createHash("sha256")
        .update(JSON.stringify([source, key]))
        .digest("hex");
      const file = `inventory-cache/${digest.slice(0, 32)}.json`;
      const kept = refresh ? undefined : read(file, source, key);
      const age = kept === undefined ? Number.POSITIVE_INFINITY : (now.getTime() - kept.at) / 1000;
      // A date in the future is of a clock that was wrong.
      if (kept !== undefined && age >= 0 && age <= maximumAgeSeconds) return kept.value as T;
      const value = await produce();
      try {
        writeState(file, `${JSON.stringify({ at: now.getTime(), source, key, value } satisfies Kept)}\n`);
      } catch (error) {
        notice(`what the inventory source ${source} found cannot be kept: ${(error as Error).message}`);
      }
      return value;
    },
  };
}

/** What is kept for a key; it only saves calls, so a file that cannot be read is nobody's failure. */
function read(file: string, source: string, key: string): Kept | undefined {
  try {
    const kept = JSON.parse(readState(file) ?? "null") as Kept | null;
    return kept?.source === source && kept.key === key && typeof kept.at === "number" ? kept : undefined;
  } catch {
    return undefined;
  }
}
