import type { VirtualMachine } from "@azure/arm-compute";
import type { NetworkInterface, NetworkInterfaceIPConfiguration } from "@azure/arm-network";
import { azureHostKeyTag } from "../../facts/cloud/azure/index.ts";
import { refuseLoop } from "./api.ts";
import { type Azure, azureOf } from "./clients.ts";
import { failureOf } from "./errors.ts";

/** A virtual machine in an inventory. */
export interface AzureMachine {
  readonly id: string;
  readonly name: string;
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly location: string;
  /** `Standard_D16s_v5`. */
  readonly size: string;
  /** running, deallocated, stopped, starting, …; unknown if Azure does not report it. */
  readonly status: string;
  /** The public IPv4 address; empty if the machine has none. */
  readonly address: string;
  /** The address in its virtual network; empty if the machine has none. */
  readonly privateAddress: string;
  /** The login user with which the machine was created; empty if it has none. */
  readonly login: string;
  readonly tags: Readonly<Record<string, string>>;
  /** The stable paths of its data disks, sorted by LUN: `/dev/disk/azure/scsi1/lun0`. */
  readonly disks: readonly string[];
  /**
   * The SSH host key that `azureVirtualMachine` read from its console and stored in a tag; empty if it has no such tag.
   */
  readonly hostKeys: readonly string[];
}

/** The number of machines whose state is requested in parallel. */
const lanes = 16;

/** Lists the machines of a subscription, or of one of its resource groups. Throws FurrowError E_DRIVER. */
export async function listMachines(
  subscription: string,
  group: string | undefined,
  signal: AbortSignal,
): Promise<readonly AzureMachine[]> {
  const what = `list the machines of ${group === undefined ? "the subscription" : `${group} in`} ${subscription}`;
  try {
    const azure = await azureOf(subscription);
    const options = { abortSignal: signal };
    const { virtualMachines } = azure.compute;
    const found = await all(
      group === undefined ? virtualMachines.listAll(options) : virtualMachines.list(group, options),
    );
    if (found.length === 0) return [];
    const [nets, states] = await Promise.all([networksOf(azure, group, signal), statesOf(azure, found, signal)]);
    return found.map((raw) => ({
      ...machineOf(raw, subscription),
      ...nets(raw),
      status: states.get(raw) ?? "unknown",
    }));
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(what, error);
  }
}

/** A list from the SDK, which follows the links from page to page. */
interface Pages<T> {
  byPage(): AsyncIterable<readonly T[] & { readonly continuationToken?: string }>;
}

async function all<T>(pages: Pages<T>): Promise<T[]> {
  const found: T[] = [];
  const followed = new Set<string>();
  for await (const page of pages.byPage()) {
    found.push(...page);
    const { continuationToken: next } = page;
    if (next !== undefined) refuseLoop(next, followed, "list the machines");
  }
  return found;
}

function machineOf(
  raw: VirtualMachine,
  subscription: string,
): Omit<AzureMachine, "address" | "privateAddress" | "status"> {
  const key = raw.tags?.[azureHostKeyTag] ?? "";
  const luns = (raw.storageProfile?.dataDisks ?? []).map(({ lun }) => lun).toSorted((a, b) => a - b);
  return {
    id: raw.vmId ?? raw.id ?? "",
    name: raw.name ?? "",
    subscription,
    resourceGroup: groupIn(raw.id),
    location: raw.location,
    size: raw.hardwareProfile?.vmSize ?? "",
    login: raw.osProfile?.adminUsername ?? "",
    tags: { ...raw.tags },
    disks: luns.map((lun) => `/dev/disk/azure/scsi1/lun${lun}`),
    hostKeys: key === "" ? [] : [key],
  };
}

/** The resource group in an id. The name may differ in case from the group's own name. */
function groupIn(id = ""): string {
  return /\/resourceGroups\/([^/]+)\//i.exec(id)?.[1] ?? "";
}

/** Ids are compared case-insensitively: Azure does not always use the same case. */
const idKey = (id: string | undefined): string => (id ?? "").toLowerCase();

type Addresses = Pick<AzureMachine, "address" | "privateAddress">;

/** Reads all interfaces and public addresses at once, and finds those of a machine. */
async function networksOf(
  { network }: Azure,
  group: string | undefined,
  signal: AbortSignal,
): Promise<(machine: VirtualMachine) => Addresses> {
  const options = { abortSignal: signal };
  const { networkInterfaces, publicIPAddresses } = network;
  const [cards, addresses] = await Promise.all([
    all(group === undefined ? networkInterfaces.listAll(options) : networkInterfaces.list(group, options)),
    all(group === undefined ? publicIPAddresses.listAll(options) : publicIPAddresses.list(group, options)),
  ]);
  const cardOf = new Map(cards.map((card) => [idKey(card.id), card]));
  const addressOf = new Map(addresses.map(({ id, ipAddress }) => [idKey(id), ipAddress ?? ""]));
  return (machine) => {
    const given = machine.networkProfile?.networkInterfaces ?? [];
    const primary = given.find((one) => one.primary === true) ?? given[0];
    const first = configurationOf(cardOf.get(idKey(primary?.id)));
    return {
      address: addressOf.get(idKey(first?.publicIPAddress?.id)) ?? "",
      privateAddress: first?.privateIPAddress ?? "",
    };
  };
}

function configurationOf(card: NetworkInterface | undefined): NetworkInterfaceIPConfiguration | undefined {
  const four = (card?.ipConfigurations ?? []).filter(({ privateIPAddressVersion: version }) => version !== "IPv6");
  return four.find(({ primary }) => primary === true) ?? four[0];
}

/**
 * The power states of machines, which the list does not contain. A machine that has been deleted in the meantime has
 * none.
 */
async function statesOf(
  { compute }: Azure,
  machines: readonly VirtualMachine[],
  signal: AbortSignal,
): Promise<ReadonlyMap<VirtualMachine, string>> {
  const states = new Map<VirtualMachine, string>();
  const left = machines.values();
  const lane = async (): Promise<void> => {
    for (const machine of left) {
      const state = await stateOf(compute, machine, signal);
      if (state !== undefined) states.set(machine, state);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return states;
}

async function stateOf(
  compute: Azure["compute"],
  { id, name = "" }: VirtualMachine,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { statuses = [] } = await compute.virtualMachines.instanceView(groupIn(id), name, { abortSignal: signal });
    return statuses.flatMap(({ code }) => /^PowerState\/(.+)$/.exec(code ?? "")?.[1] ?? [])[0];
  } catch (error) {
    if ((error as { statusCode?: number }).statusCode === 404) return undefined;
    throw error;
  }
}
