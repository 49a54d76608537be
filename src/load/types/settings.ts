import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, relative, resolve } from "node:path";
import { upward } from "./project.ts";

/**
 * One sentence that lists the missing settings of a project: those that Node, the compiler and an editor need to read
 * its files. Undefined if no setting is missing. A project made by `npm init` and `npx tsc --init` lacks all three
 * settings: `type`, `allowImportingTsExtensions` and `noEmit`.
 *
 * @param playbook the path of a file in the project
 * @param from the folder that paths are shown relative to
 */
export function missingSettings(playbook: string, from: string = process.cwd()): string | undefined {
  const folder = dirname(resolve(playbook));
  const isTypeScript = extname(playbook) === ".ts";
  const isEither = isTypeScript || extname(playbook) === ".js";
  const [manifest] = isEither ? upward(folder, "package.json") : [];
  const [config] = isTypeScript ? upward(folder, "tsconfig.json") : [];
  const missing = [
    ...(manifest !== undefined && read(manifest)?.["type"] !== "module"
      ? [`"type": "module" in ${relative(from, manifest)}`]
      : []),
    ...(config === undefined ? [] : missingOptions(config, relative(from, config))),
  ];
  return missing.length === 0
    ? undefined
    : `this project lacks settings that Node and TypeScript need: ${missing.join("; ")}`;
}

function missingOptions(config: string, shown: string): string[] {
  const options = optionsOf(config, 0);
  if (options === undefined || options["rewriteRelativeImportExtensions"] === true) return [];
  const names = ["allowImportingTsExtensions", "noEmit"].filter((name) => options[name] !== true);
  return names.length === 0 ? [] : [`${names.map((name) => `"${name}": true`).join(" and ")} in ${shown}`];
}

/** The compiler options of a tsconfig.json, including inherited ones; undefined if one of the files cannot be read. */
function optionsOf(config: string, depth: number): Readonly<Record<string, unknown>> | undefined {
  const own = read(config);
  if (own === undefined || depth > 5) return undefined;
  const { extends: bases = [], compilerOptions = {} } = own as {
    extends?: string | string[];
    compilerOptions?: object;
  };
  let options = {};
  for (const base of [bases].flat()) {
    const path = pathOf(base, config);
    const inherited = path === undefined ? undefined : optionsOf(path, depth + 1);
    if (inherited === undefined) return undefined;
    options = { ...options, ...inherited };
  }
  return { ...options, ...compilerOptions };
}

function pathOf(base: string, config: string): string | undefined {
  if (/^\.?\.?\//.test(base)) return resolve(dirname(config), base.endsWith(".json") ? base : `${base}.json`);
  try {
    return createRequire(config).resolve(base);
  } catch {
    return undefined;
  }
}

/** Reads JSON with comments and trailing commas, as TypeScript does. */
function read(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const text = readFileSync(path, "utf8")
      .replaceAll(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1")
      .replaceAll(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, "$1");
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
