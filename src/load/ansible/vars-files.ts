import { existsSync, readdirSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import type { AnsibleFiles } from "./files.ts";
import { GraphError, type SaidVars } from "./graph.ts";
import { isMapping } from "./yaml-inventory.ts";

const endings = ["", ".yml", ".yaml", ".json"];

/**
 * Reads the vars of one group or host from `group_vars` or `host_vars` in a folder. The first of these that exists is
 * read: NAME (a file or a folder of files), NAME.yml, NAME.yaml, NAME.json. Throws FurrowError E_INVENTORY, E_SECRET.
 */
export function varsOf(folder: string, kind: "group_vars" | "host_vars", name: string, files: AnsibleFiles): SaidVars {
  const vars: SaidVars = new Map();
  if (name.includes("/") || !existsSync(join(folder, kind))) return vars;
  for (const file of found(join(folder, kind, name))) {
    const read = files.readVars(file);
    if (read === null || read === undefined || read === "") continue;
    if (!isMapping(read)) throw files.fault(file, new GraphError("it is not a mapping of vars"));
    for (const [key, value] of Object.entries(read)) vars.set(key, { value, file });
  }
  return vars;
}

function found(path: string): string[] {
  const first = endings.map((ending) => path + ending).find((candidate) => existsSync(candidate));
  if (first === undefined) return [];
  return statSync(first).isDirectory() ? inside(first) : [first];
}

/** The files in a folder of vars, sorted by name. Subfolders are read if their names have no extension. */
function inside(folder: string): string[] {
  return readdirSync(folder)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .filter((name) => !name.startsWith(".") && !name.endsWith("~"))
    .flatMap((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isDirectory() === true) return extname(name) === "" ? inside(path) : [];
      return stat?.isFile() === true && endings.includes(extname(name)) ? [path] : [];
    });
}
