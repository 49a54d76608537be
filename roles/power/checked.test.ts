import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { checkRecorded, isRecordText, recordText } from "./checked.ts";

const since = "2026-01-01T00:00:00Z";
const path = "/etc/furrow-harvester/shutdown-checked";
const wanted = (record: unknown) =>
  explain(checkRecorded({ path, nodes: ["harvester-1"] }), { record, operator: { who: "me@here", since } });

test("a directory at the path of the record is refused, because the run could not write the record", () => {
  expect(wanted({ type: "directory" }).refusal).toMatchObject({
    code: "in-the-way",
    message: `${path} is a directory, so the check cannot be recorded`,
  });
  for (const record of [absent, { type: "file", text: "anything" }]) expect(wanted(record).refusal).toBeUndefined();
});

test("only the text of a record counts as a record", () => {
  expect(isRecordText(recordText(["n1"], since))).toBe(true);
  for (const text of ["", "{}", "[]", "null", '{"nodes":["n1"]}', `${recordText(["n1"], since)}x`, "#!/bin/sh"])
    expect(isRecordText(text)).toBe(false);
});
