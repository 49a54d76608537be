import { dirname } from "node:path";
import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/** The maximum number of files in a folder: a newcomer can still read a list of this length. */
const most = 25;

test("no folder holds more than 25 files", () => {
  const counts = new Map<string, number>();
  for (const file of sourceFiles()) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > most)).toEqual([]);
});
