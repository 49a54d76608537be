import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ownDoors } from "../playbook/own-package.ts";
import { readState, stateFolder, writeState } from "../state/state-folder.ts";
import type { Compiler } from "./compiler.ts";

/** The entry files of a check; the files they import are checked too. */
export interface Entry {
  /** Absolute paths of TypeScript files; the first is the playbook. */
  readonly files: readonly string[];
  readonly compiler: Compiler;
}

/**
 * Writes a tsconfig.json for a check into the state folder, extending the project's own, and returns its path. The
 * compiler's incremental state is stored next to it. Throws FurrowError E_FILE.
 */
export function writeProject({ files, compiler }: Entry): string {
  const folder = dirname(files[0] ?? process.cwd());
  const base = upward(folder, "tsconfig.json")[0];
  const key = createHash("sha256")
    .update(JSON.stringify([files, base, compiler.version]))
    .digest("hex")
    .slice(0, 16);
  const name = `types/${key}/tsconfig.json`;
  const text = `${JSON.stringify(projectOf(files, folder, base, compiler), undefined, 1)}\n`;
  if (readState(name) !== text) writeState(name, text);
  return join(stateFolder(), name);
}

function projectOf(
  files: readonly string[],
  folder: string,
  base: string | undefined,
  { version }: Compiler,
): Readonly<Record<string, unknown>> {
  const roots = upward(folder, "node_modules");
  const types = roots.map((root) => join(root, "@types")).filter((root) => existsSync(root));
  // From TypeScript 6 on, only `types` decides what is loaded, and it may name any package.
  const isExact = Number.parseInt(version, 10) >= 6;
  return {
    ...(base !== undefined && { extends: base }),
    compilerOptions: {
      ...(base === undefined && defaults(types)),
      ...(!(base !== undefined && saysTypeRoots(base)) && { typeRoots: isExact ? [...types, ...roots] : types }),
      ...(!files.every((file) => canImportFurrow(dirname(file))) && { paths: ownDoors() }),
      noEmit: true,
      incremental: true,
      tsBuildInfoFile: "./tsbuildinfo.json",
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      // The project may build only some of its files, or none of their types; a run needs all of them.
      noCheck: false,
      rootDir: "/",
      // Options for building a package or for style must not stop a run.
      composite: false,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      isolatedDeclarations: false,
      noUnusedLocals: false,
      noUnusedParameters: false,
    },
    files,
    include: [],
    references: [],
  };
}

/** The options of the first-playbook guide, for a project without a tsconfig.json. */
function defaults(types: readonly string[]): Readonly<Record<string, unknown>> {
  const hasNode = types.some((root) => existsSync(join(root, "node")));
  return { strict: true, module: "nodenext", target: "es2024", types: hasNode ? ["node"] : [] };
}

function saysTypeRoots(base: string): boolean {
  return /^\s*"typeRoots"/m.test(readFileSync(base, "utf8"));
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
