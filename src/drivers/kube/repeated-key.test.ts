import { expect, test } from "vitest";
import { repeatedKey } from "./repeated-key.ts";

test.each([
  ['{"items":[1],"items":[]}', "items"],
  ['{"items":[1], "items" : []}', "items"],
  [String.raw`{"items":[1],"\u0069tems":[]}`, "items"],
  ['{"a":[{"b":{"c":1}},{"b":1,"x":{},"b":2}]}', "b"],
  [String.raw`{"a\\":"}","a\\":1}`, "a\\"],
])("%s has a key twice", (json, key) => {
  expect(repeatedKey(json)).toBe(key);
});

test.each([
  '{"a":{"b":1},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":["b","a"]}',
  String.raw`{"a":"{\"a\":1,\"a\":2}","b":"\\"}`,
  '{"a":1,"A":2}',
  '"a"',
  "null",
])("%s has no key twice", (json) => {
  expect(repeatedKey(json)).toBeUndefined();
});
