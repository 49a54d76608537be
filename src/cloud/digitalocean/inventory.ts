import { type KeysOf, refuseUnknown } from "../../core/authoring/known-keys.ts";
import { createHash } from "node:crypto";
import type { Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type DigitalOceanMachine, listMachines } from "./machines.ts";

/** Options that select which droplets are hosts, and how furrow reaches them. */
export interface DigitalOceanInventoryOptions {
  /** Only droplets with this tag. Default: all droplets of the account. */
  readonly tag?: string;
  /** Only droplets in these regions. Default: all regions. */
  readonly regions?: readonly string[];
  /** The groups of a droplet: `region`, `size`, `tags`, or a function that returns group names. */
  readonly groupBy?:
    | readonly DigitalOceanGroupKey[]
    | ((machine: DigitalOceanMachine) => string | readonly string[] | undefined);
  /** The address to connect to. Default: the public address, otherwise the private one. */
  readonly address?: "public" | "private" | ((machine: DigitalOceanMachine) => string | undefined);
  /**
   * The jump host through which droplets are reached: a host in the inventories, or a host alias in ssh_config. A
   * function decides for each droplet; undefined means none. Default: as configured in ssh_config.
   */
  readonly proxyJump?: string | ((machine: DigitalOceanMachine) => string | undefined);
  /** The login user. Default: root, into whose account DigitalOcean puts the keys. */
  readonly user?: string | ((machine: DigitalOceanMachine) => string | undefined);
  /** The vars of a droplet. Default: the whole droplet, as the var `digitalOcean`. */
  readonly vars?: (machine: DigitalOceanMachine) => Vars;
  /**
   * The maximum age of a cached answer in seconds, after which the API is queried again. Default: 0, so every run
   * queries the API.
   */
  readonly maximumAgeSeconds?: number;
}

/** A property for grouping droplets. */
export type DigitalOceanGroupKey = "region" | "size" | "tags";

const known: KeysOf<DigitalOceanInventoryOptions> = {
  tag: true,
  regions: true,
  groupBy: true,
  address: true,
  proxyJump: true,
  user: true,
  vars: true,
  maximumAgeSeconds: true,
};

/**
 * Lists the droplets of the account whose token is in DIGITALOCEAN_ACCESS_TOKEN as hosts, by name. DigitalOcean does
 * not report SSH host keys, so they are checked as on any other host. Throws FurrowError E_INVENTORY for an unknown
 * option.
 */
export function digitalOceanInventory(options: DigitalOceanInventoryOptions = {}): InventorySource {
  refuseUnknown(options, known, "digitalOceanInventory", {}, "E_INVENTORY");
  return { source: "digitalOcean", list: (context) => list(options, context) };
}

async function list(options: DigitalOceanInventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { tag, regions, maximumAgeSeconds = 0 } = options;
  const produce = (): Promise<readonly DigitalOceanMachine[]> =>
    listMachines({ token: undefined, signal: context.signal }, tag);
  // The key distinguishes accounts, but must not contain the token.
  const account = createHash("sha256")
    .update(process.env["DIGITALOCEAN_ACCESS_TOKEN"] ?? "")
    .digest("hex");
  const key = JSON.stringify(["digitalOcean", account, tag ?? ""]);
  const found =
    maximumAgeSeconds > 0 ? await context.cache.remembered(key, maximumAgeSeconds, produce) : await produce();
  const machines = regions === undefined ? found : found.filter(({ region }) => regions.includes(region));
  const { user = "root", proxyJump } = options;
  return listingOf(machines, {
    idle: ({ status }) => (status === "active" ? undefined : status),
    address: (machine) => addressOf(machine, options.address),
    tunnel: () => undefined,
    proxyJump: (machine) => (typeof proxyJump === "function" ? proxyJump(machine) : proxyJump),
    user,
    vars: options.vars ?? ((machine) => ({ digitalOcean: machine })),
    groups: (machine) => groupNames(machine, options.groupBy),
  });
}

function addressOf(machine: DigitalOceanMachine, chosen: DigitalOceanInventoryOptions["address"]): string | undefined {
  if (typeof chosen === "function") return chosen(machine);
  if (chosen === "public") return machine.address;
  return chosen === "private" || machine.address === "" ? machine.privateAddress : machine.address;
}

function groupNames(
  machine: DigitalOceanMachine,
  by: DigitalOceanInventoryOptions["groupBy"],
): readonly (string | undefined)[] {
  if (typeof by === "function") return [by(machine)].flat();
  return (by ?? []).flatMap((key) => machine[key]);
}
