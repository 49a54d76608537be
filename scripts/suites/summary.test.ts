import { expect, it } from "vitest";
import { shortSummary, summary } from "./summary.ts";
import type { Suite } from "./suites.ts";

const suite = (name: string): Suite => ({
  name,
  about: `about ${name}`,
  packages: [],
  programs: [],
  needsRoot: false,
  retries: 0,
});

const ran = {
  ok: true,
  passed: 7,
  failed: 0,
  skipped: ["disk is wiped"],
  failures: [],
  unsteady: [],
  files: 2,
  seconds: 3,
  covered: ["9 hosts"],
};

it("is short at the end of a log: no covered cases, the first lines of each error", () => {
  const messages = [["Error: no", ...Array.from({ length: 40 }, (_, line) => `line ${line}`)].join("\n")];
  const failing = { ...ran, ok: false, failed: 1, failures: [{ name: "hash is found", messages }] };
  const text = shortSummary([
    [suite("unit"), ran],
    [suite("lab"), failing],
    [suite("long"), { leftOut: "needs root" }],
  ]);
  expect(text.split("\n")).toEqual([
    "ok        unit: 7 tests passed, 2 files, 3 s, 1 left out",
    "FAILED    lab: 7 tests passed, 1 failed, 2 files, 3 s, 1 left out",
    "failed: hash is found",
    "            Error: no",
    ...[0, 1, 2, 3, 4].map((line) => `            line ${line}`),
    "left out  long: needs root",
  ]);
});

it("lists what was covered, what failed and what was left out", () => {
  const text = summary(
    [
      [suite("unit"), ran],
      [
        suite("property"),
        {
          ...ran,
          ok: false,
          failed: 1,
          skipped: [],
          failures: [
            { name: "hash is found", messages: ["Error: no\n\n    at x (/a/node_modules/b.js)\n    at hash.ts:3"] },
          ],
          unsteady: [{ name: "host answers", messages: ["Error: timed out", "Error: refused"] }],
          covered: [],
          seconds: 61,
        },
      ],
      [suite("lab"), { leftOut: "needs root" }],
    ],
    63,
  );
  expect(text).toBe(
    [
      "ok        unit: 7 tests passed, 2 files, 3 s (about unit)",
      "            9 hosts",
      "            left out: disk is wiped",
      "FAILED    property: 7 tests passed, 1 failed, 2 files, 1 min 1 s (about property)",
      "failed: hash is found",
      "            Error: no",
      "                at hash.ts:3",
      "failed once, then passed: host answers",
      "            Error: timed out",
      "            the next attempt:",
      "            Error: refused",
      "left out  lab: needs root (about lab)",
      "1 min 3 s in all",
    ].join("\n"),
  );
});
