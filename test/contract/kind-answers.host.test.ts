import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Question } from "../../src/core/facts/fact.ts";
import { allKinds, type Kind } from "../../src/core/facts/kind.ts";
import { freeKeys, questionsOf, scriptOf } from "./questions.ts";
import { shells } from "./shells.fixture.ts";

describe("a script with many questions", () => {
  const quick = allKinds().filter(
    (kind) => kind.neverAhead !== true && kind.deadlineSeconds === undefined && questionsOf(kind).length > 0,
  );

  test.each(quick.flatMap((kind) => shells.map((shell) => ({ name: kind.name, shell: shell.join(" "), kind }))))(
    "$name answers every question in $shell, and never runs a key as code",
    ({ shell, kind }) => {
      const questions = manyOf(kind);
      const [program = "", ...args] = shell.split(" ");
      const { stdout: output } = spawnSync(program, [...args, "-c", `cd /tmp\n${scriptOf(kind, questions)}`], {
        encoding: "latin1",
        env: { ...process.env, LC_ALL: "C" },
        stdio: ["ignore", "pipe", "pipe"],
        maxBuffer: 1 << 26,
      });
      const numbers = new Set(output.split("\n").map((line) => /^(\d+) [^ =!]*[=!]/.exec(line)?.[1]));
      const silent = questions.filter((_, number) => !numbers.has(String(number)));
      expect(silent.map(({ key }) => key).filter((key) => !mayBeSilent(kind, key))).toEqual([]);
      expect(existsSync("/tmp/pwned")).toBe(false);
    },
  );
});

/** The questions asked by the cases and, for free keys, a hundred more. */
function manyOf(kind: Kind): Question[] {
  const own = questionsOf(kind);
  const more = freeKeys.has(kind.name) ? Array.from({ length: 100 }, (_, at) => `/tmp/none ${at}`) : [];
  return [...own, ...more.map((key) => ({ kind: kind.name, key, facets: Object.keys(kind.facets).toSorted() }))];
}

/** True if the kind may print nothing for an absent object. */
function mayBeSilent(kind: Kind, key: string): boolean {
  try {
    kind.parse({}, { kind: kind.name, key, facets: [] });
    return true;
  } catch {
    return false;
  }
}
