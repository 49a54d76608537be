import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The paths that an absolute pattern of glob(3) stands for, in the order of their bytes, as `Include` of ssh_config
 * takes them: `*`, `?` and `[…]` within one folder, and a name that begins with a dot only where the pattern does.
 */
export function globPaths(pattern: string): string[] {
  const parts = pattern.split("/").filter((part) => part !== "");
  let found = ["/"];
  for (const part of parts) {
    const plain = part.replaceAll(/\\(.)/g, "$1");
    found = /(?<!\\)[*?[]/.test(part)
      ? found.flatMap((folder) => namesIn(folder, part).map((name) => join(folder, name)))
      : found.map((folder) => join(folder, plain));
  }
  return found.filter((path) => existsSync(path));
}

function namesIn(folder: string, pattern: string): string[] {
  const wanted = new RegExp(`^${source(pattern)}$`, "s");
  try {
    return readdirSync(folder)
      .filter((name) => wanted.test(name) && (!name.startsWith(".") || pattern.startsWith(".")))
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  } catch {
    // glob(3) passes over what is no folder, or cannot be looked into.
    return [];
  }
}

function source(pattern: string): string {
  return pattern.replaceAll(
    /\\(.)|\[([!^]?)(\]?[^\]]*)\]|[^\\]/gs,
    (part, escaped?: string, not?: string, set?: string) => {
      if (escaped !== undefined) return quoted(escaped);
      if (set !== undefined) return `[${not === "" ? "" : "^"}${set.replaceAll(/[\\\]^]/g, String.raw`\$&`)}]`;
      return part === "*" ? ".*" : part === "?" ? "." : quoted(part);
    },
  );
}

function quoted(letter: string): string {
  return letter.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`);
}
