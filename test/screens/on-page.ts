import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTwoFilesPatch } from "diff";
import { expect } from "vitest";
import type { Screens } from "./screens.ts";

/**
 * Expects the played scenes to equal a page in `transcripts/`. Throws an error with the lines that differ, because the
 * error is all that remains of a suite that ran on another machine, and the error from a snapshot does not show these
 * lines.
 */
export async function expectOnPage(screens: Screens, page: string): Promise<void> {
  await expectText(screens.page(), page);
}

/** Expects text to equal a file in `transcripts/`. Throws an error with the lines that differ. */
export async function expectText(seen: string, page: string): Promise<void> {
  try {
    await expect(seen).toMatchFileSnapshot(`transcripts/${page}`);
  } catch (cause) {
    const kept = readFileSync(join(import.meta.dirname, "transcripts", page), "utf8");
    const patch = createTwoFilesPatch(page, "seen", kept, seen, "", "", { context: 1 });
    throw new Error(`the output differs from ${page} (vitest --update writes the page):\n${patch}`, { cause });
  }
}
