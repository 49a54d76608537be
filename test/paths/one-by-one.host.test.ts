import { expect, test } from "vitest";
import { compareTreesByWay } from "./compare-trees.ts";

test("tasks on random trees give the same results one at a time and with steps sent ahead", async () => {
  const { cases, tasks } = await compareTreesByWay({ first: 1, cases: 60 });
  expect(tasks).toBeGreaterThan(cases);
}, 900_000);
