import { afterAll, beforeAll, expect, test } from "vitest";
import { covered } from "../../covered.ts";
import { hostMutants } from "./host-mutants.ts";
import { SuiteCopy } from "./suite-copy.ts";

/**
 * Tests mutants that only tests with a full disk or a silent connection notice: half a minute each, nearly all of it
 * waiting.
 */
let copy: SuiteCopy;
beforeAll(() => {
  copy = new SuiteCopy();
});
afterAll(() => copy.remove());

const seconds = 60;

test("the tests that must notice mutants pass without one", async () => {
  expect(await copy.pass(hostMutants, seconds)).toBe(true);
});

test.for(hostMutants)("a test notices a transport that would $name", async (mutant) => {
  expect(await copy.notices(mutant, seconds)).toBe(true);
});

test("they are counted", () => {
  covered(`${hostMutants.length} mutants of the transport killed by full disks and silent connections`);
  expect(hostMutants.length).toBeGreaterThanOrEqual(3);
});
