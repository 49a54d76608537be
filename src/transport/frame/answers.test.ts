import { expect, test } from "vitest";
import { type ItemResult, unheard } from "../../core/frame.ts";
import type { RunStep } from "../../core/step.ts";
import { Answers } from "./answers.ts";

/** A task of so many steps; `looks` counts how often one of them was looked at. */
function manySteps(count: number): { steps: RunStep[]; looks: () => number } {
  let looks = 0;
  const steps = Array.from({ length: count }, (): RunStep => {
    return {
      step: "run",
      argv: ["true"],
      get okExit() {
        looks += 1;
        return [0];
      },
    };
  });
  return { steps, looks: () => looks };
}

test("a tree of 2,000 steps: each step's end costs the same, however many came before it", () => {
  const { steps, looks } = manySteps(2000);
  const told: ItemResult[] = [];
  const listener = { ...unheard, item: (_: number, result: ItemResult) => void told.push(result) };
  const answers = new Answers([], [{ item: "steps", task: "0", steps }], listener, undefined);
  for (let step = 0; step < 2000; step += 1) answers.take({ record: "step", item: 0, step, exitCode: 0 });
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ item: "steps", results: { length: 2000 } });
  expect(looks()).toBeLessThanOrEqual(3 * 2000);
});

test("a step that fails in the middle is told at once, with those before it", () => {
  const { steps } = manySteps(5);
  const told: ItemResult[] = [];
  const listener = { ...unheard, item: (_: number, result: ItemResult) => void told.push(result) };
  const answers = new Answers([], [{ item: "steps", task: "0", steps }], listener, undefined);
  for (const [step, exitCode] of [0, 0, 7].entries()) {
    expect(told).toEqual([]);
    answers.take({ record: "step", item: 0, step, exitCode });
  }
  expect(told).toMatchObject([{ item: "steps", results: [{}, {}, { exitCode: 7 }], failed: { index: 2 } }]);
});
