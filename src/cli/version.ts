import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Returns furrow's own version, from its package.json. */
export function ownVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return version;
}
