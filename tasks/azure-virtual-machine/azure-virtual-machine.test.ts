import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./azure-virtual-machine.cases.ts";
import { azureVirtualMachine } from "./azure-virtual-machine.ts";

test("azureVirtualMachine meets the task contract and does what each case says", () => {
  expect(contractOf(azureVirtualMachine, cases, { folder: "azure-virtual-machine" })).toEqual([]);
});
