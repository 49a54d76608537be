import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { longest, Sequencer } from "./sequencer.ts";

const root = resolve(import.meta.dirname, "../..");
const names = [...Array.from({ length: 20 }, (_, at) => `test/a${at}.test.ts`), ...longest];

async function sorted(seed: number, files: readonly string[] = names): Promise<string[]> {
  const sequencer = new Sequencer({ config: { sequence: { seed } } } as Vitest);
  const specifications = files.map((name) => ({ moduleId: join(root, name) }) as TestSpecification);
  // oxlint-disable-next-line unicorn/no-array-sort -- the method of a sequencer, not of an array
  const order = await sequencer.sort(specifications);
  return order.map(({ moduleId }) => moduleId.slice(root.length + 1));
}

afterEach(() => vi.unstubAllEnvs());

test("if files may be left out, only the seed decides which, but the longest files always start", async () => {
  vi.stubEnv("FURROW_DEADLINE", "1");
  const order = await sorted(1);
  expect(order.slice(0, longest.length).toSorted()).toEqual(longest.toSorted());
  expect(order.toSorted()).toEqual(names.toSorted());
  expect(await sorted(1, names.toReversed())).toEqual(order);
  expect(await sorted(2)).not.toEqual(order);
});

test("the files that take longest exist", () => {
  for (const name of longest) expect(existsSync(join(root, name)), name).toBe(true);
});
