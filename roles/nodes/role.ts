import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { type Cluster, type ClusterNode, clusterNodes } from "../cluster/cluster.ts";

/** Keeps the nodes defined and running: each with its own disk, its fixed MAC address, and its console in a file. */
export const nodes = role(
  {
    name: "nodes",
    summary: "Define and start the nested nodes; an installed node boots from its disk, a new one from the network",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => clusterNodes(cluster).map((node) => nodeDomain(cluster, node)),
);

function nodeDomain(cluster: Cluster, node: ClusterNode): ReturnType<typeof t.libvirtDomain> {
  return t.libvirtDomain({
    name: node.name,
    type: cluster.emulation === "kvm" ? "kvm" : "qemu",
    firmware: cluster.firmware,
    memoryMiB: node.memoryMiB,
    vcpus: node.processors,
    disks: [{ file: `${node.mountPoint}/harvester-data.qcow2`, size: `${node.diskGiB}G` }],
    interfaces: [{ mac: node.mac, network: cluster.network.name }],
    // An empty disk does not boot, so that a new node comes to the network and an installed one never does.
    bootOrder: ["hd", "network"],
    serialLog: `/var/log/libvirt/qemu/${node.name}-serial.log`,
    vnc: { port: 5900 + node.index },
  });
}
