import { role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { type ClusterNode, clusterNodes, consoleLog, imageAt } from "../cluster/nodes.ts";
import { nodeReady } from "../cluster-ready/role.ts";
import { fingerprint } from "../identity/role.ts";

/** The params of `libvirtDomain` for a node. */
interface NodeDomain {
  readonly name: string;
  readonly type: "kvm" | "qemu";
  readonly firmware: "bios" | "uefi";
  readonly memoryMiB: number;
  readonly vcpus: number;
  readonly disks: {
    readonly file: string;
    readonly size: string;
    readonly bus?: "scsi";
    readonly wwn?: string;
    readonly attachedLater?: boolean;
  }[];
  readonly interfaces: { readonly mac: string; readonly network: string }[];
  readonly bootOrder: ("hd" | "network")[];
  readonly onReboot: "restart";
  readonly serialLog: string;
  readonly vnc: { readonly port: number };
}

/**
 * Keeps the nodes defined and running, and starts them one after another: the first node must answer before any other
 * starts, because it creates the cluster that the others join.
 */
export const harvesterNodes = role(
  {
    name: "nodes",
    summary: "Define and start the nested nodes one by one, each after the previous one has joined the cluster",
    params: z.strictObject({ cluster: z.custom<Cluster>(), publicAddress: z.string() }),
  },
  ({ cluster, publicAddress }) => [
    clusterNodes(cluster).map((node) => [
      nodeDomain(cluster, node),
      nodeReady(cluster, node),
      fingerprint({ cluster, node, publicAddress }),
    ]),
  ],
);

/**
 * Returns the task that manages a node's virtual machine. `attachesLater`: a later task attaches the extra disks to the
 * running machine.
 */
export function nodeDomain(
  cluster: Cluster,
  node: ClusterNode,
  attachesLater = false,
): ReturnType<typeof t.libvirtDomain> {
  return t.libvirtDomain(domainParams(cluster, node, attachesLater));
}

function domainParams(cluster: Cluster, node: ClusterNode, attachedLater: boolean): NodeDomain {
  return {
    name: node.name,
    type: cluster.emulation === "kvm" ? "kvm" : "qemu",
    firmware: cluster.firmware,
    memoryMiB: node.memoryMiB,
    vcpus: node.processors,
    disks: [
      { file: imageAt(node), size: `${node.diskGiB}G` },
      ...node.extraDisks.map((disk) => ({
        file: imageAt(disk),
        size: `${disk.sizeGiB}G`,
        bus: "scsi" as const,
        wwn: disk.wwn,
        attachedLater,
      })),
    ],
    interfaces: [{ mac: node.mac, network: cluster.network.name }],
    // An empty disk does not boot, so a new node boots from the network. An installed node boots from its disk.
    bootOrder: ["hd", "network"],
    // After the installation, the installer reboots into the installed system.
    onReboot: "restart",
    serialLog: consoleLog(node),
    vnc: { port: 5900 + node.index },
  };
}
