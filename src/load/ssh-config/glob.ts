import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The existing paths that match an absolute glob(3) pattern, in byte order, as `Include` in ssh_config reads them. `*`,
 * `?` and `[…]` match within one folder. A name that begins with a dot matches only if its pattern begins with one.
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
    // glob(3) skips paths that are not folders, and folders that it cannot read.
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
