import { expect, test } from "vitest";
import { oddIn } from "./plain-words.ts";

// The phrases are put together from words, so that a search of the repository for a phrase finds only real mistakes.
const words = (...all: string[]): string => all.join(" ");

test.each([
  [`a play lists something that ${words("is", "no", "task")}`, "is no t"],
  [`/**\n * ${words("What", "of")}\n * a session a frame needs.\n */`, words("What", "of")],
  [`furrow does the task ${["an", "ew"].join("")}`, ["an", "ew"].join("")],
  ["// Of a host nothing is known.", "/ Of a"],
  ["the file beside\nit", "beside it"],
  [`connects if ${words("there", "is", "none")}`, words("is", "none")],
])("reports %j", (text, found) => {
  expect(oddIn(text).map((odd) => odd.found)).toEqual([found]);
});

test.each([
  "there is no route to the host",
  "it is no longer there",
  "the host has none",
  "a sidecar stands besides",
  "What a task needs",
])("accepts %j", (text) => {
  expect(oddIn(text)).toEqual([]);
});

test("reports a phrase with its line", () => {
  expect(oddIn(`one\n\ndone ${words("in", "vain")}\n`).map(({ line }) => line)).toEqual([3]);
});
