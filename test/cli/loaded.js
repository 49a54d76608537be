// Loaded before furrow with --import. When the process exits, it writes the names of all loaded modules, one per line,
// to the file that LOADED_TO names.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const root = new URL("../..", import.meta.url).href;
const names = new Set();

registerHooks({
  load(url, context, next) {
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
    if (name !== undefined) names.add(name);
    else if (url.startsWith(root)) names.add(url.slice(root.length));
    return next(url, context);
  },
});

process.on("exit", () => writeFileSync(process.env.LOADED_TO ?? "loaded", `${[...names].join("\n")}\n`));
