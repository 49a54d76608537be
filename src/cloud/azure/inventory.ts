import { type KeysOf, refuseUnknown } from "../../core/authoring/known-keys.ts";
import { FurrowError } from "../../core/errors.ts";
import type { Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type AzureMachine, listMachines } from "./machines.ts";

/** Options that select which virtual machines in Azure are hosts, and how furrow reaches them. */
export interface AzureInventoryOptions {
  /** The ids of the subscriptions, queried in parallel. Default: the subscription in AZURE_SUBSCRIPTION_ID. */
  readonly subscriptions?: readonly string[];
  /**
   * The resource groups, queried in parallel; network interfaces and public addresses must be in the machine's group.
   * Default: all groups of the subscription.
   */
  readonly resourceGroups?: readonly string[];
  /** The tags that a machine must have: `{ role: "web" }`; `*` means any value. */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The groups of a machine: `subscription`, `resourceGroup`, `location`, `size`, `tag:NAME`, or a function that
   * returns group names.
   */
  readonly groupBy?: readonly AzureGroupKey[] | ((machine: AzureMachine) => string | readonly string[] | undefined);
  /** The address to connect to. Default: the public address, otherwise the private one. */
  readonly address?: "public" | "private" | ((machine: AzureMachine) => string | undefined);
  /**
   * The jump host through which machines are reached: a host in the inventories, or a host alias in ssh_config. A
   * function decides for each machine; undefined means none. Default: as configured in ssh_config.
   */
  readonly proxyJump?: string | ((machine: AzureMachine) => string | undefined);
  /** The login user. Default: the user with which the machine was created. */
  readonly user?: string | ((machine: AzureMachine) => string | undefined);
  /** The vars of a machine. Default: the whole machine, as the var `azure`. */
  readonly vars?: (machine: AzureMachine) => Vars;
  /**
   * The maximum age of a cached answer in seconds, after which the API is queried again. Default: 0, so every run
   * queries the API.
   */
  readonly maximumAgeSeconds?: number;
}

/** A property for grouping machines. */
export type AzureGroupKey = "subscription" | "resourceGroup" | "location" | "size" | `tag:${string}`;

const known: KeysOf<AzureInventoryOptions> = {
  subscriptions: true,
  resourceGroups: true,
  tags: true,
  groupBy: true,
  address: true,
  proxyJump: true,
  user: true,
  vars: true,
  maximumAgeSeconds: true,
};

/**
 * Lists virtual machines in Azure as hosts, by name. Machines that furrow created have the SSH host key that was read
 * from their console; Azure does not report the keys of other machines, so these are checked as on any other host.
 * Throws FurrowError E_INVENTORY for an unknown option.
 */
export function azureInventory(options: AzureInventoryOptions = {}): InventorySource {
  refuseUnknown(options, known, "azureInventory", {}, "E_INVENTORY");
  return { source: "azure", list: (context) => list(options, context) };
}

async function list(options: AzureInventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { resourceGroups = [undefined], tags = {}, maximumAgeSeconds = 0, proxyJump } = options;
  const machinesOf = (subscription: string, group: string | undefined): Promise<readonly AzureMachine[]> => {
    const produce = (): Promise<readonly AzureMachine[]> => listMachines(subscription, group, context.signal);
    const account = [process.env["AZURE_TENANT_ID"] ?? "", process.env["AZURE_CLIENT_ID"] ?? ""];
    const key = JSON.stringify(["azure", ...account, subscription, group ?? ""]);
    return maximumAgeSeconds > 0 ? context.cache.remembered(key, maximumAgeSeconds, produce) : produce();
  };
  const places = subscriptionsOf(options).flatMap((one) => resourceGroups.map((group) => machinesOf(one, group)));
  const wanted = Object.entries(tags);
  const machines = (await Promise.all(places)).flat().filter((machine) =>
    wanted.every(([name, value]) => {
      const has = machine.tags[name];
      return has !== undefined && (value === "*" || has === value);
    }),
  );
  return listingOf(machines, {
    idle: ({ status }) => (status === "running" ? undefined : status),
    address: (machine) => addressOf(machine, options.address),
    tunnel: () => undefined,
    proxyJump: (machine) => (typeof proxyJump === "function" ? proxyJump(machine) : proxyJump),
    user: options.user ?? (({ login }) => (login === "" ? undefined : login)),
    vars: options.vars ?? ((machine) => ({ azure: machine })),
    groups: (machine) => groupNames(machine, options.groupBy),
  });
}

function subscriptionsOf({ subscriptions }: AzureInventoryOptions): readonly string[] {
  const known = process.env["AZURE_SUBSCRIPTION_ID"] ?? "";
  if (subscriptions !== undefined && subscriptions.length > 0) return subscriptions;
  if (known !== "") return [known];
  throw new FurrowError("E_INVENTORY", {
    what: "azureInventory does not know which subscriptions to query",
    hint: 'Give it subscriptions: ["ID"], or set AZURE_SUBSCRIPTION_ID: az account show --query id --output tsv',
  });
}

function addressOf(machine: AzureMachine, chosen: AzureInventoryOptions["address"]): string | undefined {
  if (typeof chosen === "function") return chosen(machine);
  if (chosen === "public") return machine.address;
  return chosen === "private" || machine.address === "" ? machine.privateAddress : machine.address;
}

function groupNames(machine: AzureMachine, by: AzureInventoryOptions["groupBy"]): readonly (string | undefined)[] {
  if (typeof by === "function") return [by(machine)].flat();
  return (by ?? []).map((key) =>
    key.startsWith("tag:")
      ? machine.tags[key.slice("tag:".length)]
      : machine[key as "subscription" | "resourceGroup" | "location" | "size"],
  );
}
