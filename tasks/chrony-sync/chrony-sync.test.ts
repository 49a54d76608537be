import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./chrony-sync.cases.ts";
import { chronySync } from "./chrony-sync.ts";
import { tracking, trackingKind } from "./tracking.ts";

test("chronySync meets the task contract and does what each case says", () => {
  expect(contractOf(chronySync, cases, { folder: "chrony-sync" })).toEqual([]);
});

const fields = "7F000001,127.0.0.1,6,1795890000.1,-0.000012,0.1,0.2,-3.1,0.0,0.1,0.001,0.002,1.0,Normal";

test("chronyc's report is parsed, and a report in another format is an error", () => {
  const read = (lines: Readonly<Record<string, string>>) => trackingKind.parse(lines, tracking());
  expect(read({ line: fields })).toEqual({ synchronized: true, source: "127.0.0.1", offset: -0.000_012, problem: "" });
  expect(read({ line: fields.replace("Normal", "Not synchronised") })).toMatchObject({
    synchronized: false,
    source: "",
  });
  expect(read({ line: fields.replace(",6,", ",0,") })).toMatchObject({ synchronized: false });
  expect(read({ line: fields.replace("7F000001", "7F7F0101") })).toMatchObject({
    synchronized: false,
    problem: "it follows this host's own clock, because of its directive `local`",
  });
  expect(read({ problem: "506 Cannot talk to daemon " })).toMatchObject({ problem: "506 Cannot talk to daemon" });
  expect(() => read({ line: "a,b" })).toThrow("chronyc tracking");
});
