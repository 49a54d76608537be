import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-key-pair.cases.ts";
import { ec2KeyPair } from "./ec2-key-pair.ts";

test("ec2KeyPair meets the task contract and does what each case says", () => {
  expect(contractOf(ec2KeyPair, cases, { folder: "ec2-key-pair" })).toEqual([]);
});
