import { type HostFacts, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { clusterNodes, nodeSize } from "../cluster/cluster.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { counted } from "../cluster/count.ts";
import { missingDisks } from "../cluster/enough-disks.ts";
import { exposureUnit } from "../exposure/role.ts";
import { knownFamily } from "../host-packages/families.ts";
import { formerExposure } from "../original-scripts/left.ts";
import { disksThere } from "./disks-there.ts";
import { distributionChecks } from "./distribution-checks.ts";
import { forwardingAllowed } from "./forwarding-allowed.ts";
import { noSurplus } from "./no-surplus.ts";
import { portsFree } from "./ports-free.ts";
import { sameMachines } from "./same-machines.ts";
import { isInside, subnetAround, toAddress } from "../cluster/ipv4.ts";

/** The memory reserved for the host itself, in MiB. */
const hostReserveMiB = 4096;

/** Reports what would make the deployment fail, before anything is changed: size, virtualization, network and disks. */
export const preflight = role(
  {
    name: "preflight",
    summary: "Check that the host can run the cluster, before anything is changed",
    params: z.strictObject({
      cluster: z.custom<Cluster>(),
      facts: z.custom<HostFacts>(),
      login: z.string().optional().describe("Address of the host through which furrow will log in to the nodes"),
    }),
  },
  ({ cluster, facts, login }) => [
    t.assert(
      {
        that: [
          ...sizeChecks(cluster, facts),
          ...virtualizationChecks(cluster, facts),
          ...networkChecks(cluster, facts),
          ...diskChecks(cluster),
          ...portChecks(cluster),
        ],
      },
      { name: `the host can run ${carried(cluster)}` },
    ),
    distributionChecks(cluster, facts),
    noSurplus({
      prefix: cluster.prefix,
      names: clusterNodes(cluster).map(({ name }) => name),
      removed: cluster.removedNodes.length > 0,
    }),
    sameMachines({ nodes: clusterNodes(cluster).map(({ name, mac }) => ({ name, mac })) }),
    disksThere({ devices: neededDisks(cluster), deadlineSeconds: cluster.diskDeadlineSeconds }),
    cluster.exposure !== false &&
      portsFree({
        ports: cluster.exposure.ports.map((port) => ({ port, unit: exposureUnit(port) })),
        former: formerExposure,
      }),
    // The address `localhost` means the local transport, which needs no sshd.
    login !== undefined &&
      login !== "localhost" &&
      cluster.kubeconfig !== false &&
      cluster.ready !== false &&
      forwardingAllowed({}),
  ],
);

/** Describes the cluster in a few words, including a note if five nodes had to be small. */
export function carried(cluster: Cluster): string {
  const { size } = cluster;
  const nodes = clusterNodes(cluster).length;
  const { processors, memoryMiB } = nodeSize(cluster);
  const each = nodes === 1 ? "" : " each";
  const count = `${counted(nodes, "node")} with ${counted(processors, "processor")} and ${memoryMiB} MiB${each}`;
  return cluster.nodes === 5 && size === "medium" ? `${count} (five nodes are always small, not medium)` : count;
}

/** A condition that must hold, and its message. */
export interface Check {
  readonly check: boolean;
  readonly message: string;
  readonly hint?: string;
}

/**
 * Checks that the host is large enough for all nodes together. Under software emulation, which is slow anyway, nodes
 * may share processors.
 */
export function sizeChecks(cluster: Cluster, facts: HostFacts): Check[] {
  const { processors, memoryMiB } = nodeSize(cluster);
  const count = clusterNodes(cluster).length;
  const wantedProcessors = count * processors;
  const wantedMiB = count * memoryMiB;
  const nodes = counted(count, "node");
  const [each, need] = count === 1 ? ["", "needs"] : [" each", "need"];
  const hostMiB = Math.floor(facts.memoryBytes / 2 ** 20);
  return [
    {
      check: cluster.emulation === "software" || wantedProcessors <= facts.processors,
      message: `${nodes} with ${counted(processors, "processor")}${each} ${need} ${wantedProcessors}, but the host has ${facts.processors}`,
      hint: "Choose a smaller size, fewer nodes, or a larger host",
    },
    {
      check: wantedMiB + hostReserveMiB <= hostMiB,
      message: `${nodes} with ${memoryMiB} MiB${each} and ${hostReserveMiB} MiB for the host need ${wantedMiB + hostReserveMiB} MiB, but the host has ${hostMiB} MiB`,
      hint: "Choose a smaller size, fewer nodes, or a larger host",
    },
  ];
}

/** Requires an x86 host with KVM, unless software emulation was explicitly requested. */
export function virtualizationChecks(cluster: Cluster, facts: HostFacts): Check[] {
  return [
    {
      check: knownFamily(facts) !== undefined,
      message: `the host runs ${facts.os.id} ${facts.os.version}, which the roles do not support`,
      hint: "Choose SLES, openSUSE Leap, Debian or Ubuntu",
    },
    {
      check: facts.architecture === "x86_64",
      message: `Harvester's boot artifacts are for x86_64, but the host is ${facts.architecture}`,
      hint: "Choose an x86_64 host",
    },
    {
      check: cluster.emulation === "software" || facts.kvm,
      message: "/dev/kvm cannot be opened: the host has no nested virtualization",
      hint:
        "Choose a machine type with nested virtualization and enable it (Compute Engine: enableNestedVirtualization; " +
        'EC2: cpuOptions.nestedVirtualization on 8i types; Azure: Intel Dsv5), or set emulation: "software" for a test',
    },
  ];
}

/** Requires that nothing on the host uses the nodes' subnet, except the bridge of this network. */
export function networkChecks(cluster: Cluster, facts: HostFacts): Check[] {
  const { network } = cluster;
  const subnet = subnetAround(network.address, network.prefix);
  const taken = Object.entries(facts.addresses).flatMap(([name, list]) =>
    list
      .filter((cidr) => name !== network.bridge && isInside(cidr.split("/")[0] ?? "", subnet))
      .map((cidr) => `${name} has ${cidr}`),
  );
  const addresses = clusterNodes(cluster).map(({ address }) => address);
  const outside = addresses.filter((address) => !isInside(address, subnet) || address === network.address);
  return [
    {
      check: taken.length === 0,
      message: `the nodes' subnet ${toAddress(subnet.first)}/${network.prefix} is in use on the host: ${taken.join(", ")}`,
      hint: "Set another address for the cluster's network",
    },
    {
      check: !addresses.includes(network.vip) && new Set(addresses).size === addresses.length,
      message: `the virtual address ${network.vip} is one of the nodes' addresses ${addresses.join(", ")}, or two nodes have the same address`,
      hint: "Set another vip, outside the nodes' addresses",
    },
    {
      check: outside.length === 0,
      message: `the nodes' addresses ${outside.join(", ")} do not fit into ${toAddress(subnet.first)}/${network.prefix} together with the host's own`,
      hint: "Set firstNode to a lower address",
    },
  ];
}

/** The host's disks that nodes use, each with the size of the image on it. */
function neededDisks(cluster: Cluster): { readonly path: string; readonly imageGiB: number }[] {
  const isNode = (number: number): boolean => number <= cluster.nodes;
  return [
    // The disk of a removed node may be gone.
    ...cluster.disks.flatMap((path, at) =>
      cluster.removedNodes.includes(at + 1) ? [] : { path, imageGiB: isNode(at + 1) ? nodeSize(cluster).diskGiB : 0 },
    ),
    ...cluster.extraDisks.map(({ device, sizeGiB }) => ({ path: device, imageGiB: sizeGiB })),
  ];
}

function allDisks({ disks, extraDisks }: Cluster): string[] {
  return [...disks, ...extraDisks.map(({ device }) => device)];
}

/** Requires one data disk for each node, with each disk listed only once. */
export function diskChecks(cluster: Cluster): Check[] {
  const missing = missingDisks(cluster);
  const disks = allDisks(cluster);
  return [
    {
      check: missing === undefined,
      message: `${missing ?? "each node has a data disk"}: ${cluster.disks.join(", ")}`,
      hint: "Attach more disks and list them by stable path in `disks`",
    },
    {
      check: new Set(disks).size === disks.length,
      message: `a data disk is listed twice: ${disks.join(", ")}`,
      hint: "List each disk once",
    },
  ];
}

/** Refuses to expose ports that the host's own services use: SSH, and the services that the nodes need. */
export function portChecks({ exposure }: Pick<Cluster, "exposure">): Check[] {
  const taken = exposure === false ? [] : exposure.ports.filter((port) => port === 22 || port === 80);
  return [
    {
      check: taken.length === 0,
      message: `host port ${taken.join(" and ")} cannot be forwarded to the cluster: the host itself uses it`,
      hint: "Remove it from exposure.ports",
    },
  ];
}
