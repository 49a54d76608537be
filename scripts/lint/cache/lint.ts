/**
 * Lints the files whose result may differ from the last time: those that changed, and those that import them, directly
 * or not. `npm run lint` lints everything.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { sourceFiles } from "../../../test/source-files.ts";
import { lintCache } from "./ok-cache.ts";
import { digest, fingerprints } from "./fingerprints.ts";

/** The files that affect the lint result of every other file. */
const common = /^(package-lock\.json|package\.json|tsconfig.*\.json|\.oxlintrc\.json|scripts\/lint\/.*|.*\.d\.ts)$/;

const sources = new Map<string, string>();
const shared: string[] = [];
for (const path of sourceFiles()) {
  if (!/\.([cm]?[jt]s|json)$/.test(path)) continue;
  const text = content(path);
  if (text === undefined) continue;
  if (common.test(path)) shared.push(path, text);
  if (!path.endsWith(".json")) sources.set(path, text);
}

const prints = fingerprints(sources, ownNames(), digest(shared.join("\n")));
const clean = new Set(lastClean());
const toLint = [...prints].filter(([, print]) => !clean.has(print)).map(([path]) => path);
// Linting files that are listed one by one takes longer per file than linting everything.
const isEverything = toLint.length > sources.size / 2;
if (toLint.length > 0) {
  const { status } = spawnSync("oxlint", isEverything ? [] : toLint, { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
mkdirSync(dirname(lintCache), { recursive: true });
writeFileSync(lintCache, JSON.stringify([...prints.values()]));

/** The text of a file; undefined if it does not exist. */
function content(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The fingerprints of the files that had no problem the last time. */
function lastClean(): readonly string[] {
  const text = content(lintCache);
  return text === undefined ? [] : (JSON.parse(text) as string[]);
}

/** The files behind the names under which the package exports its modules. */
function ownNames(): ReadonlyMap<string, string> {
  const { name, exports } = JSON.parse(content("package.json") ?? "{}") as {
    readonly name: string;
    readonly exports: Readonly<Record<string, string>>;
  };
  return new Map(Object.entries(exports).map(([key, path]) => [key.replace(/^\./, name), path.replace(/^\.\//, "")]));
}
