import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ownDoors } from "../playbook/own-package.ts";
import { readState, stateFolder, writeState } from "../state/state-folder.ts";
import type { Compiler } from "./compiler.ts";
import { ambientFiles, readSettings, type Settings } from "./tsconfig.ts";

/** The entry files of a check; the files they import are checked too. */
export interface Entry {
  /** Absolute paths of the user's files; the first is the playbook. */
  readonly files: readonly string[];
  readonly compiler: Compiler;
}

/** A tsconfig.json written for a check. */
export interface Written {
  readonly written: string;
  /** The name of its folder within the state folder. */
  readonly state: string;
  /** The project's own tsconfig.json and those that it extends, without any that cannot be read. */
  readonly sources: readonly string[];
}

/** The name of the compiler's incremental state, next to the tsconfig.json of a check. */
export const buildInfo = "tsbuildinfo.json";

/**
 * Writes a tsconfig.json for a check into the state folder, extending the project's own, and returns their paths. The
 * compiler's incremental state is stored next to it. Throws an Error if the state folder cannot be used.
 */
export function writeProject(entry: Entry): Written {
  const { key, text, sources } = projectFor(entry);
  const state = `types/${key}`;
  const name = `${state}/tsconfig.json`;
  if (readState(name) !== text) writeState(name, text);
  const written = join(stateFolder(), name);
  accessSync(dirname(written), constants.W_OK);
  return { written, state, sources };
}

/**
 * Writes the tsconfig.json into a new temporary folder, for a check without the state folder. Throws an Error if that
 * fails. `remove` deletes the folder.
 */
export function writeTemporaryProject(
  entry: Entry,
): Pick<Written, "written" | "sources"> & { readonly remove: () => void } {
  const { text, sources } = projectFor(entry);
  const folder = mkdtempSync(join(tmpdir(), "furrow-types-"));
  const written = join(folder, "tsconfig.json");
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(written, text, { mode: 0o600 });
  } catch (error) {
    remove();
    throw error;
  }
  return { written, sources, remove };
}

/**
 * For a check: the text of its tsconfig.json, a key for its entry files, and the settings that the tsconfig.json
 * extends.
 */
function projectFor({
  files,
  compiler,
}: Entry): Pick<Written, "sources"> & { readonly key: string; readonly text: string } {
  const folder = dirname(files[0] ?? process.cwd());
  const base = upward(folder, "tsconfig.json")[0];
  const key = createHash("sha256")
    .update(JSON.stringify([files, base, compiler.version]))
    .digest("hex")
    .slice(0, 16);
  const settings = base === undefined ? undefined : readSettings(base);
  const text = `${JSON.stringify(projectOf(files, folder, base, settings, compiler), undefined, 1)}\n`;
  return { key, text, sources: settings?.sources ?? (base === undefined ? [] : [base]) };
}

function projectOf(
  files: readonly string[],
  folder: string,
  base: string | undefined,
  settings: Settings | undefined,
  { version }: Compiler,
): Readonly<Record<string, unknown>> {
  const ambient = settings === undefined ? { files: [], include: [], exclude: [] } : ambientFiles(settings);
  const own = settings?.options ?? {};
  return {
    ...(base !== undefined && { extends: base }),
    compilerOptions: {
      ...(base === undefined && { strict: true, module: "nodenext", target: "es2024" }),
      ...typesOf(own, folder, version),
      ...pathsOf(own, files),
      // If this option were inherited, a variable in it would be resolved to the folder of the generated file.
      ...("rootDirs" in own && { rootDirs: own["rootDirs"] }),
      noEmit: true,
      incremental: true,
      tsBuildInfoFile: `./${buildInfo}`,
      allowImportingTsExtensions: true,
      // JavaScript is not checked, but the TypeScript files that it imports are.
      allowJs: true,
      skipLibCheck: true,
      // The project may turn type checks off, or allow only files below one folder; a run needs all files checked.
      noCheck: false,
      rootDir: "/",
      // Options that concern building a package or code style must not stop a run.
      composite: false,
      declaration: false,
      declarationDir: null,
      declarationMap: false,
      emitDeclarationOnly: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    files: [...files, ...ambient.files],
    include: ambient.include,
    exclude: ambient.exclude,
    references: [],
  };
}

type Options = Readonly<Record<string, unknown>>;

/**
 * The options that decide which packages declare global names. The compiler would search for these packages next to the
 * written file, so the project's folders are listed. Node runs every playbook, so the types of Node's own names are
 * always added if they are installed.
 */
function typesOf(own: Options, folder: string, version: string): Options {
  const roots = upward(folder, "node_modules");
  const installed = roots.map((root) => join(root, "@types")).filter((root) => existsSync(root));
  const given = own["typeRoots"] as readonly string[] | undefined;
  // From TypeScript 6 on, only `types` decides what is loaded, and it may name any package.
  const isExact = Number.parseInt(version, 10) >= 6;
  const named = (own["types"] ?? (isExact ? [] : undefined)) as readonly string[] | undefined;
  if (named === undefined || named.includes("*")) return { typeRoots: given ?? installed };
  const typeRoots = [...new Set([...(given ?? []), ...installed, ...roots])];
  return { typeRoots, types: hasNodeTypes(folder) ? [...new Set([...named, "node"])] : named };
}

/** True if the types of Node's own modules are installed for the files of a folder. */
export function hasNodeTypes(folder: string): boolean {
  return upward(folder, "node_modules/@types/node").length > 0;
}

/** The project's `paths`, and those of the running furrow unless the compiler finds furrow's types without them. */
function pathsOf(own: Options, files: readonly string[]): Options {
  const doors = files.every((file) => canImportFurrow(dirname(file))) ? {} : ownDoors();
  const paths = { ...doors, ...(own["paths"] as object | undefined) };
  return Object.keys(paths).length === 0 ? {} : { paths };
}

/** True if the compiler finds furrow's types from a folder; otherwise `paths` points it to the running copy. */
function canImportFurrow(folder: string): boolean {
  try {
    createRequire(join(folder, "noname.js")).resolve("furrow/package.json");
    return true;
  } catch {
    return false;
  }
}

/** The existing paths with this name in a folder and its parents, nearest first. */
export function upward(folder: string, name: string): string[] {
  const path = join(folder, name);
  const above = dirname(folder);
  return [...(existsSync(path) ? [path] : []), ...(above === folder ? [] : upward(above, name))];
}
