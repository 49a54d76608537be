import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./timezone.cases.ts";
import { timezone } from "./timezone.ts";

test("timezone meets the task contract and does what each case says", () => {
  expect(contractOf(timezone, cases, { folder: "timezone" })).toEqual([]);
});

test.each(["", "Europe/", "/Europe/Berlin", "../../etc/passwd", "Europe Berlin", "Europe/../UTC", "."])(
  "timezone refuses the name %j",
  (name) => {
    expect(() => explain(timezone({ name }), {})).toThrow('param "name"');
  },
);

test("timezone suggests the zone that was probably meant if the host has no zone with the given name", () => {
  const now = { zone: absent, local: absent, saved: absent };
  const hintOf = (name: string) => explain(timezone({ name }), now).refusal?.hint;
  expect(hintOf("europe/berln")).toBe('Write name: "Europe/Berlin"');
  expect(hintOf("Europe/Berlin")).toContain("install the tzdata package");
});
