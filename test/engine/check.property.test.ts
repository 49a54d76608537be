import * as fc from "fast-check";
import { expect, test } from "vitest";
import { covered } from "../covered.ts";
import { agree, propertyRuns } from "./agree.ts";
import { untruth, withEngine } from "./comparison.ts";
import { detourPrograms, honestly, probePrograms, programs } from "./programs.ts";

/** Fewer playbooks than for runs, because check mode sends no steps ahead. */
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

test("check mode predicts the run of random playbooks in which temporary tasks are undone later", async () => {
  const numRuns = Math.ceil(propertyRuns / 20);
  await fc.assert(
    fc.asyncProperty(detourPrograms.map(honestly), async (program) => {
      expect(await untruth(program)).toBeUndefined();
    }),
    { numRuns },
  );
  covered(`check mode compared with the next run on ${numRuns} random playbooks with temporary tasks`);
});

test("check mode predicts the run of random playbooks in which users' commands read what earlier tasks change", async () => {
  const numRuns = Math.ceil(propertyRuns / 10);
  const seen = { decided: 0, all: 0 };
  await fc.assert(
    fc.asyncProperty(probePrograms.map(honestly), async (program) => {
      expect(await untruth(program)).toBeUndefined();
      const { happenings } = await withEngine(program, "check");
      const outcomes = happenings.map(({ outcome }) => outcome);
      seen.all += outcomes.length;
      seen.decided += outcomes.filter((outcome) => outcome !== "undecided").length;
    }),
    { numRuns },
  );
  // An engine that left every task undecided would also make no false predictions.
  expect(seen.decided / seen.all).toBeGreaterThan(0.4);
  covered(`check mode compared with the next run on ${numRuns} random playbooks with users' commands`);
});

test("engine and oracle agree on random playbooks with users' commands, in check mode and in the run", async () => {
  const among = { of: probePrograms, what: " with users' commands" };
  const runs = Math.ceil(propertyRuns / 10);
  expect(await agree("check", runs, {}, among)).toBe(runs);
  expect(await agree("apply", runs, {}, among)).toBe(runs);
  expect(await agree("apply", Math.ceil(runs / 4), { oneByOne: true }, among)).toBe(Math.ceil(runs / 4));
});
