import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this very copy of furrow, with a slash at its end. */
export const ownRoot = fileURLToPath(new URL("../../..", import.meta.url));

/** What each door's types are in, by the name it is imported by: `furrow/tasks`. */
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
 * Makes `import … from "furrow"` in user files mean this very copy of furrow, wherever the files are: two copies would
 * not know each other's secrets and refs, and a playbook outside any project would find none. Also notes which file
 * Node loads, since Node names no file when plain JavaScript does not compile.
 */
export function serveOwnPackage(): void {
  if (registered) return;
  registered = true;
  const emitWarning = process.emitWarning.bind(process) as (...words: readonly unknown[]) => void;
  // Furrow says the same beside the other settings that a project needs (types/settings.ts), and says it once.
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
