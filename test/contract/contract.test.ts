import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readCatalogue, root } from "../../scripts/reference/catalogue.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import { covered } from "../covered.ts";

const catalogue = (await readCatalogue()).filter(({ definition }) => definition !== undefined);
let count = 0;
afterAll(() => covered(`contract of tasks: ${catalogue.length} tasks in ${count} cases`));

describe("the contract of tasks", () => {
  test.each(catalogue.map(({ folder, definition }) => ({ folder, definition })))(
    "$folder keeps the contract",
    async ({ folder, definition }) => {
      const file = join(root, "tasks", folder, `${folder}.cases.ts`);
      expect(existsSync(file), `tasks/${folder}/${folder}.cases.ts is missing: show what the task does`).toBe(true);
      const { cases } = (await import(file)) as { cases: readonly Case[] };
      const module = Object.assign(() => undefined, { definition });
      expect(contractOf(module, cases, { folder })).toEqual([]);
      count += cases.length;
    },
  );
});
