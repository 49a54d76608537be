import { expect, test } from "vitest";
import { azureCanNest } from "./nesting.ts";

test.each([
  ["Standard_D16s_v5", true],
  ["Standard_D32ds_v5", true],
  ["Standard_E16_v4", true],
  ["Standard_F16s_v2", true],
  ["Standard_FX12mds", true],
  ["Standard_D16as_v4", false],
  ["Standard_D16ps_v5", false],
  ["Standard_D16s_v6", false],
  ["Standard_DC16s_v3", false],
  ["Standard_B4ms", false],
  ["Standard_NC6s_v3", false],
])("%s: %s", (size, can) => {
  expect(azureCanNest(size)).toBe(can);
});
