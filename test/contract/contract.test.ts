import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCatalogue, root } from "../../scripts/reference/catalogue.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import { covered } from "../covered.ts";

/** Tasks that are still being written, without cases yet. A task that has cases must not stand here. */
const unfinished = new Set(["disk", "mount"]);

const catalogue = (await readCatalogue()).filter(({ definition }) => definition !== undefined);
const casesFile = (folder: string): string => join(root, "tasks", folder, `${folder}.cases.ts`);

describe("the contract of tasks", () => {
  const done = catalogue.filter(({ folder }) => !unfinished.has(folder));

  test.each(done.map(({ folder, definition }) => ({ folder, definition })))(
    "$folder keeps it",
    async ({ folder, definition }) => {
      const file = casesFile(folder);
      expect(existsSync(file), `tasks/${folder}/${folder}.cases.ts is missing`).toBe(true);
      const { cases } = (await import(file)) as { cases: readonly Case[] };
      const module = Object.assign(() => undefined, { definition });
      expect(contractOf(module, cases, { folder })).toEqual([]);
      covered(`contract: ${folder}, ${cases.length} cases`);
    },
  );

  test("nothing is called unfinished that has its cases", () => {
    expect([...unfinished].filter((folder) => existsSync(casesFile(folder)))).toEqual([]);
  });
});
