import { createHash } from "node:crypto";
import { type KeysOf, refuseUnknown } from "../../core/authoring/known-keys.ts";
import type { Tunnel } from "../../core/host/tunnel.ts";
import type { Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type Ec2Machine, listMachines } from "./machines.ts";

/** Options that select which EC2 machines are hosts, and how furrow reaches them. */
export interface Ec2InventoryOptions {
  /** Regions, queried in parallel. Default: the region from AWS_REGION or from the AWS profile. */
  readonly regions?: readonly string[];
  /**
   * Filters for DescribeInstances, where `*` matches anything: `{ "tag:furrow": "*", "instance-type": ["m8i.*"] }`.
   * Default: none.
   */
  readonly filters?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The groups of a machine: `region`, `zone`, `type`, `tag:NAME`, or a function that returns group names. Default:
   * none.
   */
  readonly groupBy?: readonly GroupKey[] | ((machine: Ec2Machine) => string | readonly string[] | undefined);
  /** The address to connect to. Default: the public address, otherwise the private one. */
  readonly address?: "public" | "private" | ((machine: Ec2Machine) => string | undefined);
  /**
   * `sessionManager` reaches machines through AWS Session Manager, so they need no public address. A function decides
   * for each machine; undefined means its address. Default: the address.
   */
  readonly tunnel?: "sessionManager" | ((machine: Ec2Machine) => "sessionManager" | undefined);
  /**
   * The jump host through which machines are reached: a host in the inventories, or a host alias in ssh_config. A
   * function decides for each machine; undefined means none. Default: as configured in ssh_config.
   */
  readonly proxyJump?: string | ((machine: Ec2Machine) => string | undefined);
  /** The login user. Default: from ssh_config. */
  readonly user?: string | ((machine: Ec2Machine) => string | undefined);
  /**
   * The vars of a machine, derived from its tags and other properties. Default: the whole machine, as the var `ec2`.
   */
  readonly vars?: (machine: Ec2Machine) => Vars;
  /**
   * The maximum age of a cached answer in seconds, after which EC2 is queried again. Default: 0, so every run queries
   * EC2.
   */
  readonly maximumAgeSeconds?: number;
}

/** A property for grouping machines. */
export type GroupKey = "region" | "zone" | "type" | `tag:${string}`;

const known: KeysOf<Ec2InventoryOptions> = {
  regions: true,
  filters: true,
  groupBy: true,
  address: true,
  tunnel: true,
  proxyJump: true,
  user: true,
  vars: true,
  maximumAgeSeconds: true,
};

/**
 * Lists the machines in EC2 as hosts. The name of a host is the machine's Name tag or, without that tag, the machine's
 * id. Machines that furrow launched have the SSH host key that was read from their console. Throws FurrowError
 * E_INVENTORY for an unknown option.
 */
export function ec2Inventory(options: Ec2InventoryOptions = {}): InventorySource {
  refuseUnknown(options, known, "ec2Inventory", {}, "E_INVENTORY");
  return { source: "ec2", list: (context) => list(options, context) };
}

async function list(options: Ec2InventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { regions = [undefined], maximumAgeSeconds = 0, filters = {} } = options;
  const account = accountKey(process.env);
  const machinesOf = (region: string | undefined): Promise<readonly Ec2Machine[]> => {
    const produce = (): Promise<readonly Ec2Machine[]> => listMachines(region, filters, context.signal);
    const key = JSON.stringify(["ec2", account, region ?? "", filters]);
    return maximumAgeSeconds > 0 ? context.cache.remembered(key, maximumAgeSeconds, produce) : produce();
  };
  const machines = (await Promise.all(regions.map(machinesOf))).flat();
  return listingOf(machines, {
    idle: (machine) => (machine.state === "running" ? undefined : machine.state),
    address: (machine) => addressOf(machine, options.address),
    tunnel: (machine) => tunnelTo(machine, options.tunnel),
    proxyJump: (machine) => (typeof options.proxyJump === "function" ? options.proxyJump(machine) : options.proxyJump),
    user: options.user,
    vars: options.vars ?? ((machine) => ({ ec2: machine })),
    groups: (machine) => groupNames(machine, options.groupBy),
  });
}

/**
 * A hash of everything in the environment that chooses the account, the credentials or the default region
 * (docs.aws.amazon.com/sdkref, "Environment variables"): all these variables begin with `AWS_`.
 */
export function accountKey(environment: Readonly<Record<string, string | undefined>>): string {
  const chosen = Object.entries(environment).filter(([name]) => name.startsWith("AWS_"));
  return createHash("sha256")
    .update(JSON.stringify(chosen.toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest("hex");
}

function addressOf(machine: Ec2Machine, chosen: Ec2InventoryOptions["address"]): string | undefined {
  if (typeof chosen === "function") return chosen(machine);
  if (chosen === "public") return machine.address;
  return chosen === "private" || machine.address === "" ? machine.privateAddress : machine.address;
}

function tunnelTo(machine: Ec2Machine, chosen: Ec2InventoryOptions["tunnel"]): Tunnel | undefined {
  const through = typeof chosen === "function" ? chosen(machine) : chosen;
  return through === undefined ? undefined : { sessionManager: { instance: machine.id, region: machine.region } };
}

function groupNames(machine: Ec2Machine, by: Ec2InventoryOptions["groupBy"]): readonly (string | undefined)[] {
  if (typeof by === "function") return [by(machine)].flat();
  return (by ?? []).map((key) =>
    key.startsWith("tag:") ? machine.tags[key.slice("tag:".length)] : machine[key as "region" | "zone" | "type"],
  );
}
