import { describe, expect, test } from "vitest";
import { factId, listFacts, namesFact } from "./fact.ts";

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
  ])("$patterns names $id: $named", ({ patterns, id, named }) => {
    expect(namesFact(patterns, id)).toBe(named);
  });
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
