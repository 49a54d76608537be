import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Block, blocksOf } from "../../../scripts/docs/blocks.ts";
import { root } from "../../../scripts/docs/pages.ts";
import type { Clone } from "../../cloud/pages/clone.ts";

/** The path of a guide, from its name below docs/guides. */
export const guide = (page: string): string => `docs/guides/${page}.md`;

/** The only command block in a guide that begins with this text. */
export function commandsOf(page: string, start: string): Block {
  const found = blocksIn(page).filter(({ language, text }) => language === "text" && text.startsWith(start));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${guide(page)} begin with ${start}`);
  return only;
}

/** Writes the files that a guide shows. */
export function putFiles(clone: Clone, page: string): void {
  for (const block of blocksIn(page)) if (block.name !== undefined) clone.write(block);
}

/** Writes files that no page shows. */
export function putOwn(clone: Clone, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(clone.folder, name), text);
}

/**
 * Runs a block word for word. Throws if a command fails. Returns the expected output that the block's commands did
 * not print, or an empty string.
 */
export async function perform(
  clone: Clone,
  { page, start, says }: { readonly page: string; readonly start: string; readonly says: readonly RegExp[] },
): Promise<string> {
  const ran = await clone.run(commandsOf(page, start));
  const output = ran.map((one) => one.output).join("\n");
  const unsaid = says.filter((words) => !words.test(output));
  return unsaid.length === 0 ? "" : `nothing like ${unsaid.join(", ")} in:\n${output}`;
}

function blocksIn(page: string): Block[] {
  return blocksOf(readFileSync(join(root, guide(page)), "utf8"));
}
