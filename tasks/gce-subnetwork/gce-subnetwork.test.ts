import { expect, test } from "vitest";
import { contractOf, explain } from "../../src/testing/index.ts";
import { cases } from "./gce-subnetwork.cases.ts";
import { gceSubnetwork } from "./gce-subnetwork.ts";
import { overlaps } from "./range.ts";

test("gceSubnetwork meets the task contract and does what each case says", () => {
  expect(contractOf(gceSubnetwork, cases, { folder: "gce-subnetwork" })).toEqual([]);
});

test.each([
  ["10.20.0.0", "an IPv4 range"],
  ["fd00::/20", "an IPv4 range"],
  ["10.20.0.0/30", "a prefix from 4 to 29"],
  ["10.20.0.5/20", 'the first address of the range, "10.20.0.0/20"'],
  ["127.0.0.0/24", "does not overlap 127.0.0.0/8"],
  ["224.0.0.0/24", "does not overlap 224.0.0.0/4"],
  ["199.36.153.0/24", "does not overlap 199.36.153.4/30"],
])("refuses the range %s before any call", (cidr, message) => {
  const params = { name: "lab", project: "project-1", region: "europe-west3", network: "lab", cidr };
  const failure = expect.objectContaining({ expected: expect.stringContaining(message) as string }) as object;
  expect(() => explain(gceSubnetwork(params), {})).toThrow(expect.objectContaining({ failure }));
});

test.each([
  ["10.20.0.0/20", "10.20.16.0/20", false],
  ["10.20.0.0/20", "10.20.8.0/24", true],
  ["10.20.8.0/24", "10.20.0.0/20", true],
  ["10.20.0.0/20", "10.20.0.0/20", true],
])("%s overlaps %s: %s", (one, other, is) => {
  expect(overlaps(one, other)).toBe(is);
});
