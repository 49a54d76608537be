import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./digital-ocean-ssh-key.cases.ts";
import { digitalOceanSshKey } from "./digital-ocean-ssh-key.ts";

test("digitalOceanSshKey meets the task contract and does what each case says", () => {
  expect(contractOf(digitalOceanSshKey, cases, { folder: "digital-ocean-ssh-key" })).toEqual([]);
});
