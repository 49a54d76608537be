import { registerHooks } from "node:module";

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
