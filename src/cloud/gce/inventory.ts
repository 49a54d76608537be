import { FurrowError } from "../../core/errors.ts";
import type { Vars } from "../../core/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type GceMachine, listMachines } from "./machines.ts";

/** Which machines of Compute Engine are hosts, and how they are reached. */
export interface GceInventoryOptions {
  /** Ids of projects, asked in parallel; default: that of GOOGLE_CLOUD_PROJECT. */
  readonly projects?: readonly string[];
  /** Zones, asked in parallel; default: all. */
  readonly zones?: readonly string[];
  /** A filter of the API: `labels.furrow = "lab"`; https://cloud.google.com/compute/docs/reference/rest/v1/instances/list. */
  readonly filter?: string;
  /** Groups of a machine: `project`, `region`, `zone`, `type`, `label:NAME`, `tags`, or a function that names them. */
  readonly groupBy?: readonly GceGroupKey[] | ((machine: GceMachine) => string | readonly string[] | undefined);
  /** At which address a machine is reached; default: the external one, else the internal one. */
  readonly address?: "external" | "internal" | ((machine: GceMachine) => string | undefined);
  /** Who logs in; default: as ssh_config says. */
  readonly user?: string | ((machine: GceMachine) => string | undefined);
  /** Vars of a machine, from its labels and the rest; default: all of it, as the var `gce`. */
  readonly vars?: (machine: GceMachine) => Vars;
  /** How old an answer may be before the API is asked again; default 0: it is asked at every run. */
  readonly maximumAgeSeconds?: number;
}

/** What machines can be grouped by. */
export type GceGroupKey = "project" | "region" | "zone" | "type" | "tags" | `label:${string}`;

/**
 * The machines of Compute Engine as hosts, called by their names. Those whose guest attributes are on, as gceInstance
 * has them, come with the SSH host keys that their guest agent told.
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
    what: "gceInventory is not told which projects it shall ask",
    hint: 'Give it projects: ["ID"], or set GOOGLE_CLOUD_PROJECT',
  });
}

/** TERMINATED is what everybody calls stopped. */
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
