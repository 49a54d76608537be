import * as fc from "fast-check";
import { expect, it } from "vitest";
import { repeatedJsonKey } from "./repeated-json-key.ts";

it("finds a key that occurs twice in one object, and both of its places", () => {
  expect(repeatedJsonKey('{"a": 1,\n  "b": {"a": 2, "c": [{"a": 1}, {"a": 2}]},\n "b" : 3}')).toEqual({
    name: "b",
    line: 3,
    column: 2,
    before: 2,
  });
});

it("compares names after decoding their escapes", () => {
  expect(repeatedJsonKey(String.raw`{"ab": 1, "\u0061b": 2}`)).toMatchObject({ name: "ab", column: 11 });
});

it("does not mistake text inside strings for structure", () => {
  expect(repeatedJsonKey(String.raw`{"a": "\"a\": {", "b": "a:", "c\\": ["a", "a"], "__proto__": {}}`)).toBeUndefined();
});

it("finds nothing in the output of JSON.stringify, but finds every key that is written twice", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, name) => {
      const text = JSON.stringify(value, undefined, 1);
      expect(repeatedJsonKey(text)).toBeUndefined();
      const key = JSON.stringify(name);
      expect(repeatedJsonKey(`[${text},\n{${key}: ${text}, ${key}: 1}]`)).toMatchObject({ name });
    }),
  );
});

it("reads strings of several megabytes, whatever they contain", () => {
  const text = JSON.stringify({ a: "\\".repeat(1_000_001), b: '"'.repeat(1_000_000) });
  expect(repeatedJsonKey(text)).toBeUndefined();
  expect(repeatedJsonKey(text.replace("}", ', "a": 1}'))).toMatchObject({ name: "a" });
});
