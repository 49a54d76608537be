import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-address.cases.ts";
import { ec2Address } from "./ec2-address.ts";

test("ec2Address meets the task contract and does what each case says", () => {
  expect(contractOf(ec2Address, cases, { folder: "ec2-address" })).toEqual([]);
});
