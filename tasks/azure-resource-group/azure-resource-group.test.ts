import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./azure-resource-group.cases.ts";
import { azureResourceGroup } from "./azure-resource-group.ts";

test("azureResourceGroup meets the task contract and does what each case says", () => {
  expect(contractOf(azureResourceGroup, cases, { folder: "azure-resource-group" })).toEqual([]);
});
