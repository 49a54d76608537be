import { expect, test } from "vitest";
import { killMutants } from "./kill-mutants.ts";
import { mutants, planMutants } from "./mutants.ts";

test("there are at least 50 mutants of the engine, here and in mutants-of-frames", () => {
  expect(mutants.length).toBeGreaterThanOrEqual(50);
});

killMutants("plans", planMutants);
