import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./azure-network.cases.ts";
import { azureNetwork } from "./azure-network.ts";

test("azureNetwork meets the task contract and does what each case says", () => {
  expect(contractOf(azureNetwork, cases, { folder: "azure-network" })).toEqual([]);
});
