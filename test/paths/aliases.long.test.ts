import { test } from "vitest";
import { compareTrees } from "./compare-trees.ts";

test("engine and a program that imports nothing of furrow agree on many more random trees", async () => {
  // The host suite tries the first 300 of them.
  await compareTrees(3000);
}, 900_000);
