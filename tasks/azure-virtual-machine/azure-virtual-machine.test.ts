import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { params } from "./params.ts";
import { params as given } from "./facts.cases.ts";
import { cases } from "./azure-virtual-machine.cases.ts";
import { azureVirtualMachine } from "./azure-virtual-machine.ts";

test("azureVirtualMachine meets the task contract and does what each case says", () => {
  expect(contractOf(azureVirtualMachine, cases, { folder: "azure-virtual-machine" })).toEqual([]);
});

test("a disk that is named twice is refused before anything is read", () => {
  const { error } = params.safeParse({ ...given, dataDisks: ["data", "Data"] });
  expect(error?.issues).toMatchObject([{ path: ["dataDisks"], message: "each disk once" }]);
});
