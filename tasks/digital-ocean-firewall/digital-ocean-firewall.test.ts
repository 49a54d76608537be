import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./digital-ocean-firewall.cases.ts";
import { digitalOceanFirewall } from "./digital-ocean-firewall.ts";

test("digitalOceanFirewall meets the task contract and does what each case says", () => {
  expect(contractOf(digitalOceanFirewall, cases, { folder: "digital-ocean-firewall" })).toEqual([]);
});
