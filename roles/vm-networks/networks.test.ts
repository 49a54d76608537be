import { expect, test } from "vitest";
import { faults } from "../../src/load/playbook/issues.ts";
import { bondModes } from "./bonds.ts";
import { vmNetworksSchema } from "./networks.ts";

const uplink = { nics: ["ens2", "ens3"] };
const vars = (clusterNetworks: unknown): unknown => ({ kubeconfig: "k", clusterNetworks });
const problem = (clusterNetworks: unknown): string | undefined => {
  const data = vars(clusterNetworks);
  const [fault] = faults(vmNetworksSchema, vmNetworksSchema.safeParse(data).error?.issues ?? [], data);
  return fault && `${fault.path}: ${fault.expected}`;
};

test.each([
  ["a network without interfaces", { vm: {} }, "clusterNetworks.vm.uplinks: at least one: without interfaces"],
  ["interfaces for mgmt", { mgmt: { uplinks: { a: uplink } } }, "clusterNetworks.mgmt.uplinks: nothing"],
  ["an MTU for mgmt", { mgmt: { mtu: 9000 } }, "clusterNetworks.mgmt.mtu: nothing"],
  ["a name that is too long for a bridge", { "virtual-machine": { uplinks: { a: uplink } } }, "at most 12"],
  ["an interface twice", { vm: { uplinks: { a: { nics: ["ens2", "ens2"] } } } }, "ens2 is given twice"],
  ["the loopback", { vm: { uplinks: { a: { nics: ["lo"] } } } }, "not the loopback"],
  ["Harvester's own bond", { vm: { uplinks: { a: { nics: ["mgmt-bo"] } } } }, "not one of Harvester's own"],
  ["Harvester's own bridge", { vm: { uplinks: { a: { nics: ["mgmt-br.10"] } } } }, "not one of Harvester's own"],
  ["no interface", { vm: { uplinks: { a: { nics: [] } } } }, "clusterNetworks.vm.uplinks.a.nics"],
  [
    "the misspelled bond mode of the original project",
    { vm: { uplinks: { a: { ...uplink, bond: "balance-oxr" } } } },
    ".a.bond",
  ],
  ["VLAN 4095", { vm: { uplinks: { a: uplink }, networks: { x: { vlan: 4095 } } } }, "a VLAN from 1 to 4094"],
  ["VLAN 0", { mgmt: { networks: { x: { vlan: 0 } } } }, "a VLAN from 1 to 4094, or untagged"],
  ["an MTU that is too small", { vm: { uplinks: { a: uplink }, mtu: 500 } }, "clusterNetworks.vm.mtu"],
  ["an unknown field", { vm: { uplinks: { a: uplink }, vlan: 30 } }, "clusterNetworks.vm"],
  [
    "the same config in two cluster networks",
    { vm: { uplinks: { a: uplink } }, lab: { uplinks: { a: { nics: ["ens4"] } } } },
    "the network config a is also in vm",
  ],
  [
    "the same network in two cluster networks",
    { mgmt: { networks: { x: { vlan: 1 } } }, vm: { uplinks: { a: uplink }, networks: { x: { vlan: 2 } } } },
    "the network default/x is also in mgmt",
  ],
])("refuses %s", (_what, clusterNetworks, says) => {
  expect(problem(clusterNetworks)).toContain(says);
});

test.each([
  [
    "a subnet of the cluster's pods",
    { range: "10.52.4.0/24" },
    "storageNetwork.range: a subnet that is not part of 10.52.0.0/16",
  ],
  [
    "an excluded part that is outside the range",
    { exclude: ["10.10.61.0/28"] },
    "storageNetwork.exclude: parts of 10.10.60.0/24",
  ],
  [
    "an address in a subnet",
    { range: "10.10.60.5/24" },
    "storageNetwork.range: a subnet that begins with its first address",
  ],
  [
    "a VLAN of the machines",
    { vlan: 30 },
    "storageNetwork.vlan: a VLAN that no other network uses; the network x for virtual machines uses it",
  ],
  ["no subnet", { range: "10.10.60.0" }, "storageNetwork.range: a subnet, like"],
  [
    "a cluster network that is not defined",
    { clusterNetwork: "fast" },
    "storageNetwork.clusterNetwork: one of mgmt, vm",
  ],
])("refuses a storage network with %s", (_what, more, says) => {
  const storageNetwork = { clusterNetwork: "vm", vlan: 60, range: "10.10.60.0/24", ...more };
  const result = vmNetworksSchema.safeParse({
    kubeconfig: "k",
    clusterNetworks: { vm: { uplinks: { a: uplink }, networks: { x: { vlan: 30 } } } },
    storageNetwork,
  });
  const [issue] = result.error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test.each(Object.keys(bondModes))("accepts the bond mode %s, and refuses a switch that does not fit it", (bond) => {
  const accepted = ["lacp", "static", "none"].filter(
    (side) => problem({ vm: { uplinks: { a: { ...uplink, bond, switch: side } } } }) === undefined,
  );
  expect(accepted).toEqual([bondModes[bond as keyof typeof bondModes]]);
});

test("says which modes fit the switch", () => {
  expect(problem({ vm: { uplinks: { a: { ...uplink, bond: "802.3ad", switch: "none" } } } })).toBe(
    "clusterNetworks.vm.uplinks.a.bond: one of active-backup, balance-tlb, balance-alb, because the switch has no link aggregation on these ports; 802.3ad needs LACP (IEEE 802.3ad) on these ports",
  );
});
