import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-volume.cases.ts";
import { ec2Volume } from "./ec2-volume.ts";

test("ec2Volume meets the task contract and does what each case says", () => {
  expect(contractOf(ec2Volume, cases, { folder: "ec2-volume" })).toEqual([]);
});
