import { FurrowError } from "../../core/errors.ts";
import type { Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type GceMachine, listMachines } from "./machines.ts";

/** Which Compute Engine machines are hosts, and how furrow reaches them. */
export interface GceInventoryOptions {
  /** Ids of projects, queried in parallel; default: the one of GOOGLE_CLOUD_PROJECT. */
  readonly projects?: readonly string[];
  /** Zones, queried in parallel; default: all. */
  readonly zones?: readonly string[];
  /** A filter of the API: `labels.furrow = "lab"`; https://cloud.google.com/compute/docs/reference/rest/v1/instances/list. */
  readonly filter?: string;
  /**
   * Groups of a machine: `project`, `region`, `zone`, `type`, `label:NAME`, `tags`, or a function that returns their
   * names.
   */
  readonly groupBy?: readonly GceGroupKey[] | ((machine: GceMachine) => string | readonly string[] | undefined);
  /** The address to connect to; default: the external one, otherwise the internal one. */
  readonly address?: "external" | "internal" | ((machine: GceMachine) => string | undefined);
  /** The login user; default: from ssh_config. */
  readonly user?: string | ((machine: GceMachine) => string | undefined);
  /** Vars of a machine, from its labels and other properties; default: the whole machine, as the var `gce`. */
  readonly vars?: (machine: GceMachine) => Vars;
  /**
   * How old a cached answer may be before the API is queried again, in seconds; default 0: every run queries the API.
   */
  readonly maximumAgeSeconds?: number;
}

/** A property that machines can be grouped by. */
export type GceGroupKey = "project" | "region" | "zone" | "type" | "tags" | `label:${string}`;

/**
 * The machines of Compute Engine as hosts, by their names. Machines with guest attributes turned on, as gceInstance
 * does, come with the SSH host keys that their guest agent reported.
 */
export function gceInventory(options: GceInventoryOptions = {}): InventorySource {
  return { source: "gce", list: (context) => list(options, context) };
}

async function list(options: GceInventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { zones = [undefined], filter, maximumAgeSeconds = 0 } = options;
  const machinesOf = (project: string, zone: string | undefined): Promise<readonly GceMachine[]> => {
    const produce = (): Promise<readonly GceMachine[]> => listMachines(project, zone, filter, context.signal);
    const account = process.env["GOOGLE_APPLICATION_CREDENTIALS"] ?? "";
    const key = JSON.stringify(["gce", account, project, zone ?? "", filter ?? ""]);
    return maximumAgeSeconds > 0 ? context.cache.remembered(key, maximumAgeSeconds, produce) : produce();
  };
  const places = projectsOf(options).flatMap((project) => zones.map((zone) => machinesOf(project, zone)));
  const machines = (await Promise.all(places)).flat();
  return listingOf(machines, {
    idle: ({ status }) => (status === "RUNNING" ? undefined : sayStatus(status)),
    address: (machine) => addressOf(machine, options.address),
    user: options.user,
    vars: options.vars ?? ((machine) => ({ gce: machine })),
    groups: (machine) => groupNames(machine, options.groupBy),
  });
}

function projectsOf({ projects }: GceInventoryOptions): readonly string[] {
  const project = process.env["GOOGLE_CLOUD_PROJECT"];
  if (projects !== undefined) return projects;
  if (project !== undefined && project !== "") return [project];
  throw new FurrowError("E_INVENTORY", {
    what: "gceInventory does not know which projects to query",
    hint: 'Give it projects: ["ID"], or set GOOGLE_CLOUD_PROJECT',
  });
}

/** Compute Engine's word for stopped is TERMINATED. */
function sayStatus(status: string): string {
  return status === "TERMINATED" ? "stopped" : status.toLowerCase();
}

function addressOf(machine: GceMachine, chosen: GceInventoryOptions["address"]): string | undefined {
  if (typeof chosen === "function") return chosen(machine);
  if (chosen === "external") return machine.address;
  return chosen === "internal" || machine.address === "" ? machine.internalAddress : machine.address;
}

function groupNames(machine: GceMachine, by: GceInventoryOptions["groupBy"]): readonly (string | undefined)[] {
  if (typeof by === "function") return [by(machine)].flat();
  return (by ?? []).flatMap((key) => {
    if (key === "tags") return machine.tags;
    if (key.startsWith("label:")) return machine.labels[key.slice("label:".length)];
    return machine[key as "project" | "region" | "zone" | "type"];
  });
}
