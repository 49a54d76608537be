import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCatalogue, root } from "../../scripts/reference/catalogue.ts";
import { playbook } from "../../src/authoring.ts";
import { makeCall, type TaskCall } from "../../src/core/authoring/call.ts";
import { FurrowError } from "../../src/core/errors.ts";
import { type Case, simulate } from "../../src/testing/index.ts";
import { absent } from "../../src/core/facts/symbols.ts";
import { blankValue } from "../../src/testing/plausible.ts";
import { covered } from "../covered.ts";
import { recorded } from "./questions.ts";

const catalogue = (await readCatalogue()).flatMap(({ folder, definition }) =>
  definition === undefined ? [] : [{ folder, definition }],
);

async function errorsOf(call: TaskCall, mode: "apply" | "check"): Promise<string[]> {
  const book = playbook({ name: "one", plays: [{ hosts: "all", become: true, tasks: () => [call] }] });
  try {
    const { result } = await simulate(book, { hosts: ["web"], mode });
    return result.errors.map(({ code, message }) => `${code} ${message}`);
  } catch (error) {
    // The run cannot start, because the call refers to another task of its playbook.
    if (error instanceof FurrowError && error.code !== "E_BUG") return [];
    throw error;
  }
}

describe("every task works on a simulated host whose facts the test does not set", () => {
  test.each(catalogue)("$folder", async ({ folder, definition }) => {
    const { cases } = (await import(join(root, "tasks", folder, `${folder}.cases.ts`))) as { cases: readonly Case[] };
    const examples = definition.card.examples.map((example) => makeCall(definition, example, {}));
    const calls = [...examples, ...cases.map(({ call }) => call)];
    for (const call of calls) {
      for (const mode of ["apply", "check"] as const) {
        const errors = await errorsOf(call, mode);
        expect(errors.filter((error) => error.startsWith("E_BUG"))).toEqual([]);
      }
    }
    covered(`${calls.length} simulated calls of ${folder}`);
  });
});

test("a kind that always has a value on a real host also has one on a simulated host", () => {
  const kinds = Map.groupBy(recorded, ({ question }) => question.kind);
  const valued = [...kinds].filter(([, all]) => all.every(({ value }) => value !== absent));
  const missing = valued.filter(([, all]) => all.some(({ question }) => blankValue(question) === absent));
  // These two facts can be absent, as their types show, because the disk or the file might not exist. No case covers
  // this.
  expect(missing.map(([kind]) => kind).toSorted()).toEqual(["disk-content", "filtered"]);
});
