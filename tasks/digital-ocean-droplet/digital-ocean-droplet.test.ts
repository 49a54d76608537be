import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./digital-ocean-droplet.cases.ts";
import { digitalOceanDroplet } from "./digital-ocean-droplet.ts";

test("digitalOceanDroplet meets the task contract and does what each case says", () => {
  expect(contractOf(digitalOceanDroplet, cases, { folder: "digital-ocean-droplet" })).toEqual([]);
});
