import { spawnSync } from "node:child_process";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Question } from "../../src/core/facts/fact.ts";
import { linesOf } from "../../src/core/facts/expectation.ts";
import { allKinds, ask } from "../../src/core/facts/kind.ts";
import { fingerprint } from "../../src/testing/laws/fingerprint.ts";
import { arbitraries } from "./arbitraries.ts";
import { questionsOf, recorded, scriptOf } from "./questions.ts";
import { shells } from "./shells.fixture.ts";

const kinds = allKinds();

describe("every kind", () => {
  test.each(kinds.map((kind) => ({ name: kind.name, kind })))(
    "$name has a summary, and describes all of its facets",
    ({ kind }) => {
      expect(kind.summary).toMatch(/^[A-Z].*[^.]$/);
      for (const text of Object.values(kind.facets)) expect(text).not.toBe("");
      for (const facet of kind.shown ?? []) expect(Object.keys(kind.facets)).toContain(facet);
    },
  );

  test("kinds whose keys are paths resolve them, so that two names of one file lead to the same fact", () => {
    // Names below /dev are not resolved: a disk is identified by its properties, not by the links to it.
    const devices = ["block-device", "disk-content", "disk-content-full"];
    const asked = recorded.filter(({ question: { key } }) => key.startsWith("/"));
    const byPath = kinds.filter(({ name }) => asked.some(({ question }) => question.kind === name));
    const without = byPath.filter(({ renamed }) => renamed === undefined).map(({ name }) => name);
    expect(byPath.map(({ name }) => name)).toContain("file");
    expect(without.filter((name) => !devices.includes(name))).toEqual([]);
  });

  const printed = kinds.filter(({ print }) => print !== undefined);

  test("every kind with a print function has test values", () => {
    const known = new Set([...Object.keys(arbitraries), ...recorded.map(({ question }) => question.kind)]);
    expect(printed.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });

  test.each(printed.map(({ name, ...kind }) => ({ name, kind })))(
    "$name: printed values read back unchanged",
    ({ name, kind }) => {
      const question = { kind: name, key: "/key", facets: Object.keys(kind.facets) };
      const law = (value: unknown, asked: Question): void => {
        const lines = linesOf(asked, value);
        for (const [key, line] of Object.entries(lines)) {
          expect(key).toMatch(/^[^=\n]+$/);
          expect(line).toMatch(/^[^\n]*$/);
        }
        expect(fingerprint(kind.parse(lines, asked))).toBe(fingerprint(value));
      };
      for (const one of recorded) if (one.question.kind === name) law(one.value, one.question);
      const arbitrary = arbitraries[name];
      if (arbitrary)
        fc.assert(
          fc.property(arbitrary, (value) => law(value, question)),
          { numRuns: 200 },
        );
    },
  );
});

describe("the script of every kind", () => {
  const asked = kinds.filter((kind) => questionsOf(kind).length > 0);

  test("is tested with questions about every kind", () => {
    const without = kinds.filter((kind) => questionsOf(kind).length === 0).map(({ name }) => name);
    expect(without).toEqual([]);
  });

  test.each(asked.map((kind) => ({ name: kind.name, kind })))(
    "$name runs in every shell, regardless of the keys",
    ({ kind }) => {
      for (const [shell = "", ...args] of shells) {
        const { status, stderr } = spawnSync(shell, [...args, "-n"], {
          input: `(\n${scriptOf(kind)}\n)`,
          encoding: "utf8",
        });
        expect({ shell, status, stderr }).toEqual({ shell, status: 0, stderr: "" });
      }
    },
  );

  test.each(asked.map((kind) => ({ name: kind.name, kind })))(
    "$name writes to nothing but /dev/null and pipes",
    ({ kind }) => {
      // These kinds write a temporary copy of a file for the program that checks the file, and remove the copy
      // immediately: the program resolves included paths relative to the copy.
      const own: Readonly<Record<string, readonly string[]>> = {
        acceptance: ['"$t"'],
        unitVerdict: ['"$t/$u"', '"$t/$u.d/$d.conf"'],
      };
      const shown = own[kind.name] ?? [];
      const targets = writesOf(scriptOf(kind)).filter((target) => !shown.includes(target));
      expect(targets.filter((target) => !/^(\/dev\/null|&[12-9-])$/.test(target))).toEqual([]);
    },
  );
});

/** The targets of all output redirections outside quotes. */
function writesOf(script: string): string[] {
  const bare = script.replaceAll(/'[^']*'|\\[^]/g, "Q").replaceAll(/\$\(\([^]*?\)\)/g, "N");
  return [...bare.matchAll(/(?<![-=<$0-9a-zA-Z"{])[0-9]?>{1,2}\|?\s*(&?[^\s;)|&]+)/g)].map(([, target = ""]) => target);
}

test("the search for redirections finds every redirection", () => {
  expect(
    writesOf("echo a >/etc/motd; b 2>> $x; c >&2; d 2>/dev/null; [ 1 -gt 0 ]; awk '$1 > 2 { print > \"x\" }'"),
  ).toEqual(["/etc/motd", "$x", "&2", "/dev/null"]);
});

test("a key with several lines is refused", () => {
  for (const kind of kinds) expect(() => ask(kind, "/a\n/b")).toThrow("the name of a fact contains a line break");
});
