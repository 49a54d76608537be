import { readState, writeState } from "./state-folder.ts";

/**
 * A map stored in a file of the state folder: read once, and written back at process exit if it changed. The map
 * contains only values that save time, so a file that cannot be read or written is not an error.
 *
 * @param isValue accepts valid values; other entries in the file are ignored
 */
export function kept<V>(file: string, isValue: (value: unknown) => value is V): Map<string, V> {
  const map = read(file, isValue);
  const before = new Map(map);
  process.once("exit", () => {
    if (map.size === before.size && [...map].every(([key, value]) => before.get(key) === value)) return;
    try {
      // Another run may have written the file in the meantime: keep its entries, but drop those deleted here.
      const merged = new Map([...read(file, isValue), ...map]);
      for (const key of before.keys()) if (!map.has(key)) merged.delete(key);
      writeState(file, `${JSON.stringify(Object.fromEntries(merged), undefined, 1)}\n`);
    } catch {
      // The next run starts without these entries.
    }
  });
  return map;
}

function read<V>(file: string, isValue: (value: unknown) => value is V): Map<string, V> {
  try {
    const found: unknown = JSON.parse(readState(file) ?? "{}");
    if (typeof found !== "object" || found === null || Array.isArray(found)) return new Map();
    return new Map(Object.entries(found).filter((entry): entry is [string, V] => isValue(entry[1])));
  } catch {
    return new Map();
  }
}
