import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactly, factId, listFacts, literal, namesFact, wildcardIn } from "./fact.ts";

describe("fact patterns", () => {
  test.each([
    { patterns: ["unit:*"], id: "unit:nginx.service", named: true },
    { patterns: ["unit:*"], id: "unitx:nginx", named: false },
    { patterns: ["file:/etc/*"], id: "file:/etc/motd", named: true },
    { patterns: ["file:/etc/*"], id: "file:/etc/nginx/nginx.conf", named: false },
    { patterns: ["file:/etc/**"], id: "file:/etc/nginx/nginx.conf", named: true },
    { patterns: ["file:/etc/**"], id: "file:/etc", named: false },
    { patterns: ["file:/etc/**"], id: "file:/etcetera/x", named: false },
    { patterns: ["file:/a.b"], id: "file:/axb", named: false },
    { patterns: ["file:/a[1]+(x)"], id: "file:/a[1]+(x)", named: true },
    { patterns: ["file:**"], id: "file:/with\nnewline", named: true },
    { patterns: ["everything"], id: "unit:x", named: true },
    { patterns: ["everything", "!file:/keep"], id: "file:/keep", named: false },
    { patterns: ["!file:/keep", "everything"], id: "file:/keep", named: true },
    { patterns: ["file:/a/**", "!file:/a/b/**", "file:/a/b/c"], id: "file:/a/b/c", named: true },
    { patterns: [], id: "unit:x", named: false },
    { patterns: ["file:/a/[*]"], id: "file:/a/*", named: true },
    { patterns: ["file:/a/[*]"], id: "file:/a/b", named: false },
    { patterns: ["file:/a/[*].x/**"], id: "file:/a/*.x/b", named: true },
    { patterns: ["file:/a/[*].x/**"], id: "file:/a/b.x/b", named: false },
    { patterns: ["file:/a/[[*]]"], id: "file:/a/[*]", named: true },
  ])("$patterns names $id: $named", ({ patterns, id, named }) => {
    expect(namesFact(patterns, id)).toBe(named);
  });
});

const odd = fc
  .array(fc.constantFrom("*", "**", "!", "[", "]", "?", "{a,b}", "(", "|", ".", "\\", "$", "a", "/"), { maxLength: 8 })
  .map((parts) => `file:/${parts.join("")}`);

test("an id as a pattern matches only itself, no matter which characters it contains", () => {
  fc.assert(
    fc.property(odd, odd, (one, other) => {
      expect(namesFact([exactly(one)], other)).toBe(one === other);
      expect([namesFact([exactly(one)], one), literal(exactly(one)), wildcardIn(exactly(one))]).toEqual([
        true,
        one,
        -1,
      ]);
      expect(namesFact([`${exactly(one)}/**`], `${other}/x`)).toBe(`${other}/x`.startsWith(`${one}/`));
    }),
    { numRuns: 2000 },
  );
});

test("gives a thing the same id, regardless of facets", () => {
  expect(factId({ kind: "file", key: "/a", facets: ["text"] })).toBe("file:/a");
  expect(factId({ driver: "http", request: { url: "http://x" } })).toBe('http:{"url":"http://x"}');
});

test("flattens lists of facts, with the index of each fact", () => {
  const [a, b] = [
    { kind: "file", key: "/a", facets: [] },
    { kind: "file", key: "/b", facets: [] },
  ];
  expect(listFacts({ one: a, many: [a, b], none: [] })).toEqual([
    { name: "one", fact: a },
    { name: "many", index: 0, fact: a },
    { name: "many", index: 1, fact: b },
  ]);
});
