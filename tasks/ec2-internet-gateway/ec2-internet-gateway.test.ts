import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./ec2-internet-gateway.cases.ts";
import { ec2InternetGateway } from "./ec2-internet-gateway.ts";

test("ec2InternetGateway meets the task contract and does what each case says", () => {
  expect(contractOf(ec2InternetGateway, cases, { folder: "ec2-internet-gateway" })).toEqual([]);
});
