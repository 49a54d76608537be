import * as fc from "fast-check";
import { expect, test } from "vitest";
import { covered } from "../covered.ts";
import { agree, propertyRuns } from "./agree.ts";
import { untruth } from "./comparison.ts";
import { honestly, programs } from "./programs.ts";

/** Fewer than for runs, because check mode sends no steps ahead. */
const checkRuns = Math.ceil(propertyRuns / 4);

test("engine and oracle agree in check mode on random playbooks", async () => {
  expect(await agree("check", checkRuns)).toBe(checkRuns);
});

test("a paranoid engine gives the same results on random playbooks whose tasks declare what they do", async () => {
  const runs = Math.ceil(propertyRuns / 10);
  expect(await agree("apply", runs, { paranoid: true })).toBe(runs);
});

test("check mode predicts the run of random playbooks whose tasks declare what they provide", async () => {
  await fc.assert(
    fc.asyncProperty(programs.map(honestly), async (program) => {
      expect(await untruth(program)).toBeUndefined();
    }),
    { numRuns: checkRuns },
  );
  covered(`check mode compared with the next run on ${checkRuns} random playbooks`);
});
