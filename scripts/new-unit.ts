import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What `npm run new` can make. */
export type UnitKind = "task" | "role";

/** Words that cannot be a variable: a task of such a name is exported as `importTask` and reached as `t.import`. */
const reserved = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield"
  ).split(" "),
);

/**
 * Copies the template of a task or role under its own name and gives the paths written, relative to `root`. `name` is
 * in kebab-case or camelCase. Throws where the name does not fit or is taken.
 */
export function makeUnit(root: string, kind: UnitKind, name: string): string[] {
  const folder = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder))
    throw new Error(`"${name}" is not a valid name: write it like "file-line"`);
  const base = `${kind}s/${folder}`;
  if (existsSync(join(root, base))) throw new Error(`${base} is there already`);
  const template = join(import.meta.dirname, "template", kind);
  return readdirSync(template).map((file) => {
    const path = join(base, file.replace("example-task", folder));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), filled(readFileSync(join(template, file), "utf8"), folder));
    return path;
  });
}

function filled(text: string, folder: string): string {
  const taskName = folder.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  const variable = (suffix: string): string => (reserved.has(taskName) ? `${taskName}${suffix}` : taskName);
  return text
    .replaceAll('"../../../', '"../../')
    .replaceAll('"exampleTask"', `"${taskName}"`)
    .replaceAll("`exampleTask ", `\`${taskName} `)
    .replaceAll('"exampleRole', `"${taskName}`)
    .replaceAll("exampleTask", variable("Task"))
    .replaceAll("exampleRole", variable("Role"))
    .replaceAll("example-task", folder);
}
