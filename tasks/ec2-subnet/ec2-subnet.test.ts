import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-subnet.cases.ts";
import { ec2Subnet } from "./ec2-subnet.ts";

test("ec2Subnet meets the task contract and does what each case says", () => {
  expect(contractOf(ec2Subnet, cases, { folder: "ec2-subnet" })).toEqual([]);
});
