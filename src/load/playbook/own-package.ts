import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname, join } from "node:path";

/**
 * The folder of the running copy of furrow, with a trailing slash. The folder is found by furrow's package name,
 * because the bundle puts this module into another folder.
 */
export const ownRoot = join(dirname(createRequire(import.meta.url).resolve("furrow/package.json")), "/");

/** The type files of each package export, by import name such as `furrow/tasks`. */
export function ownDoors(): Readonly<Record<string, readonly string[]>> {
  const { exports } = JSON.parse(readFileSync(join(ownRoot, "package.json"), "utf8")) as {
    exports: Readonly<Record<string, string | { readonly types: string }>>;
  };
  return Object.fromEntries(
    Object.entries(exports).map(([name, door]) => [
      `furrow${name.slice(1)}`,
      [join(ownRoot, typeof door === "string" ? door : door.types)],
    ]),
  );
}

let lastLoaded: string | undefined;
let registered = false;

/**
 * Makes `import … from "furrow"` in user files resolve to the running copy of furrow, wherever the files are.
 * Otherwise, two copies would not share secrets and refs, and a playbook outside any project would find no copy. Also
 * records which file Node loads, because Node's error does not name a plain JavaScript file that does not compile.
 */
export function serveOwnPackage(): void {
  if (registered) return;
  registered = true;
  const emitWarning = process.emitWarning.bind(process) as (...words: readonly unknown[]) => void;
  // Suppresses Node's warning about a missing `type`: furrow reports it once, with the other settings that a project
  // needs (types/settings.ts).
  process.emitWarning = (...words: readonly unknown[]) => {
    const [, told] = words;
    const isKnown =
      typeof told === "object" && told !== null && "code" in told && told.code === "MODULE_TYPELESS_PACKAGE_JSON";
    if (!isKnown) emitWarning(...words);
  };
  registerHooks({
    resolve: (specifier, context, next) =>
      /^furrow($|\/)/.test(specifier)
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(specifier, context),
    load: (url, context, next) => {
      lastLoaded = url;
      return next(url, context);
    },
  });
}

/** The URL of the module that Node read last. */
export function lastLoadedModule(): string | undefined {
  return lastLoaded;
}
