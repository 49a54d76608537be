import { expect, test } from "vitest";
import { osLoginOf, osLoginWords } from "./metadata.ts";

const said = (metadata: Readonly<Record<string, string>>) =>
  osLoginWords({ items: Object.entries(metadata).map(([key, value]) => ({ key, value })) });

test.each([
  ["TRUE", true],
  ["true", true],
  ["1", true],
  ["FALSE", false],
  ["yes", undefined],
  ["", undefined],
])("reads enable-oslogin as the guest does: %j", (value, use) => {
  expect(said({ "enable-oslogin": value }).use).toBe(use);
});

test("reads metadata without items", () => {
  expect(osLoginWords(undefined)).toEqual({ use: undefined, secondFactor: undefined });
  expect(osLoginWords({ items: null })).toEqual({ use: undefined, secondFactor: undefined });
});

const on = said({ "enable-oslogin": "TRUE" });
const off = said({ "enable-oslogin": "FALSE" });
const silent = said({});
const strict = said({ "enable-oslogin": "TRUE", "enable-oslogin-2fa": "TRUE" });

test.each([
  ["the instance overrides the project", off, on, { use: "off", by: "instance" }],
  ["the instance overrides a project that cannot be read", on, { why: "403" }, { use: "on", by: "instance" }],
  ["the project decides if the instance sets nothing", silent, on, { use: "on", by: "project" }],
  ["nothing turns it on", silent, silent, { use: "off", by: "default" }],
  ["a project that cannot be read does not count as off", silent, { why: "403" }, { use: "unknown", why: "403" }],
  ["the second factor comes from the project", on, strict, { use: "on", secondFactor: true }],
])("%s", (_title, instance, project, result) => {
  expect(osLoginOf(instance, project)).toMatchObject(result);
});
