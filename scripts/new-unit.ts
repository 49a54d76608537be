import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The kinds of units that `npm run new` can create. */
export type UnitKind = "task" | "role" | "kind";

/**
 * Words that cannot be the name of a variable: a task with such a name is exported as `importTask`, for example, and
 * used as `t.import`.
 */
const reserved = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/**
 * Copies the template of a task, a role or a kind of fact and gives it a new name. Returns the written paths, relative
 * to `root`. `name` is in kebab-case or camelCase; the name of a kind begins with its folder below `src/facts`, as in
 * `network/dns-server`. Throws if the name is invalid or taken.
 */
export function makeUnit(root: string, kind: UnitKind, name: string): string[] {
  const parts = name.split("/");
  const folder = (parts.at(-1) ?? "").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder) || parts.length !== (kind === "kind" ? 2 : 1))
    throw new Error(
      `"${name}" is not a valid name: write it like "${kind === "kind" ? "system/up-time" : "file-line"}"`,
    );
  const base = kind === "kind" ? `src/facts/${parts[0] ?? ""}` : `${kind}s/${folder}`;
  if (kind === "kind" && !existsSync(join(root, base))) throw new Error(`there is no folder ${base}`);
  const taken = kind === "kind" ? `${base}/${folder}.ts` : base;
  if (existsSync(join(root, taken))) throw new Error(`${taken} already exists`);
  const template = join(import.meta.dirname, "template", kind);
  return readdirSync(template).map((file) => {
    const path = join(base, file.replace(/example-(task|kind)/, folder));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), filled(readFileSync(join(template, file), "utf8"), folder));
    return path;
  });
}

function filled(text: string, folder: string): string {
  const taskName = folder.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const variable = (suffix: string): string => (reserved.has(taskName) ? `${taskName}${suffix}` : taskName);
  return text
    .replaceAll('"../../../src/core/', '"../../core/')
    .replaceAll('"../../../', '"../../')
    .replaceAll('"exampleTask"', `"${taskName}"`)
    .replaceAll("`exampleTask ", `\`${taskName} `)
    .replaceAll('"exampleRole', `"${taskName}`)
    .replaceAll('"exampleKind', `"${taskName}`)
    .replaceAll(
      "ExampleKind",
      taskName.replace(/^./, (letter) => letter.toUpperCase()),
    )
    .replaceAll("exampleKind", variable("Fact"))
    .replaceAll("example-kind", folder)
    .replaceAll("exampleTask", variable("Task"))
    .replaceAll("exampleRole", variable("Role"))
    .replaceAll("example-task", folder);
}
