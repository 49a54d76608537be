import { test } from "vitest";
import { compareTrees } from "./compare-trees.ts";

test("engine and a program that imports nothing of furrow agree on random trees with links, mounts and hard links", async () => {
  await compareTrees(300);
}, 900_000);
