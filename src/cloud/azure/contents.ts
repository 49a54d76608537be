import { FurrowError } from "../../core/errors.ts";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import type { AzureValues } from "../../facts/cloud/azure/index.ts";
import { type Api, listAll } from "./api.ts";
import { type AzureRefusal, isMissing } from "./errors.ts";
import { kinds, versions } from "./kinds.ts";
import { type Raw, textOf } from "./raw.ts";

const network = kinds.network.version;
const disk = kinds.disk.version;

/** The resource types whose lists are up to date, with their API version. */
export const listed: Readonly<Record<string, string>> = {
  "Microsoft.Compute/virtualMachines": versions.compute,
  "Microsoft.Compute/virtualMachineScaleSets": versions.compute,
  "Microsoft.Compute/availabilitySets": versions.compute,
  "Microsoft.Compute/images": versions.compute,
  "Microsoft.Compute/sshPublicKeys": versions.compute,
  "Microsoft.Compute/disks": disk,
  "Microsoft.Compute/snapshots": disk,
  "Microsoft.Compute/galleries": "2023-07-03",
  "Microsoft.Network/virtualNetworks": network,
  "Microsoft.Network/networkInterfaces": network,
  "Microsoft.Network/publicIPAddresses": network,
  "Microsoft.Network/publicIPPrefixes": network,
  "Microsoft.Network/networkSecurityGroups": network,
  "Microsoft.Network/applicationSecurityGroups": network,
  "Microsoft.Network/routeTables": network,
  "Microsoft.Network/natGateways": network,
  "Microsoft.Network/loadBalancers": network,
  "Microsoft.Network/privateEndpoints": network,
  "Microsoft.Network/bastionHosts": network,
  "Microsoft.Network/virtualNetworkGateways": network,
  "Microsoft.Storage/storageAccounts": "2023-05-01",
  "Microsoft.KeyVault/vaults": "2023-07-01",
};

/** A resource in a group. */
interface Part {
  readonly type: string;
  /** The name: `lab`; for a child, with its parent's name: `lab/agent`. */
  readonly name: string;
}

/**
 * The contents of a resource group. The list of all resources may be a few minutes old, so the types in {@link listed}
 * are read from separate lists. A child is not listed if its parent is, because it is deleted with its parent.
 */
export async function contents(api: Api, group: string): Promise<AzureValues["contents"]> {
  const all = await list(api, group, "resources", versions.groups);
  if (all === absent) return absent;
  const lists = await Promise.all(
    Object.entries(listed).map(([type, version]) => list(api, group, `providers/${type}`, version, type)),
  );
  const now = lists.flatMap((one) => (one === absent ? [] : one));
  const isListed = ({ type }: Part): boolean => keysOfListed.has(parentType(type));
  const rest = all.filter((one) => !isListed(one) && !all.some((other) => isParent(other, one)));
  return { all: [...now, ...rest].map(({ type, name }) => `${type}/${name}`).toSorted() };
}

/** Throws FurrowError E_DRIVER if a resource group that is about to be deleted is not empty. */
export async function assertEmpty(api: Api, group: string): Promise<void> {
  const found = await contents(api, group);
  if (found === absent || found.all.length === 0) return;
  const more = found.all.length > 10 ? ", …" : "";
  throw new FurrowError("E_DRIVER", {
    what: `the resource group ${group} is not deleted, because Azure would also delete its contents`,
    current: `${found.all.length} resources: ${found.all.slice(0, 10).join(", ")}${more}`,
    expected: "an empty group",
    hint: 'Remove these with their own tasks and state: "absent", or move them to another group; then rerun',
  });
}

const keysOfListed = new Set(Object.keys(listed).map((type) => type.toLowerCase()));

/** `Microsoft.Compute/virtualMachines` for `Microsoft.Compute/virtualMachines/extensions`, in lower case. */
function parentType(type: string): string {
  return type.toLowerCase().split("/").slice(0, 2).join("/");
}

function isParent(one: Part, child: Part): boolean {
  const [type, name] = [one.type, one.name].map((part) => `${part.toLowerCase()}/`);
  return child.type.toLowerCase().startsWith(type ?? "") && child.name.toLowerCase().startsWith(name ?? "");
}

async function list(
  api: Api,
  group: string,
  below: string,
  version: string,
  type?: string,
): Promise<readonly Part[] | Absent> {
  const path = `resourceGroups/${encodeURIComponent(group)}/${below}`;
  const what = `list the contents of the resource group ${group}`;
  // A subscription has no resources of a service for which it is not registered.
  const isUnused = ({ code }: AzureRefusal): boolean =>
    type !== undefined && code === "MissingSubscriptionRegistration";
  // No other 404 response means that the list is empty.
  const isGone = (error: AzureRefusal): boolean => isMissing(error) && error.code === "ResourceGroupNotFound";
  try {
    const found = await listAll(api, { path, version, what }, (error) => isGone(error) || isUnused(error));
    return found.map((raw: Raw) => ({ type: type ?? textOf(raw["type"]), name: textOf(raw["name"]) }));
  } catch (error) {
    if (isUnused(error as AzureRefusal)) return [];
    if (isGone(error as AzureRefusal)) return absent;
    throw error;
  }
}
