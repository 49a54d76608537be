import { expect, test } from "vitest";
import { withImplied } from "./implied.ts";
import { absent, knownAfterApply } from "./symbols.ts";

const implied = [{ of: "index:**", where: { owner: "a" }, parts: { old: true } }];

test.each([
  { value: { owner: "a", old: false }, sure: { owner: "a", old: true }, perhaps: { owner: "a", old: knownAfterApply } },
  { value: { owner: "a", old: true }, sure: { owner: "a", old: true }, perhaps: { owner: "a", old: true } },
  { value: { owner: "b", old: false }, sure: { owner: "b", old: false }, perhaps: { owner: "b", old: false } },
  {
    value: { owner: knownAfterApply, old: false },
    sure: { owner: knownAfterApply, old: knownAfterApply },
    perhaps: { owner: knownAfterApply, old: knownAfterApply },
  },
  { value: absent, sure: absent, perhaps: absent },
  { value: knownAfterApply, sure: knownAfterApply, perhaps: knownAfterApply },
])("returns the value that $value implies", ({ value, sure, perhaps }) => {
  expect(withImplied("index:host", value, implied)).toEqual(sure);
  expect(withImplied("index:host", value, implied, true)).toEqual(perhaps);
  expect(withImplied("other:host", value, implied)).toBe(value);
});
