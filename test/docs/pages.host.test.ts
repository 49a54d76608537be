import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Block } from "../../scripts/docs/blocks.ts";
import { emptyProject, pageBlocks, putBlock, root, triedPages } from "../../scripts/docs/pages.ts";
import { replayed } from "../../scripts/docs/transcripts.ts";
import { covered } from "../covered.ts";

describe("the transcripts in the pages", () => {
  it.each(triedPages())("%s shows what its commands print (if not: npm run transcripts)", (page) => {
    expect(replayed(page)).toBe(readFileSync(join(root, page), "utf8"));
  });
});

afterAll(() => {
  const blocks = triedPages().flatMap(pageBlocks);
  const number = (language: string): number => blocks.filter((block) => block.language === language).length;
  covered(`${number("ts")} code blocks and ${number("console")} transcripts of ${triedPages().length} pages`);
});

const pagesWithTests = triedPages().filter((page) => pageBlocks(page).some(isTest));

function isTest({ name }: Block): boolean {
  return name?.endsWith(".test.ts") === true;
}

describe("the tests in the pages", () => {
  it("are found in docs/guides/write-a-task.md", () => {
    expect(pagesWithTests).toContain("docs/guides/write-a-task.md");
  });

  it.each(pagesWithTests)("pass in %s", { timeout: 600_000 }, (page) => {
    const folder = emptyProject();
    try {
      for (const block of pageBlocks(page)) putBlock(folder, block);
      const vitest = join(root, "node_modules/vitest/vitest.mjs");
      const report = join(folder, "report.json");
      const words = [vitest, "run", "--root", folder, "--reporter", "json", "--outputFile", report];
      const { stderr } = spawnSync(process.execPath, words, { encoding: "utf8", cwd: folder });
      const said = readFileSync(report, "utf8");
      const { numPassedTests, numTotalTests } = JSON.parse(said) as Record<string, number>;
      expect(numTotalTests, stderr).toBeGreaterThan(0);
      expect(numPassedTests, said).toBe(numTotalTests);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
