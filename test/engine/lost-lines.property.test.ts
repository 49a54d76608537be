import * as fc from "fast-check";
import { expect, test } from "vitest";
import { trace } from "./comparison.ts";
import { programs } from "./programs.ts";

const numRuns = Math.ceil(Number(process.env["FURROW_PROPERTY_RUNS"] ?? 10_000) / 2);

test("a run over connections that break at random equals an undisturbed run: same events, same state, nothing done twice", async () => {
  const losses = { neverArrived: 0, cutAnswer: 0 };
  await fc.assert(
    fc.asyncProperty(programs, fc.nat(), async (program, seed) => {
      expect(await trace(program, seed, losses)).toBeUndefined();
    }),
    { numRuns },
  );
  const { neverArrived, cutAnswer } = losses;
  process.stdout.write(
    `${numRuns} random playbooks over breaking connections: ${neverArrived} frames that never arrived, ${cutAnswer} answers cut\n`,
  );
  expect(Math.min(neverArrived, cutAnswer)).toBeGreaterThan(numRuns / 4);
});
