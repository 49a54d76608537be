import { type OrRef, z } from "../../src/authoring.ts";
import { cidr, network } from "../../tasks/azure-network/ranges.ts";
import { common, location } from "../../tasks/azure-resource-group/own.ts";
import { params as machineParams } from "../../tasks/azure-virtual-machine/params.ts";
import * as t from "../../tasks/index.ts";
import { ports, stepOf } from "../cloud-host/sizes.ts";
import { commonKey, fits, hostVars } from "../cloud-host/vars.ts";

/** Intel sizes that are documented to support nested virtualization, in order of size. */
export const ladder = ["Standard_D16s_v5", "Standard_D32s_v5", "Standard_D64s_v5"] as const;

/** The number of nodes in the largest cluster, which is also the number of data disks. */
const mostDisks = 5;

const { prefix, nodes, size, type, manageFrom, rootDiskGb, dataDiskGb } = hostVars;
const { shape } = machineParams;
const sources = z.array(network("192.0.2.0/24")).min(1, "at least one network").optional();

/** The vars of a cluster's host in Azure. */
export const azureHostSchema = z.object({
  prefix: prefix.describe("Name of the machine and of its resource group, and prefix of all other names"),
  nodes,
  size,
  type: fits(type, shape.size).describe("Size of the machine; default: depends on the number and size of the nodes"),
  publicKey: commonKey,
  manageFrom: fits(manageFrom, sources).describe(
    "Networks from which logins and API requests are allowed; default: only this machine's public address",
  ),
  rootDiskGb: fits(rootDiskGb, z.number().max(4095, "at most 4095 GiB")),
  dataDiskGb: fits(dataDiskGb, z.number().max(32_767, "at most 32767 GiB")),
  location: location().default("westeurope").describe("Location of the machine and of everything that belongs to it"),
  zone: z.enum(["1", "2", "3"]).optional().describe("Availability zone; default: none"),
  image: fits(z.string(), shape.image)
    .default("Debian:debian-12:12-gen2:latest")
    .describe("Image, as publisher:offer:sku:version"),
  login: fits(z.string(), shape.login).default("azureuser").describe("User to create, with sudo rights"),
  networkCidr: cidr("Address range of the network").default("10.20.0.0/16"),
  subnetCidr: cidr("Address range of its subnet").default("10.20.0.0/24"),
  azureSubscription: common.subscription().describe("Subscription; default: AZURE_SUBSCRIPTION_ID"),
});

type AzureHost = z.output<typeof azureHostSchema>;

/**
 * Maintains a machine for a cluster: a resource group with a network, its rules, a disk for each node, and the machine,
 * all with the same prefix.
 */
export function azureHost(host: AzureHost, manageFrom: readonly OrRef<string>[]) {
  const { prefix: name, location, zone, publicKey, image, login, azureSubscription: subscription } = host;
  const common = { owner: name, subscription };
  const disks = diskNames(name).slice(0, host.nodes);
  const tcp = (numbers: readonly number[]): string[] => numbers.map((port) => `tcp:${port}`);
  const machine = t.azureVirtualMachine({
    ...common,
    name,
    group: name,
    network: name,
    size: host.type ?? ladder[stepOf(host)],
    zone,
    image,
    login,
    publicKeys: [publicKey],
    osDiskGb: host.rootDiskGb,
    dataDisks: disks,
    nestedVirtualization: true,
    tags: { "made-by": "furrow", prefix: name },
  });
  return [
    t.azureResourceGroup({ ...common, name, location }),
    // The rules are created first, so the machine is protected as soon as it boots.
    t.azureNetwork({
      ...common,
      name,
      group: name,
      cidr: host.networkCidr,
      subnetCidr: host.subnetCidr,
      inbound: [
        { allow: tcp(ports.open), from: ["0.0.0.0/0"] },
        { allow: tcp(ports.managed), from: manageFrom },
      ],
    }),
    disks.map((disk) => t.azureDisk({ ...common, name: disk, group: name, zone, sizeGb: host.dataDiskGb })),
    machine,
    t.waitFor({ port: 22, deadlineSeconds: 600, address: machine.output.map(({ address }) => address) }),
  ];
}

/** The properties of a host that must be known in order to delete it. */
export interface AzureHostGone {
  readonly prefix: string;
  readonly subscription?: string | undefined;
  /** Whether the resource group is deleted too. Default: false. */
  readonly deleteGroup?: boolean | undefined;
}

/**
 * Deletes the machine and everything that belongs to it, including the disks with their data. The resource group stays
 * unless `deleteGroup` is set: Azure deletes a group with everything in it, and lists new resources of some types only
 * after a delay.
 */
export function azureHostGone({ prefix: name, subscription, deleteGroup = false }: AzureHostGone) {
  const gone = { owner: name, subscription, state: "absent" as const };
  return [
    t.azureVirtualMachine({ ...gone, name, group: name }),
    diskNames(name).map((disk) => t.azureDisk({ ...gone, name: disk, group: name })),
    t.azureNetwork({ ...gone, name, group: name }),
    deleteGroup ? [t.azureResourceGroup({ ...gone, name })] : [],
  ];
}

function diskNames(name: string): string[] {
  return Array.from({ length: mostDisks }, (_, at) => `${name}-data-${at + 1}`);
}
