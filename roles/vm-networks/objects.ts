import type {
  ClusterNetwork,
  Given,
  NetworkAttachmentDefinition,
  Text,
  VlanConfig,
} from "../../src/kubernetes/index.ts";
import type { WantedNetwork } from "./live-config.ts";
import { managementNetwork, type VmNetworks } from "./networks.ts";

/** Harvester's group of network objects, with its version (manifests/crds of its network controller). */
const apiVersion = "network.harvesterhci.io/v1beta1";

type ClusterNetworks = VmNetworks["clusterNetworks"];

/** The objects of the cluster networks, except the one that Harvester makes itself. */
export function clusterNetworkObjects(all: ClusterNetworks) {
  return own(all).map(
    ([name, { description }]) =>
      ({
        apiVersion,
        kind: "ClusterNetwork",
        metadata: {
          name,
          ...(description !== undefined && { annotations: { "field.cattle.io/description": description } }),
        },
      }) satisfies ClusterNetwork,
  );
}

/** The objects of the network configs. */
export function networkConfigObjects(all: ClusterNetworks) {
  return own(all).flatMap(([clusterNetwork, { uplinks, mtu }]) =>
    Object.entries(uplinks).map(
      ([name, { nodes, nics, bond }]) =>
        ({
          apiVersion,
          kind: "VlanConfig",
          metadata: { name },
          spec: {
            clusterNetwork,
            ...(Object.keys(nodes).length > 0 && { nodeSelector: nodes }),
            uplink: { nics, bondOptions: { mode: bond }, linkAttributes: { mtu } },
          },
        }) satisfies VlanConfig,
    ),
  );
}

/**
 * The networks for virtual machines. Their config is a JSON string, as the `bridge` CNI plug-in reads it
 * (cni.dev/plugins/current/main/bridge); VLAN 0 means untagged.
 */
export function wantedNetworks(all: ClusterNetworks): WantedNetwork[] {
  return Object.entries(all).flatMap(([clusterNetwork, { networks, mtu }]) =>
    Object.entries(networks).map(([name, { vlan, namespace }]) => ({
      name,
      namespace,
      clusterNetwork,
      labels: {
        "network.harvesterhci.io/clusternetwork": clusterNetwork,
        ...(vlan === "untagged"
          ? { "network.harvesterhci.io/type": "UntaggedNetwork" }
          : {
              "network.harvesterhci.io/type": "L2VlanNetwork",
              "network.harvesterhci.io/vlan-id": String(vlan),
            }),
      },
      config: JSON.stringify({
        cniVersion: "0.3.1",
        name,
        type: "bridge",
        bridge: `${clusterNetwork}-br`,
        promiscMode: true,
        vlan: vlan === "untagged" ? 0 : vlan,
        ipam: {},
        // Harvester adds the MTU if it is not the default one.
        ...(mtu !== 1500 && { mtu }),
      }),
    })),
  );
}

/** The NetworkAttachmentDefinition of a network for virtual machines, with this config. */
export function vmNetworkObject({ name, namespace, labels }: WantedNetwork, config: Text) {
  return {
    apiVersion: "k8s.cni.cncf.io/v1",
    kind: "NetworkAttachmentDefinition",
    metadata: { name, namespace, labels },
    spec: { config },
  } satisfies Given<NetworkAttachmentDefinition>;
}

function own(all: ClusterNetworks): [string, ClusterNetworks[string]][] {
  return Object.entries(all).filter(([name]) => name !== managementNetwork);
}
