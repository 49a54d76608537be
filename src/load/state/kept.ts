import { readState, writeState } from "./state-folder.ts";

/**
 * A map that outlives the process, in a file of the state folder: read once, and written back as the process ends, where
 * it has changed. It is for what only saves time, so a file that cannot be read or written is nobody's failure.
 *
 * @param isValue tells values from what else may stand in the file
 */
export function kept<V>(file: string, isValue: (value: unknown) => value is V): Map<string, V> {
  const map = read(file, isValue);
  const before = new Map(map);
  process.once("exit", () => {
    if (map.size === before.size && [...map].every(([key, value]) => before.get(key) === value)) return;
    try {
      // Another run may have written meanwhile: what it learnt stays, what was taken back here goes.
      const merged = new Map([...read(file, isValue), ...map]);
      for (const key of before.keys()) if (!map.has(key)) merged.delete(key);
      writeState(file, `${JSON.stringify(Object.fromEntries(merged), undefined, 1)}\n`);
    } catch {
      // Next time everything is asked again.
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
