import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./azure-disk.cases.ts";
import { azureDisk } from "./azure-disk.ts";

test("azureDisk meets the task contract and does what each case says", () => {
  expect(contractOf(azureDisk, cases, { folder: "azure-disk" })).toEqual([]);
});
