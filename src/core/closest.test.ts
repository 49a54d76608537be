import { expect, test } from "vitest";
import { closest } from "./closest.ts";

test.each([
  ["rooter", ["router", "hosts"], "router"],
  ["WEB1", ["web", "db1"], "web"],
  ["node-5", ["node-1", "node-2"], undefined],
  ["nod-1", ["node-2", "node-1"], "node-1"],
  ["entirely", ["router"], undefined],
])("the closest word to %s among %j is %s", (word, candidates, found) => {
  expect(closest(word, candidates)).toBe(found);
});
