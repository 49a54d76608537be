import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { runMutants } from "./run-mutants.ts";
import { SuiteCopy } from "./suite-copy.ts";

/** Each mutant starts its own test run, which takes about a second: 15 s in total on an idle machine. */
let copy: SuiteCopy;
beforeAll(() => {
  copy = new SuiteCopy();
});
afterAll(() => copy.remove());

test("the tests that must notice mutants pass without one", { timeout: 180_000 }, async () => {
  expect(await copy.pass(runMutants)).toBe(true);
});

test.for(runMutants)("a test notices an engine that would $name", { timeout: 180_000 }, async (mutant) => {
  expect(await copy.notices(mutant)).toBe(true);
});

test("they are counted", () => {
  covered(`${runMutants.length} mutants of runs of several hosts, users and passwords killed`);
  expect(runMutants.length).toBeGreaterThanOrEqual(15);
});
