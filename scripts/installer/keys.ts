import { snakeOf } from "../../roles/harvester-config/spelling.ts";
import type { GoTypes } from "./go-structs.ts";

/** A key of the configuration that the installer reads. */
export interface InstallerKey {
  /** The dotted path, as spelled in the Go tags; `[]` stands for an item of a list, `*` for a name in a map. */
  readonly path: string;
  /** The same path in snake_case, as the installer's mapper converts it. */
  readonly snake: string;
  /** The Go type, without the pointer. */
  readonly type: string;
}

/** The type that a field of type `interface{}` is parsed into; the mapper does not see such fields. */
const parsedInto: Readonly<Record<string, readonly string[]>> = {
  "os.externalStorageConfig.multiPathConfig": ["MultiPathOption2", "MultipathOption1"],
};

/** Lists every key of a struct and of the structs inside it. */
export function keysOf(types: GoTypes, struct: string): InstallerKey[] {
  const found = new Map<string, InstallerKey>();
  const add = (name: string, at: string, snakeAt: string, exact: boolean): void => {
    for (const { key, type } of types.structs.get(name) ?? []) {
      const path = `${at}${key}`;
      const snake = `${snakeAt}${exact ? key : snakeOf(key)}`;
      found.set(path, { path, snake, type });
      const inner = parsedInto[path];
      for (const one of inner ?? [type]) below(one, path, snake, exact || inner !== undefined);
    }
  };
  const below = (type: string, path: string, snake: string, exact: boolean): void => {
    const [, wrapper = "", name = ""] = /^(\[\]|map\[string\])?(.*)$/.exec(types.aliases.get(type) ?? type) ?? [];
    const suffix = wrapper === "[]" ? "[]" : wrapper === "" ? "" : ".*";
    if (types.structs.has(name)) add(name, `${path}${suffix}.`, `${snake}${suffix}.`, exact);
  };
  add(struct, "", "", false);
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
