import * as fc from "fast-check";
import { stringify } from "yaml";
import { expect, test } from "vitest";
import { yamlValues } from "./yaml-text.ts";

/** False for -0 and for integers that JSON cannot represent exactly: they are read as a different number or refused. */
const isRead = (number: number): boolean =>
  !Object.is(number, -0) && (!Number.isInteger(number) || Number.isSafeInteger(number));

/** Strings that would mean something else if they were written without quotes or on several lines. */
const odd = [
  "yes",
  "0644",
  "~",
  "a: b",
  "- x",
  "#c",
  "a #b",
  "*x",
  "&y",
  "!z",
  "1e3",
  "",
  " a ",
  "a\nb\n",
  "\ta",
  "<<",
];
/**
 * False for strings that consist of blanks, which the package yaml loses if it writes them as a block. Also false for
 * numbers such as 0X1, which that package treats as strings, unlike Go.
 */
const isWritable = (one: string): boolean => one === "" || (one.trim() !== "" && !/^[-+]?0[Xo]/.test(one));
const text = fc.oneof(
  fc.constantFrom(...odd, "---", "...", "it's", '"', "|", "=", "12:30", "é😀"),
  fc.string().filter(isWritable),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isRead),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => !["__proto__", "<<"].includes(key)),
      tie("value"),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
}));
const style = fc.record({
  lineWidth: fc.constantFrom(0, 20, 80),
  defaultStringType: fc.constantFrom("PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED"),
  collectionStyle: fc.constantFrom("any", "block", "flow"),
});

test("values that another program writes as YAML, in any style, are read back unchanged", () => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), style, (values, own) => {
      const objects = values.map((one) => ({ of: one }));
      const manifest = objects.map((one) => stringify(one, { ...own, version: "1.1" })).join("---\n");
      expect(yamlValues(manifest, "the text").map((one) => one.value)).toEqual(objects);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ["a comment, and an empty document", "# a\n---\n---\n# b\nof: 1\n", "line 5 (document 2)"],
  ["a directive", "%YAML 1.1\n---\nof: 1\n", "line 3 (document 1)"],
  ["the end of a document", "a: 1\n...\n# b\n---\nof: 1\n", "line 5 (document 2)"],
  ["an anchor", "a: 1\n---\n&x\nof: 1\n", "line 3 (document 2)"],
])("the place of a document is the line of its content, even after %s", (_what, manifest, place) => {
  expect(yamlValues(manifest, "shop.yaml").at(-1)?.place).toBe(`shop.yaml, ${place}`);
});

test("the place of an item is its own line, and that of an empty item is the document's line", () => {
  const [list] = yamlValues(
    "kind: List\nnested: { items: [1] }\nitems:\n- a: [1, 2]\n- &x\n  b: {}\n-\n- *x\n",
    "text",
  );
  expect([0, 1, 2, 3].map((item) => list?.itemPlace(item))).toEqual(
    [4, 5, 1, 8].map((line) => `text, line ${line} (document 1)`),
  );
});

test.each([
  ["a key that is null", "a: 1\n---\n~: 1\n", "text, line 3 (document 2): a key is not a string"],
  ["a template", "a: 1\nb: { c: [2] }\nd:\n  - e: {{ f }}\n", "text, line 4 (document 1): a key is not a string"],
  ["a template as a key", "a: 1\n---\nb:\n  {{ c }}: 1\n", "text, line 4 (document 2): a key is not a string"],
  ["a key that is a list", "a: 1\nb:\n  ? [1]\n  : 2\n", "text, line 3 (document 1): a key is not a string"],
  [
    "the key __proto__",
    "a:\n  __proto__: 1\n",
    "text, line 2 (document 1): a key is __proto__, which furrow cannot send",
  ],
  ["a list that contains itself", "of: &a [*a]\n", "text: mappings or lists are nested too deeply"],
  ["too many levels", `of: ${"[".repeat(2000)}${"]".repeat(2000)}\n`, "nested too deeply"],
])("a text is refused: %s", (_what, manifest, says) => {
  expect(() => yamlValues(manifest, "text")).toThrow(says);
});

test("a byte order mark before any document is left out", () => {
  const manifest = "\uFEFFof: 1\n--- # two\n\uFEFFof: 2\n...\n---\r\n\uFEFFof: 3\r\n";
  expect(yamlValues(manifest, "text").map(({ value, place }) => [value, place])).toEqual([
    [{ of: 1 }, "text, line 1 (document 1)"],
    [{ of: 2 }, "text, line 3 (document 2)"],
    [{ of: 3 }, "text, line 6 (document 3)"],
  ]);
});
