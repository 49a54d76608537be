import * as fc from "fast-check";
import { expect, it } from "vitest";
import { exactly, namesFact } from "./fact.ts";
import { PatternIndex } from "./pattern-index.ts";

const id = fc
  .tuple(fc.constantFrom("file", "tree"), fc.array(fc.constantFrom("a", "b", "*", "[*]"), { maxLength: 3 }))
  .map(([kind, parts]) => `${kind}:/${parts.join("/")}`);
const pattern = fc.oneof(
  id,
  id.map(exactly),
  id.map((one) => `${exactly(one)}/**`),
  id.map((one) => `${one}/**`),
  id.map((one) => `${one}*`),
  id.map((one) => `!${one}`),
  fc.constantFrom("everything", "file:**", "*:/a", "!file:**"),
);
const additions = fc.array(fc.array(pattern, { maxLength: 3 }), { maxLength: 12 });

it("finds the same patterns as a full search, in the same order", () => {
  fc.assert(
    fc.property(additions, id, fc.nat(12), (lists, wanted, since) => {
      const index = new PatternIndex<number>();
      lists.forEach((patterns, at) => index.add(at + 1, patterns, at + 1));
      const walked = lists.flatMap((patterns, at) => (at + 1 > since && namesFact(patterns, wanted) ? [at + 1] : []));
      expect(index.all(wanted, since)).toEqual(walked);
      expect(index.first(wanted, since)).toBe(walked[0]);
      expect(index.first(wanted, since, (value) => value % 2 === 0)).toBe(walked.find((value) => value % 2 === 0));
      expect(index.names(wanted, since)).toBe(walked.length > 0);
    }),
    { numRuns: 2000 },
  );
});

it("forgets everything when it is cleared", () => {
  const index = new PatternIndex<string>();
  index.add(1, ["file:/a", "tree:**"], "x");
  index.clear();
  expect([index.names("file:/a", 0), index.names("tree:/a", 0)]).toEqual([false, false]);
});
