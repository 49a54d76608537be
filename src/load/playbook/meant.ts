import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { closest } from "../../core/closest.ts";
import { insteadOf } from "../../core/params/other-modules.ts";
import { taskLike } from "../../core/params/other-tools.ts";
import { ownDoors } from "./own-package.ts";

/** The furrow import that was meant by a name like `furow`; undefined if no name is close. */
export function meantDoor(name: string): string | undefined {
  const doors = Object.keys(ownDoors()).filter((door) => !door.endsWith(".json"));
  const [first = "", ...rest] = name.split("/");
  if (doors.includes(name) || closest(first, ["furrow"]) === undefined) return undefined;
  return rest.length === 0 ? "furrow" : (closest(name, doors) ?? "furrow");
}

/**
 * The closest name that the furrow module `door` exports; undefined if no name is close or `door` is not one of
 * furrow's modules.
 */
export function meantExport(name: string, door: string): string | undefined {
  const [path] = ownDoors()[door] ?? [];
  return path === undefined ? undefined : closest(name, exportsOf(path));
}

/**
 * The closest name that a user's module exports; the module is, for example, `./page.ts`, imported by a file in
 * `folder`.
 */
export function ownExport(name: string, door: string, folder: string): string | undefined {
  const path = join(folder, door);
  if (!door.startsWith(".") || !existsSync(path)) return undefined;
  const declared = /^export (?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm;
  const names = [...readFileSync(path, "utf8").matchAll(declared)].map(([, own = ""]) => own);
  return closest(name, [...names, ...exportsOf(path)]);
}

/** A name that is not a task, and a hint about what to do instead; the hint begins with a verb. */
export interface WrongTask {
  readonly wrong: string;
  readonly hint: string;
}

/** The task that was meant, from a TypeError message: `t.servce is not a function`. */
export function meantTask(message: string): WrongTask | undefined {
  const wrong = /(?:^|[\s(])[\w$]+\.([\w$]+)\)? is not a function$/.exec(message)?.[1];
  if (wrong === undefined) return undefined;
  const meant = taskLike(wrong) ?? meantExport(wrong, "furrow/tasks");
  const hint =
    meant === undefined ? insteadOf(wrong) : `Write "${meant}" instead of "${wrong}"; furrow doc lists all tasks`;
  return hint === undefined ? undefined : { wrong, hint };
}

/** The names in a module's export lists, read from its text: loading the module just for a message would be slow. */
function exportsOf(path: string): string[] {
  const text = readFileSync(path, "utf8");
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const names = lists.map((item) => item.trim().split(/\s+/).at(-1) ?? "").filter((name) => name !== "");
  const others = [...text.matchAll(/^export \* from "(\..*?)"/gm)].flatMap(([, other = ""]) =>
    exportsOf(join(dirname(path), path.endsWith(".d.ts") ? other.replace(/\.[jt]s$/, ".d.ts") : other)),
  );
  return [...names, ...others];
}
