import { expect, test } from "vitest";
import { absent } from "../core/facts/symbols.ts";
import { secretOf } from "../core/secrets/secret.ts";
import { type FieldReport, parseReport, reportText } from "./format.ts";
import { fromData, toData } from "./values.ts";

const report: FieldReport = {
  fieldReport: 1,
  furrow: "0.1.0",
  subject: "harvester",
  origin: { how: "recorded" },
  host: { name: "host", address: "203.0.113.1", groups: [] },
  vars: {},
  leftOut: [],
  facts: { "package:nginx": { present: false, version: { symbol: "absent" } } },
  answers: {},
  unread: {},
};

test("a report is the same after being written and read", () => {
  expect(parseReport(reportText(report), "x.json")).toEqual(report);
});

test.each([
  ["text that is not JSON", "{", "JSON"],
  ["another version", JSON.stringify({ ...report, fieldReport: 2 }), "fieldReport: "],
  ["a missing part", JSON.stringify({ ...report, facts: undefined }), "facts: "],
  ["a field that another tool added", JSON.stringify({ ...report, more: 1 }), 'Unrecognized key: "more"'],
  ["a subject that points outside playbooks/", JSON.stringify({ ...report, subject: "../x" }), "subject: "],
  ["something that is not a fact id", JSON.stringify({ ...report, facts: { "no id": 1 } }), "facts"],
])("refuses %s", (_what, text, says) => {
  const failure: unknown = expect.objectContaining({
    what: "x.json is not a field report that this version of furrow can read",
    current: expect.stringContaining(says) as string,
  });
  expect(() => parseReport(text, "x.json")).toThrow(expect.objectContaining({ code: "E_FILE", failure }));
});

test("absent survives writing and reading, and a secret does not", () => {
  const data = toData({ a: absent, b: [secretOf("hunter2", "x")], c: undefined, d: 1n });
  expect(data).toEqual({ a: { symbol: "absent" }, b: [{ symbol: "secret" }], d: { symbol: "unknown" } });
  expect(fromData(data, "any")).toEqual({ a: absent, b: ["any"], d: undefined });
});
