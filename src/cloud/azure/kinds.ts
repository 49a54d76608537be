import type { AzureKind, AzurePlace } from "../../facts/cloud/azure/index.ts";

/** The API versions for subscriptions and for resource groups themselves. */
export const versions = {
  groups: "2021-04-01",
  locations: "2022-12-01",
  features: "2021-07-01",
  sizes: "2021-07-01",
  compute: "2024-07-01",
  permissions: "2022-04-01",
  locks: "2016-09-01",
} as const;

/** How a kind of resource is addressed, and which version of its API furrow uses. */
interface Kind {
  /** The type as it appears in ids; empty for a resource group. */
  readonly type: string;
  readonly version: string;
  /** The name of the kind in messages. */
  readonly called: string;
}

/** All kinds of resources that furrow creates. */
export const kinds: Readonly<Record<AzureKind, Kind>> = {
  group: { type: "", version: versions.groups, called: "resource group" },
  network: { type: "Microsoft.Network/virtualNetworks", version: "2024-05-01", called: "virtual network" },
  securityGroup: { type: "Microsoft.Network/networkSecurityGroups", version: "2024-05-01", called: "security group" },
  address: { type: "Microsoft.Network/publicIPAddresses", version: "2024-05-01", called: "public address" },
  card: { type: "Microsoft.Network/networkInterfaces", version: "2024-05-01", called: "network interface" },
  disk: { type: "Microsoft.Compute/disks", version: "2024-03-02", called: "disk" },
  machine: { type: "Microsoft.Compute/virtualMachines", version: versions.compute, called: "machine" },
};

/** The path of a resource below its subscription. */
export function pathOf(kind: AzureKind, { group = "", name }: AzurePlace): string {
  if (kind === "group") return `resourcegroups/${encodeURIComponent(name)}`;
  return `resourceGroups/${encodeURIComponent(group)}/providers/${kinds[kind].type}/${encodeURIComponent(name)}`;
}

/** A resource's name in messages: `disk data-1`. */
export function calledOf(kind: AzureKind, { name }: AzurePlace): string {
  return `${kinds[kind].called} ${name}`;
}
