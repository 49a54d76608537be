import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readCatalogue, root } from "../../scripts/reference/catalogue.ts";
import { type Case, contractOf } from "../../src/testing/index.ts";
import type { TaskDefinition } from "../../src/core/authoring/task-definition.ts";
import { findDriver } from "../../src/cli/drivers/index.ts";
import { tryCases } from "../../src/testing/laws/subject.ts";
import { covered } from "../covered.ts";

const catalogue = (await readCatalogue()).filter(({ definition }) => definition !== undefined);
let count = 0;
afterAll(() => covered(`contract of tasks: ${catalogue.length} tasks in ${count} cases`));

describe("the contract of tasks", () => {
  test("a task declares a cloud if, and only if, it calls that cloud's API", async () => {
    const found = await Promise.all(
      catalogue.map(async ({ folder, card, definition }) => {
        const { cases } = (await import(join(root, "tasks", folder, `${folder}.cases.ts`))) as {
          cases: readonly Case[];
        };
        const subject = { module: definition as TaskDefinition, folder, cases };
        const steps = tryCases(subject).tried.flatMap((tried) => tried.steps);
        const called = new Set(steps.flatMap((step) => (step.step === "call" ? [step.driver] : [])));
        const drivers = await Promise.all([...called].map((name) => findDriver(name)));
        const clouds = drivers.flatMap((driver) => (driver.permissions === undefined ? [] : [driver.name]));
        return { task: card.name, clouds, declared: definition?.card.service };
      }),
    );
    expect(found.filter(({ clouds, declared }) => clouds.join() !== (declared ?? ""))).toEqual([]);
    expect(found.filter(({ declared }) => declared !== undefined).length).toBeGreaterThan(10);
  });

  test.each(catalogue.map(({ folder, definition }) => ({ folder, definition })))(
    "$folder fulfills the contract",
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
