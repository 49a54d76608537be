import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./digital-ocean-volume.cases.ts";
import { digitalOceanVolume } from "./digital-ocean-volume.ts";

test("digitalOceanVolume meets the task contract and does what each case says", () => {
  expect(contractOf(digitalOceanVolume, cases, { folder: "digital-ocean-volume" })).toEqual([]);
});
