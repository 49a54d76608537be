import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Block, withBlocks } from "../docs/blocks.ts";
import { root } from "./catalogue.ts";
import type { Page } from "./page.ts";

/**
 * README.md with its blocks regenerated. A block that names a file in the repository gets the content of that file: a
 * playbook without the comment at its top, or a transcript that a test checks.
 */
export function readmePage(): Page {
  const path = "README.md";
  return { path, text: withBlocks(readFileSync(join(root, path), "utf8"), fileBehind) };
}

function fileBehind({ name }: Block): string | undefined {
  const path = name === undefined ? undefined : join(root, name);
  if (path === undefined || !existsSync(path)) return undefined;
  return readFileSync(path, "utf8").replace(/^\/\*\*[^]*?\*\/\n/, "");
}
