import { expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { explain } from "../../src/testing/index.ts";
import { answersOf, type Objects, soundCluster } from "../../test/guards/examples.ts";
import { networkStatusOf, vmNetworkOf } from "../../test/guards/network-examples.ts";
import { nodeVlans } from "./bridge-vlans.ts";

const notes = (vlans: object | symbol, cluster: Partial<Objects> = {}, more: object = {}): readonly string[] => {
  const host = { hostname: "harvester-1", ...more };
  return explain(nodeVlans({ kubeconfig: "k" }), { ...answersOf({ ...soundCluster, ...cluster }), vlans, host }).notes;
};

test("names each wanted VLAN that a node's bridge lacks, with its networks", () => {
  expect(notes({ "vm-bo": [1, 60, 99] })).toEqual([
    "harvester-1 lacks VLAN 30 on vm-bo; networks without a connection there: default/platform",
    "  next: the log of the pod harvester-network-controller on this node",
    "harvester-1 has VLAN 60 on vm-bo",
    "harvester-1 has VLANs on vm-bo that no network uses: 99",
  ]);
  expect(notes({ "vm-bo": [1, 30, 60] })).toEqual(["harvester-1 has VLAN 30, 60 on vm-bo"]);
});

test("says which node is not connected, and which lacks its bond", () => {
  expect(notes({}, { networkStatuses: [] })).toEqual(["harvester-1 is not connected to vm"]);
  expect(notes({})).toEqual(["harvester-1 lacks vm-bo, although Harvester reports vm as ready"]);
  expect(notes({}, { networkStatuses: [networkStatusOf("vm", "vm-all", "harvester-1", "no carrier")] })).toEqual([
    "harvester-1 lacks vm-bo",
  ]);
  expect(notes({ "vm-bo": [1] }, { vmNetworks: [vmNetworkOf("lab", "mgmt", 10)] })).toEqual([
    "harvester-1 lacks mgmt-bo",
  ]);
});

test("says what it cannot read", () => {
  expect(notes(absent)).toEqual(["unknown: the VLANs on harvester-1, because it does not have the bridge program"]);
});

test("refuses a host that is not a node, instead of reporting success without a check", () => {
  const ask = (vlans: object | symbol) =>
    explain(nodeVlans({ kubeconfig: "k" }), { ...answersOf(soundCluster), vlans, host: { hostname: "laptop" } });
  for (const vlans of [{}, absent])
    expect(ask(vlans).refusal).toMatchObject({
      code: "no-node",
      message: "laptop is not a node of this cluster",
      current: "harvester-1, harvester-2, harvester-3",
      hint: "Run this playbook with an inventory of the cluster's nodes",
    });
});
