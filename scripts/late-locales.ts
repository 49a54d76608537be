import { readFile } from "node:fs/promises";
import type { Plugin } from "rolldown";

/**
 * A bundler plug-in that leaves zod's messages in other languages out of the bundle, because they are half of zod's
 * code, and furrow does not need them to start. `z.locales.de()` still works, because it loads the installed zod.
 * Throws if a line in zod's list has an unexpected form.
 */
export function lateLocales(): Plugin {
  return {
    name: "late locales",
    async load(id) {
      if (!/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(id)) return undefined;
      const lines = (await readFile(id, "utf8")).split("\n").filter((line) => line !== "");
      return { code: `${asked}\n${lines.map(lateLocale).join("\n")}\n`, moduleType: "js" };
    },
  };
}

function lateLocale(line: string): string {
  const [, name] = /^export \{ default as (\w+) \} from "\.\/[\w-]+\.js";$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`zod's list of languages has a line in an unexpected format: ${line}`);
  return `export const ${name} = () => installed().${name}();`;
}

const asked = `import { createRequire } from "node:module";
const installed = () => createRequire(import.meta.url)("zod/v4/locales");`;
