import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./ec2-vpc.cases.ts";
import { ec2Vpc } from "./ec2-vpc.ts";
import { isWithin } from "./network-params.ts";

test("ec2Vpc meets the task contract and does what each case says", () => {
  expect(contractOf(ec2Vpc, cases, { folder: "ec2-vpc" })).toEqual([]);
});

test.each(["10.0.0.0/8", "10.0.0.0/29", "fd00::/20", "10.0.0.0", "lab"])("refuses the network %s", (cidr) => {
  expect(() => explain(ec2Vpc({ name: "lab", cidr }), {})).toThrow("cidr");
});

test.each([
  ["10.20.1.0/24", "10.20.0.0/16", true],
  ["10.20.0.0/16", "10.20.0.0/16", true],
  ["10.21.0.0/24", "10.20.0.0/16", false],
  ["10.20.0.0/16", "10.20.0.0/20", false],
])("%s is within %s: %s", (inner, outer, is) => {
  expect(isWithin(inner, outer)).toBe(is);
});
