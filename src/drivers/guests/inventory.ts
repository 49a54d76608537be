import { resolve } from "node:path";
import type { z } from "zod";
import { type KeysOf, refuseUnknown } from "../../core/authoring/known-keys.ts";
import { FurrowError } from "../../core/errors.ts";
import type { HostEntry, Vars } from "../../core/inventory/inventory-entries.ts";
import type { InventorySource, LeftOut, SourceContext, SourceListing } from "../../core/inventory/inventory-source.ts";
import { missingKubeconfigHint } from "../../facts/controller/kubeconfig-file.ts";
import type { KubernetesListAnswer } from "../../facts/controller/kubernetes.ts";
import { kubernetesDriver } from "../kubernetes.ts";
import { type Guest, guestLists, objectsIn } from "./guest.ts";

/** Options that select which guests of a Harvester cluster are hosts, and how furrow reaches them. */
export interface GuestInventoryOptions {
  /** The cluster's kubeconfig: a path, absolute or relative to the inventory's folder. Read permissions are enough. */
  readonly kubeconfig: string;
  /** Namespaces of the guests. Default: all. */
  readonly namespaces?: readonly string[];
  /**
   * How a guest is reached: `node`, through the node that it runs on, which must be a host in the `nodes` group;
   * `direct`, at its address; or a function that returns a jump host in the form of `proxyJump`. Default: `node`,
   * because a guest in the pods' network cannot be reached from elsewhere.
   */
  readonly through?: "node" | "direct" | ((guest: Guest) => string | undefined);
  /** The address to connect to. Default: the first that KubeVirt knows, IPv4 before IPv6. */
  readonly address?: (guest: Guest) => string | undefined;
  /** The login user of a guest. Default: the user of the `guests` group, or the one in ssh_config. */
  readonly user?: (guest: Guest) => string | undefined;
  /** The vars of a guest. Default: the whole guest, as the var `guest`. */
  readonly vars?: (guest: Guest) => Vars;
}

const known: KeysOf<GuestInventoryOptions> = {
  kubeconfig: true,
  namespaces: true,
  through: true,
  address: true,
  user: true,
  vars: true,
};

/**
 * Lists the guests of a Harvester cluster as hosts in the `guests` group, each named `NAME.NAMESPACE`. Guests that are
 * not running, run Windows, or have no known address are left out; the listing reports them. The credentials are those
 * that the inventory sets for the groups `guests` and `nodes`. Throws FurrowError E_INVENTORY for an unknown option.
 */
export function guestInventory(options: GuestInventoryOptions): InventorySource {
  refuseUnknown(options, known, "guestInventory", {}, "E_INVENTORY");
  return { source: "guests", list: (context) => list(options, context) };
}

async function list(options: GuestInventoryOptions, context: SourceContext): Promise<SourceListing> {
  const { through = "node", vars = (guest: Guest): Vars => ({ guest }) } = options;
  const kubeconfig = resolve(context.folder, options.kubeconfig);
  const [all, machines, nodes] = await Promise.all([
    asked(kubeconfig, guestLists.guests, context.signal),
    asked(kubeconfig, guestLists.machines, context.signal),
    through === "node" ? asked(kubeconfig, guestLists.nodes, context.signal) : [],
  ]);
  const windows = new Set(machines.filter(({ system }) => system === "windows").map(({ id }) => id));
  const ways = new Map(nodes.map(({ name, address }) => [name, address]));
  const guests: Record<string, HostEntry> = {};
  const jumps: Record<string, HostEntry> = {};
  const leftOut: LeftOut[] = [];
  for (const guest of all) {
    if (options.namespaces?.includes(guest.namespace) === false) continue;
    const host = `${guest.name}.${guest.namespace}`;
    const address = options.address === undefined ? usualAddress(guest) : options.address(guest);
    const way = ways.get(guest.node);
    const isWindows = guest.system === "mswindows" || windows.has(`${guest.namespace}/${guest.name}`);
    // Tenants choose the names of guests, and a guest must not be mistaken for a node.
    const reason = ways.has(host)
      ? "it has the name of a node"
      : isWindows
        ? "Windows"
        : unreachable(guest, address, through === "node" ? way : "");
    if (reason !== undefined || address === undefined) {
      leftOut.push({ host, reason: reason ?? "no address" });
      continue;
    }
    if (way !== undefined) jumps[guest.node] = { address: way };
    const proxyJump = through === "node" ? guest.node : through === "direct" ? undefined : through(guest);
    const user = options.user?.(guest);
    guests[host] = {
      address,
      ...(proxyJump !== undefined && { proxyJump }),
      ...(user !== undefined && { user }),
      vars: vars(guest),
    };
  }
  return {
    hosts: { ...jumps, ...guests },
    groups: { guests: { hosts: Object.keys(guests) }, nodes: { hosts: Object.keys(jumps) } },
    leftOut,
  };
}

function usualAddress({ addresses }: Guest): string | undefined {
  return addresses.find((address) => !address.includes(":")) ?? addresses[0];
}

/** Why a guest cannot be reached; `way` is the address of its node, or undefined if that is unknown. */
function unreachable(guest: Guest, address: string | undefined, way: string | undefined): string | undefined {
  if (guest.phase !== "Running") return guest.phase;
  if (address === undefined) return "no address; is qemu-guest-agent running?";
  return way === undefined ? `its node ${guest.node} has no address` : undefined;
}

async function asked<S extends z.ZodType>(
  kubeconfig: string,
  list: { readonly path: string; readonly kind: string; readonly schema: S },
  signal: AbortSignal,
): Promise<readonly z.output<S>[]> {
  const request = { kubeconfig, path: list.path, list: true };
  const answer = (await kubernetesDriver.read(request, signal)) as KubernetesListAnswer;
  const objects = objectsIn(list, answer);
  if (typeof objects !== "string") return objects;
  throw new FurrowError("E_INVENTORY", {
    what: `cannot list the guests of the cluster: GET ${list.path}`,
    current: objects,
    hint:
      "error" in answer && answer.error.code === "no-kubeconfig"
        ? missingKubeconfigHint
        : `Check the cluster, and that ${kubeconfig} is allowed to read nodes, virtualmachines and virtualmachineinstances`,
  });
}
