import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chapters, coverageRows } from "../../scripts/reference/coverage-rows.ts";

const root = join(import.meta.dirname, "../..");

test("the page contains every row once, in order", () => {
  const range = (letter: string, first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, at) => `${letter}${first + at}`);
  const all = [...range("G", 1, 17), ...range("N", 1, 10), ...range("O", 1, 13), ...range("P", 1, 10)];
  expect(coverageRows.map(({ id }) => id)).toEqual(all);
  expect([...new Set(all.map((id) => id[0]))]).toEqual(Object.keys(chapters));
});

describe.each(coverageRows.filter(({ tests }) => tests !== undefined))(
  "row $id",
  ({ roles, playbooks, tests = {} }) => {
    test("names a role, a playbook and tests", () => {
      expect([roles?.length, playbooks?.length, Object.keys(tests).length].map((count) => (count ?? 0) > 0)).toEqual([
        true,
        true,
        true,
      ]);
    });

    test.each([
      ...(roles ?? []).map((name) => `roles/${name}`),
      ...(playbooks ?? []).map((name) => `playbooks/${name}`),
    ])("%s exists", (path) => expect(existsSync(join(root, path))).toBe(true));

    test.each(Object.entries(tests).flatMap(([path, titles]) => titles.map((title) => ({ path, title }))))(
      "is proved by $path: $title",
      ({ path, title }) => {
        const source = readFileSync(join(root, path), "utf8");
        expect([`"${title}"`, `\`${title}\``].some((quoted) => source.includes(quoted))).toBe(true);
      },
    );
  },
);
