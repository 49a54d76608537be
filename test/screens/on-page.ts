import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { expect } from "vitest";
import type { Screens } from "./screens.ts";

/**
 * Expects what was played to be a page of `transcripts/`. Throws with the lines that differ: a snapshot's own error names
 * none of them, and of a suite that ran on another machine the error is all there is.
 */
export async function expectOnPage(screens: Screens, page: string): Promise<void> {
  const seen = screens.page();
  try {
    await expect(seen).toMatchFileSnapshot(`transcripts/${page}`);
  } catch (cause) {
    const kept = readFileSync(join(import.meta.dirname, "transcripts", page), "utf8");
    const patch = createTwoFilesPatch(page, "seen", kept, seen, "", "", { context: 1 });
    throw new Error(`what was seen is not ${page} (vitest --update writes the page):\n${patch}`, { cause });
  }
}
