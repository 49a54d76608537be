import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-security-group.cases.ts";
import { ec2SecurityGroup } from "./ec2-security-group.ts";

test("ec2SecurityGroup meets the task contract and does what each case says", () => {
  expect(contractOf(ec2SecurityGroup, cases, { folder: "ec2-security-group" })).toEqual([]);
});
