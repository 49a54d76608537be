import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./ec2-instance.cases.ts";
import { ec2Instance } from "./ec2-instance.ts";

test("ec2Instance meets the task contract and does what each case says", () => {
  expect(contractOf(ec2Instance, cases, { folder: "ec2-instance" })).toEqual([]);
});

const refusalOf = (title: string): string => {
  const { call, now } = cases.find((one) => one.title === title) ?? never();
  return JSON.stringify(explain(call, now));
};

test("refuses a change that needs a new instance, and names what would be lost", () => {
  const said = refusalOf("a disk that is too large, and a missing disk");
  expect(said).toContain("its disk /dev/sda1 has 80 GiB, and disks never shrink");
  expect(said).toContain("which loses disk /dev/sda1 (vol-1, 80 GiB)");
});

test("refuses a type without nested virtualization, and lists types that support it", () => {
  expect(refusalOf("a type without nested virtualization")).toContain("c8i.2xlarge, m8i.4xlarge");
});

test.each([{ name: "web" }, { name: "web", type: "m8i.4xlarge" }])("requires a type and an image: %o", (params) => {
  expect(() => explain(ec2Instance(params), {})).toThrow("type");
});

function never(): never {
  throw new Error("there is such a case");
}
