import { expect, test } from "vitest";
import { vmNetworksSchema } from "./networks.ts";
import { clusterNetworkObjects, networkConfigObjects, vmNetworkObject, wantedNetworks } from "./objects.ts";

test("the objects match Harvester's: a VLAN in each network's JSON, none in a cluster network, no object for mgmt", () => {
  const { clusterNetworks } = vmNetworksSchema.parse({
    kubeconfig: "k",
    clusterNetworks: {
      mgmt: { networks: { lab: { vlan: "untagged", namespace: "lab" } } },
      vm: {
        description: "Machines",
        mtu: 9000,
        uplinks: { "vm-a": { nodes: { rack: "1" }, nics: ["ens2"], bond: "balance-xor" } },
        networks: { platform: { vlan: 30 } },
      },
    },
  });
  expect(clusterNetworkObjects(clusterNetworks)).toEqual([
    {
      apiVersion: "network.harvesterhci.io/v1beta1",
      kind: "ClusterNetwork",
      metadata: { name: "vm", annotations: { "field.cattle.io/description": "Machines" } },
    },
  ]);
  expect(networkConfigObjects(clusterNetworks)).toEqual([
    {
      apiVersion: "network.harvesterhci.io/v1beta1",
      kind: "VlanConfig",
      metadata: { name: "vm-a" },
      spec: {
        clusterNetwork: "vm",
        nodeSelector: { rack: "1" },
        uplink: { nics: ["ens2"], bondOptions: { mode: "balance-xor" }, linkAttributes: { mtu: 9000 } },
      },
    },
  ]);
  const wanted = wantedNetworks(clusterNetworks);
  const networks = wanted.map((one) => vmNetworkObject(one, one.config));
  expect(networks.map(({ metadata }) => metadata)).toEqual([
    {
      name: "lab",
      namespace: "lab",
      labels: {
        "network.harvesterhci.io/clusternetwork": "mgmt",
        "network.harvesterhci.io/type": "UntaggedNetwork",
      },
    },
    {
      name: "platform",
      namespace: "default",
      labels: {
        "network.harvesterhci.io/clusternetwork": "vm",
        "network.harvesterhci.io/type": "L2VlanNetwork",
        "network.harvesterhci.io/vlan-id": "30",
      },
    },
  ]);
  expect(networks.map(({ spec }) => spec.config)).toEqual(wanted.map(({ config }) => config));
  expect(wanted.map(({ config }) => JSON.parse(config) as unknown)).toMatchObject([
    { type: "bridge", bridge: "mgmt-br", vlan: 0 },
    { type: "bridge", bridge: "vm-br", vlan: 30, mtu: 9000 },
  ]);
});
