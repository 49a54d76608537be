import { dirname, extname, relative } from "node:path";
import { realFile } from "../playbook/real-file.ts";
import { findCompiler } from "./compiler.ts";
import { hasNodeTypes, upward } from "./project.ts";
import { readJson, readSettings } from "./tsconfig.ts";

/**
 * One sentence that lists the missing settings of a project: those that Node, the compiler and an editor need to read
 * its files. Undefined if no setting is missing. A project made by `npm init` and `npx tsc --init` lacks all of
 * them: `type`, `allowImportingTsExtensions`, `noEmit` and, from TypeScript 6 on, "node" in `types`.
 *
 * @param playbook the path of a file in the project
 * @param from the folder that paths are shown relative to
 */
export function missingSettings(playbook: string, from: string = process.cwd()): string | undefined {
  const file = realFile(playbook);
  const folder = dirname(file);
  const isTypeScript = extname(file) === ".ts";
  const isEither = isTypeScript || extname(file) === ".js";
  const [manifest] = isEither ? upward(folder, "package.json") : [];
  const [config] = isTypeScript ? upward(folder, "tsconfig.json") : [];
  const missing = [
    ...(manifest !== undefined && isTypeless(manifest) ? [`"type": "module" in ${relative(from, manifest)}`] : []),
    ...(config === undefined ? [] : missingOptions(config, relative(from, config))),
  ];
  return missing.length === 0
    ? undefined
    : `this project lacks settings that Node and TypeScript need: ${missing.join("; ")}`;
}

function isTypeless(manifest: string): boolean {
  return readJson(manifest)?.["type"] !== "module";
}

function missingOptions(config: string, shown: string): string[] {
  const options = readSettings(config)?.options;
  if (options === undefined) return [];
  const flags = options["rewriteRelativeImportExtensions"] === true ? [] : ["allowImportingTsExtensions", "noEmit"];
  const missing = flags.filter((name) => options[name] !== true).map((name) => `"${name}": true`);
  const all = [...missing, ...missingTypes(options["types"], dirname(config))];
  const last = all.at(-1);
  if (last === undefined) return [];
  return [`${all.length === 1 ? last : `${all.slice(0, -1).join(", ")} and ${last}`} in ${shown}`];
}

/**
 * Without "node" in `types`, neither the compiler nor an editor knows Node's own names, even if Node's types are
 * installed.
 */
function missingTypes(types: unknown, folder: string): string[] {
  const isExact = Number.parseInt(findCompiler(folder)?.version ?? "0", 10) >= 6;
  const named = Array.isArray(types) ? (types as unknown[]) : isExact ? [] : undefined;
  if (named === undefined || named.includes("node") || named.includes("*") || !hasNodeTypes(folder)) return [];
  return [`"types": ${JSON.stringify([...named, "node"])}`];
}
