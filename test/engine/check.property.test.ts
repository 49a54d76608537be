import * as fc from "fast-check";
import { expect, test } from "vitest";
import { covered } from "../covered.ts";
import { agree, propertyRuns } from "./agree.ts";
import { untruth } from "./comparison.ts";
import { honestly, programs } from "./programs.ts";

/** In check mode nothing is sent ahead, and what is foreseen was foreseen before. */
const checkRuns = Math.ceil(propertyRuns / 4);

test("engine and oracle agree in check mode on random playbooks", async () => {
  expect(await agree("check", checkRuns)).toBe(checkRuns);
});

test("a paranoid engine does the same on random playbooks, whose tasks declare what they do", async () => {
  const runs = Math.ceil(propertyRuns / 10);
  expect(await agree("apply", runs, { paranoid: true })).toBe(runs);
});

test("check mode tells the truth on random playbooks whose tasks declare what they provide", async () => {
  await fc.assert(
    fc.asyncProperty(programs.map(honestly), async (program) => {
      expect(await untruth(program)).toBeUndefined();
    }),
    { numRuns: checkRuns },
  );
  covered(`check mode compared with the run that followed on ${checkRuns} random playbooks`);
});
