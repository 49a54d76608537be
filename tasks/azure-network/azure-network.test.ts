import { expect, test } from "vitest";
import { contractOf } from "../../src/testing/index.ts";
import { cases } from "./azure-network.cases.ts";
import { azureNetwork } from "./azure-network.ts";

test("azureNetwork meets the task contract and does what each case says", () => {
  expect(contractOf(azureNetwork, cases, { folder: "azure-network" })).toEqual([]);
});

const rule = { allow: ["tcp:22"], from: ["192.0.2.7/32"] };

test.each([
  ["cidr", { cidr: "10.20.0.1/16" }, /without host bits/],
  ["cidr", { cidr: "10.20.0.0/30", subnetCidr: "10.20.0.0/30" }, /from \/2 to \/29/],
  ["subnetCidr", { subnetCidr: "10.20.0.0/30" }, /from \/2 to \/29/],
  ["ports that do not exist", { inbound: [{ ...rule, allow: ["tcp:99999"] }] }, /ports up to 65535/],
  ["ports in the wrong order", { inbound: [{ ...rule, allow: ["tcp:90-80"] }] }, /the lower one first/],
  ["a source with host bits", { inbound: [{ ...rule, from: ["192.0.2.7/24"] }] }, /without host bits/],
  ["a reserved tag", { tags: { "Microsoft-x": "1" } }, /does not begin with furrow, microsoft/],
  ["furrow's own tag", { tags: { Furrow: "x" } }, /does not begin with furrow/],
  ["tags that differ only in case", { tags: { cost: "1", Cost: "2" } }, /differ in more than case/],
])("refuses params that Azure would refuse: %s %j", (_, params, message) => {
  expect(refusalOf({ name: "lab", group: "lab", ...params })).toMatch(message);
});

function refusalOf(params: Parameters<typeof azureNetwork>[0]): string {
  const { error } = azureNetwork.card.params.safeParse(params);
  return error?.issues.map((issue) => JSON.stringify(issue)).join("; ") ?? "";
}
