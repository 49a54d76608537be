import { expect, test } from "vitest";
import { compareTrees } from "./compare-trees.ts";

test("engine and an independent program agree on random trees with links, mounts and hard links", async () => {
  const { tasks, undecided } = await compareTrees({ first: 1, cases: 150 });
  // Check mode must leave only a few tasks undecided.
  expect(undecided).toBeLessThan(0.2 * tasks + 5);
}, 900_000);
