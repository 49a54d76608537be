import { createHash } from "node:crypto";
import { dirname, join } from "node:path";

/** The places of a module's imports and re-exports: `from "./a.ts"`, `import "./a.ts"`, `import("./a.ts")`. */
const imported = /\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']/g;

/**
 * For each file, a hash of everything that can affect the result of linting it: its path and content, those of all
 * files that it imports directly or indirectly, and `common` (the linter's version, its rules and its settings).
 *
 * @param files the content of every file, by its path
 * @param entries the files behind the package's own names, such as `furrow/tasks`
 */
export function fingerprints(
  files: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string>,
  common: string,
): ReadonlyMap<string, string> {
  const own = new Map([...files].map(([path, text]) => [path, digest(`${path}\n${text}`)]));
  const targets = new Map([...files].map(([path, text]) => [path, importsOf(path, text, files, entries)]));
  return new Map(
    [...files.keys()].map((path) => {
      const all = new Set([path]);
      // The loop also visits paths that are added to the set while it runs.
      for (const one of all) for (const target of targets.get(one) ?? []) all.add(target);
      const hashes = [...all].map((one) => own.get(one) ?? "");
      return [path, digest([common, path, ...hashes.toSorted()].join("\n"))];
    }),
  );
}

function importsOf(
  path: string,
  text: string,
  files: ReadonlyMap<string, string>,
  entries: ReadonlyMap<string, string>,
): readonly string[] {
  return [...text.matchAll(imported)].flatMap(([, name = ""]) => {
    const target = name.startsWith(".") ? join(dirname(path), name) : entries.get(name);
    return target !== undefined && files.has(target) ? [target] : [];
  });
}

/** A short hash of a string. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 24);
}
