import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/harvester-cases.md"), "utf8");

/** The page's cases, keyed by number, each with the tests that it lists. */
const cases = page.split(/^- \*\*/m).flatMap((part) => {
  const number = /^(\d+)\*\* /.exec(part)?.[1];
  const tests = [...part.matchAll(/^ {2}- \[(\S+)\]\(\.\.\/\1\): (.+)$/gm)];
  return number === undefined
    ? []
    : [{ number: Number(number), tests: tests.map(([, path = "", title = ""]) => ({ path, title })) }];
});

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test("all cases are on the page, in order", () => {
  const all = [...range(5, 13), 16, ...range(18, 31), ...range(36, 49), ...range(55, 96)];
  expect(cases.map(({ number }) => number)).toEqual(all);
});

describe.each(cases)("case $number", ({ tests }) => {
  test("is covered by tests", () => expect(tests.length).toBeGreaterThan(0));

  test.each(tests)("is covered by $path: $title", ({ path, title }) => {
    expect(existsSync(join(root, path))).toBe(true);
    const source = readFileSync(join(root, path), "utf8");
    expect([`"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))).toBe(true);
  });
});
