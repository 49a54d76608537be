import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { type KeysOf, refuseUnknown } from "../../core/authoring/known-keys.ts";
import type { Tunnel } from "../../core/host/tunnel.ts";
import type { Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { listingOf } from "../hosts.ts";
import { type GceMachine, listMachines } from "./machines.ts";
import { osLoginUser } from "./os-login/login-name.ts";
import { type ProjectWords, projectWords } from "./os-login/metadata.ts";
import { ownAccount } from "./os-login/own-account.ts";
import { isServiceAccount } from "./os-login/profile.ts";

/** Options that select which Compute Engine machines are hosts, and how furrow reaches them. */
export interface GceInventoryOptions {
  /** The ids of the projects, queried in parallel. Default: the project from GOOGLE_CLOUD_PROJECT. */
  readonly projects?: readonly string[];
  /** The zones, queried in parallel. Default: all zones. */
  readonly zones?: readonly string[];
  /**
   * An API filter: `labels.furrow = "lab"`; see https://cloud.google.com/compute/docs/reference/rest/v1/instances/list.
   */
  readonly filter?: string;
  /**
   * The groups of a machine: `project`, `region`, `zone`, `type`, `label:NAME`, `tags`, or a function that returns
   * group names.
   */
  readonly groupBy?: readonly GceGroupKey[] | ((machine: GceMachine) => string | readonly string[] | undefined);
  /** The address to connect to. Default: the external address, otherwise the internal one. */
  readonly address?: "external" | "internal" | ((machine: GceMachine) => string | undefined);
  /**
   * `iap` reaches machines through tunnels of Google's Identity-Aware Proxy, so they need no external address. A
   * function decides for each machine; undefined means its address. Default: the address.
   */
  readonly tunnel?: "iap" | ((machine: GceMachine) => "iap" | undefined);
  /**
   * The jump host through which machines are reached: a host in the inventories, or a host alias in ssh_config. A
   * function decides for each machine; undefined means none. Default: as configured in ssh_config.
   */
  readonly proxyJump?: string | ((machine: GceMachine) => string | undefined);
  /**
   * The login user. Default: on machines that use OS Login, the name that OS Login gives the account in `osLogin`;
   * otherwise from ssh_config.
   */
  readonly user?: string | ((machine: GceMachine) => string | undefined);
  /**
   * The account, as an e-mail address, that logs in to machines that use OS Login: `ann@example.com`, or a service
   * account. It must have registered an SSH key with OS Login. Default: the account of the credentials.
   */
  readonly osLogin?: string;
  /**
   * The vars of a machine, derived from its labels and other properties. Default: the whole machine, as the var `gce`.
   */
  readonly vars?: (machine: GceMachine) => Vars;
  /**
   * The maximum age of a cached answer in seconds, after which the API is queried again. Default: 0, so every run
   * queries the API.
   */
  readonly maximumAgeSeconds?: number;
}

/** A property for grouping machines. */
export type GceGroupKey = "project" | "region" | "zone" | "type" | "tags" | `label:${string}`;

const known: KeysOf<GceInventoryOptions> = {
  projects: true,
  zones: true,
  filter: true,
  groupBy: true,
  address: true,
  tunnel: true,
  proxyJump: true,
  user: true,
  osLogin: true,
  vars: true,
  maximumAgeSeconds: true,
};

/**
 * Lists the machines in Compute Engine as hosts, by name. If guest attributes are on for a machine (gceInstance can
 * turn them on), the host has the SSH host keys that the machine's guest agent reported. Throws FurrowError E_INVENTORY
 * for an unknown option.
 */
export function gceInventory(options: GceInventoryOptions = {}): InventorySource {
  refuseUnknown(options, known, "gceInventory", {}, "E_INVENTORY");
  return { source: "gce", list: (context) => list(options, context) };
}

async function list(options: GceInventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { zones = [undefined], filter, maximumAgeSeconds = 0 } = options;
  const words = new Map<string, Promise<ProjectWords>>();
  const wordsOf = (project: string) => (): Promise<ProjectWords> => {
    const asked = words.get(project) ?? projectWords(project, context.signal);
    words.set(project, asked);
    return asked;
  };
  const machinesOf = (project: string, zone: string | undefined): Promise<readonly GceMachine[]> => {
    const produce = (): Promise<readonly GceMachine[]> =>
      listMachines(project, zone, filter, wordsOf(project), context.signal);
    const account = process.env["GOOGLE_APPLICATION_CREDENTIALS"] ?? "";
    const key = JSON.stringify(["gce", account, project, zone ?? "", filter ?? ""]);
    return maximumAgeSeconds > 0 ? context.cache.remembered(key, maximumAgeSeconds, produce) : produce();
  };
  const projects = projectsOf(options);
  const { osLogin } = options;
  // If one call is refused, the calls for machines must not keep running.
  const given = osLogin === undefined ? undefined : await loginOf(osLogin, context);
  const places = projects.flatMap((project) => zones.map((zone) => machinesOf(project, zone)));
  const machines = (await Promise.all(places)).flat();
  const userOf = (machine: GceMachine): string | undefined =>
    typeof options.user === "function" ? options.user(machine) : options.user;
  const isOpen = (machine: GceMachine): boolean => machine.status === "RUNNING" && userOf(machine) === undefined;
  const needsName = machines.some((machine) => isOpen(machine) && /^(?:on|secondFactor)$/.test(machine.osLogin));
  const login = given ?? (needsName ? await ownLogin(context) : undefined);
  return listingOf(machines, {
    idle: (machine) => {
      if (machine.status !== "RUNNING") return sayStatus(machine.status);
      const isAsked = isOpen(machine) && machine.osLogin === "secondFactor" && login?.isPerson === true;
      return isAsked
        ? "OS Login asks for a second factor on this machine, unless osLogin names a service account"
        : undefined;
    },
    address: (machine) => addressOf(machine, options.address),
    tunnel: (machine) => tunnelTo(machine, options.tunnel),
    proxyJump: (machine) => (typeof options.proxyJump === "function" ? options.proxyJump(machine) : options.proxyJump),
    // A machine whose OS Login setting is unknown counts as using OS Login if the inventory sets an account.
    user: (machine) => {
      const uses = machine.osLogin === "unknown" ? given !== undefined : machine.osLogin !== "off";
      return userOf(machine) ?? (uses ? login?.user : undefined);
    },
    vars: options.vars ?? ((machine) => ({ gce: machine })),
    groups: (machine) => groupNames(machine, options.groupBy),
  });
}

/** The login name of an account. */
interface OsLogin {
  readonly user: string;
  readonly isPerson: boolean;
}

async function loginOf(account: string, { signal, now }: SourceContext): Promise<OsLogin> {
  return { user: await osLoginUser(account, signal, now), isPerson: !isServiceAccount(account) };
}

/**
 * The login name of the credentials' account; if it cannot be determined, prints a notice and returns undefined,
 * because ssh_config may contain it.
 */
async function ownLogin(context: SourceContext): Promise<OsLogin | undefined> {
  const account = await ownAccount(context.signal);
  if (account === undefined) {
    context.notice(
      "gceInventory: machines use OS Login, but the credentials do not say which account they belong to; set osLogin to the account",
    );
    return undefined;
  }
  try {
    return await loginOf(account, context);
  } catch (error) {
    if (!isFurrowError(error) || error.code !== "E_INVENTORY") throw error;
    const { what, current, hint } = error.failure;
    context.notice(`gceInventory: ${what}${current === undefined ? "" : ` (${current})`}. ${hint ?? ""}`);
    return undefined;
  }
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

/** The word for a machine's status. Compute Engine calls a stopped machine TERMINATED. */
function sayStatus(status: string): string {
  return status === "TERMINATED" ? "stopped" : status.toLowerCase();
}

function addressOf(machine: GceMachine, chosen: GceInventoryOptions["address"]): string | undefined {
  if (typeof chosen === "function") return chosen(machine);
  if (chosen === "external") return machine.address;
  return chosen === "internal" || machine.address === "" ? machine.internalAddress : machine.address;
}

function tunnelTo(machine: GceMachine, chosen: GceInventoryOptions["tunnel"]): Tunnel | undefined {
  const through = typeof chosen === "function" ? chosen(machine) : chosen;
  const { name: instance, project, zone } = machine;
  return through === undefined ? undefined : { iap: { instance, project, zone } };
}

function groupNames(machine: GceMachine, by: GceInventoryOptions["groupBy"]): readonly (string | undefined)[] {
  if (typeof by === "function") return [by(machine)].flat();
  return (by ?? []).flatMap((key) => {
    if (key === "tags") return machine.tags;
    if (key.startsWith("label:")) return machine.labels[key.slice("label:".length)];
    return machine[key as "project" | "region" | "zone" | "type"];
  });
}
