import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";

/** A project's tsconfig.json together with everything that it inherits. */
export interface Settings {
  /** The files that were read: the project's own first, then those that it extends. */
  readonly sources: readonly string[];
  /** The compiler options; paths are absolute. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The files that belong to the project, as absolute patterns; undefined if the file does not list them. */
  readonly files: readonly string[] | undefined;
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
}

/** Reads a tsconfig.json with everything that it inherits; undefined if one of the files cannot be read. */
export function readSettings(config: string): Settings | undefined {
  return readChain(config, dirname(config), 0);
}

/** The maximum length of a chain of `extends`. This limit also ends a cycle. */
const mostBases = 20;

function readChain(config: string, project: string, depth: number): Settings | undefined {
  const own = readJson(config) as RawSettings | undefined;
  if (own === undefined || depth > mostBases) return undefined;
  let inherited: Settings = { sources: [], options: {}, files: undefined, include: undefined, exclude: undefined };
  for (const base of [own.extends ?? []].flat()) {
    const path = pathOf(base, config);
    const next = path === undefined ? undefined : readChain(path, project, depth + 1);
    if (next === undefined) return undefined;
    inherited = {
      sources: [...next.sources, ...inherited.sources],
      options: { ...inherited.options, ...next.options },
      files: next.files ?? inherited.files,
      include: next.include ?? inherited.include,
      exclude: next.exclude ?? inherited.exclude,
    };
  }
  const full = (path: string): string => resolve(dirname(config), path.replace(/^\$\{configDir\}/, project));
  const options = { ...inherited.options, ...withFullPaths(own.compilerOptions ?? {}, inherited.options, full) };
  return {
    sources: [config, ...inherited.sources],
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null)),
    files: own.files?.map(full) ?? inherited.files,
    include: own.include?.map(full) ?? inherited.include,
    exclude: own.exclude?.map(full) ?? inherited.exclude,
  };
}

interface RawSettings {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: Readonly<Record<string, unknown>>;
  readonly files?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

const pathOptions = ["outDir", "declarationDir", "baseUrl"];
const pathListOptions = ["typeRoots", "rootDirs"];

function withFullPaths(
  options: Readonly<Record<string, unknown>>,
  inherited: Readonly<Record<string, unknown>>,
  full: (path: string) => string,
): Readonly<Record<string, unknown>> {
  const all: Record<string, unknown> = { ...options };
  for (const name of pathOptions) if (typeof all[name] === "string") all[name] = full(all[name]);
  for (const name of pathListOptions) if (isList(all[name])) all[name] = all[name].map(full);
  const base = all["baseUrl"] ?? inherited["baseUrl"];
  if (isRecord(all["paths"])) {
    const targets = Object.entries(all["paths"]).map(([name, list]) => [
      name,
      isList(list) ? list.map((path) => (typeof base === "string" ? resolve(base, path) : full(path))) : list,
    ]);
    all["paths"] = Object.fromEntries(targets);
  }
  return all;
}

function isList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The file that `extends` names: a path, or a package with or without a file in it. */
function pathOf(base: string, config: string): string | undefined {
  if (/^\.?\.?\//.test(base)) {
    const path = resolve(dirname(config), base);
    return path.endsWith(".json") || existsSync(path) ? path : `${path}.json`;
  }
  const require = createRequire(config);
  for (const name of [base, `${base}.json`, join(base, "tsconfig.json")]) {
    try {
      const path = require.resolve(name);
      if (path.endsWith(".json")) return path;
    } catch {
      // The file may exist under the next name.
    }
  }
  return undefined;
}

/**
 * Reads JSON with comments, trailing commas and a byte order mark, as TypeScript does; undefined for an unreadable
 * file.
 */
export function readJson(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = readFileSync(path, "utf8")
      .replace(/^\uFEFF/, "")
      .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1")
      .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Patterns for a project's declarations that no file imports, such as `globals.d.ts`: the project's own patterns,
 * limited to declaration files.
 */
export function ambientFiles({ sources, options, files, include, exclude }: Settings): {
  readonly files: readonly string[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
} {
  const project = dirname(sources[0] ?? "/");
  const patterns = include ?? (files === undefined ? [join(project, "**/*")] : []);
  const built = [options["outDir"], options["declarationDir"]].filter((path) => typeof path === "string");
  return {
    files: (files ?? []).filter((path) => declaration.test(path)),
    include: patterns.flatMap(declarationsOf),
    exclude: exclude ?? built,
  };
}

const declaration = /\.d\.[cm]?ts$/;

function declarationsOf(pattern: string): string[] {
  if (declaration.test(pattern)) return [pattern];
  const [, start = "", last = ""] = /^(.*\/)([^/]*)$/.exec(pattern) ?? [];
  const [, name = "", ending] = /^(.*)\.([^.]*)$/.exec(last) ?? [];
  const isModule = ending !== undefined && /^([cm]?[tj]sx?|json|\*)$/.test(ending);
  if (!last.includes("*")) return isModule ? [] : [`${pattern}/**/*.d.ts`];
  if (!isModule) return last === "**" ? [] : [`${pattern}.d.ts`];
  return /^([cm]?ts|\*)$/.test(ending) ? [`${start}${name}.d.${ending === "*" ? "ts" : ending}`] : [];
}
