import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readState, writeState } from "../state/state-folder.ts";
import type { Compiler } from "./compiler.ts";
import { buildInfo, type Written } from "./project.ts";

/**
 * A digest of everything that a type check reads: the files that the compiler listed in its last run, the settings, the
 * compiler, and everything that determines which file an import resolves to. Undefined if the compiler has not run yet.
 *
 * A file is identified by its inode, size and time of change (ctime, see inode(7)), which programs cannot set. New
 * declaration files that no file imports are not noticed; they cannot affect a run.
 */
export function digestOfInputs({ written, sources }: Written, compiler: Compiler): string | undefined {
  const folder = dirname(written);
  const names = filesOfProgram(join(folder, buildInfo));
  if (names === undefined) return undefined;
  // The compiler's own declarations are listed without a folder. These declarations change only together with the
  // compiler.
  const files = names.filter((name) => name.includes("/")).map(pathFrom(folder));
  const folders = [...new Set(files.map((file) => dirname(file)))];
  const above = [...new Set(folders.flatMap(withParents))];
  const paths = [...files, ...sources, written, compiler.command, ...compiler.words];
  const stamps = [...paths.map(stampOf), ...folders.map(modulesIn), ...above.flatMap(stampsOfPackages)];
  return createHash("sha256")
    .update(JSON.stringify([compiler, paths, stamps]))
    .digest("hex");
}

/** True if an earlier check of inputs with this digest found no errors. Throws FurrowError E_FILE. */
export function isKnownClean({ state }: Written, digest: string): boolean {
  return readState(`${state}/${record}`) === digest;
}

/** Records that a check of inputs with this digest found no errors, if the state folder can be written. */
export function recordClean({ state }: Written, digest: string): void {
  try {
    writeState(`${state}/${record}`, digest);
  } catch {
    // The next run checks the types again.
  }
}

const record = "clean";

/**
 * The states of those entries in a folder that affect how files below the folder resolve package imports. npm rewrites
 * the last of these entries, `.package-lock.json`, with every installation.
 */
function stampsOfPackages(folder: string): string[] {
  const start = folder === "/" ? "" : folder;
  const modules = stampOf(`${start}/node_modules`);
  // Most folders have no node_modules, and then these two entries need not be looked up.
  const below = modules === "" ? [] : ["@types", ".package-lock.json"];
  return [stampOf(`${start}/package.json`), modules, ...below.map((name) => stampOf(`${start}/node_modules/${name}`))];
}

/**
 * The files that the compiler's incremental state lists, relative to its folder; before TypeScript 5.6, the list is in
 * `program`.
 */
function filesOfProgram(path: string): readonly string[] | undefined {
  try {
    const info = JSON.parse(readFileSync(path, "utf8")) as { fileNames?: unknown; program?: { fileNames?: unknown } };
    const names = info.fileNames ?? info.program?.fileNames;
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

/** Like `resolve(folder, name)`, but ten times as fast, which matters because a project has hundreds of files. */
function pathFrom(folder: string): (name: string) => string {
  const above = withParents(folder);
  return (name) => {
    if (name.startsWith("/")) return name;
    let start = name.startsWith("./") ? 2 : 0;
    let level = 0;
    for (; name.startsWith("../", start); start += 3) level += 1;
    const parent = above[level] ?? "/";
    return parent === "/" ? `/${name.slice(start)}` : `${parent}/${name.slice(start)}`;
  };
}

function withParents(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...withParents(above)];
}

function stampOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}:${found.size}:${found.ctimeNs}`;
}

/** A new file can take the place of an imported one: for example, `a.ts` replaces `a.js`. */
function modulesIn(folder: string): string {
  // Packages have many folders, and nobody adds individual files to them.
  if (folder.includes("/node_modules/")) return stampOf(folder);
  try {
    return readdirSync(folder)
      .filter((name) => /\.([cm]?[jt]sx?|json)$/.test(name))
      .toSorted()
      .join("\n");
  } catch {
    // The folder was removed; the stamps of its files show this too.
    return "";
  }
}
