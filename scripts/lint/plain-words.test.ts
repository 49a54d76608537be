import { expect, test } from "vitest";
import { oddIn } from "./plain-words.ts";

test.each([
  ["a play lists something that is no task", "is no t"],
  ["/**\n * What of\n * a session a frame needs.\n */", "What of"],
  ["furrow does the task anew", "anew"],
  ["// Of a host nothing is known.", "/ Of a"],
  ["the file beside\nit", "beside it"],
])("%j reads oddly", (text, found) => {
  expect(oddIn(text).map((odd) => odd.found)).toEqual([found]);
});

test.each([
  "there is no route to the host",
  "it is no longer there",
  "there are none",
  "a sidecar stands besides",
  "What a task needs",
])("%j is plain", (text) => {
  expect(oddIn(text)).toEqual([]);
});

test("a phrase is reported with its line", () => {
  expect(oddIn("one\n\ndone in vain\n").map(({ line }) => line)).toEqual([3]);
});
