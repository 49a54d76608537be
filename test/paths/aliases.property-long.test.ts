import { expect, test } from "vitest";
import { compareTrees, compareTreesByWay } from "./compare-trees.ts";

/** The maximum duration of this test if only a sample of the tests is run, in milliseconds. */
const sampleMs = 480_000;

test("engine and an independent program agree on many more random trees", async () => {
  // The host suite compares the first 150 trees. With FURROW_PATHS_CASES this test compares any number.
  const isSample = process.env["FURROW_DEADLINE"] !== undefined;
  const seeds = { first: 151, cases: 750, ...(isSample && { until: Date.now() + sampleMs }) };
  const { cases, tasks, undecided } = await compareTrees(seeds);
  expect(cases).toBeGreaterThan(0);
  // Check mode must leave only a few tasks undecided.
  expect(undecided).toBeLessThan(0.2 * tasks + 5);
}, 7_200_000);

test("tasks on more random trees give the same results one at a time and with steps sent ahead", async () => {
  // The host suite compares the first 60 trees.
  const { cases, tasks } = await compareTreesByWay({ first: 61, cases: 60 });
  expect(tasks).toBeGreaterThan(cases);
}, 900_000);
