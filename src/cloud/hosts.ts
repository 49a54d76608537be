import type { GroupEntry, HostEntry, Vars } from "../core/inventory/inventory-entries.ts";
import type { Tunnel } from "../core/host/tunnel.ts";
import type { LeftOut, SourceListing } from "../core/inventory/inventory-source.ts";

/** The id and name that a machine has in its cloud. */
export interface NamedMachine {
  readonly id: string;
  /** The machine's name; empty if it has none. */
  readonly name: string;
}

/** A machine that can be a host. */
export interface CloudMachine extends NamedMachine {
  /** SSH host keys that the provider reports; empty if it reports none. */
  readonly hostKeys: readonly string[];
}

/** Describes how machines become hosts. */
export interface HostView<M> {
  /** Why a machine cannot be reached now: `stopped`; undefined if the machine is running. */
  readonly idle: (machine: M) => string | undefined;
  readonly address: (machine: M) => string | undefined;
  /** The tunnel to a machine; undefined if it is reached at its address. */
  readonly tunnel: (machine: M) => Tunnel | undefined;
  /** The jump host in front of a machine; undefined if it has none. */
  readonly proxyJump?: ((machine: M) => string | undefined) | undefined;
  readonly user: string | ((machine: M) => string | undefined) | undefined;
  readonly vars: (machine: M) => Vars;
  readonly groups: (machine: M) => readonly (string | undefined)[];
}

/**
 * Lists the machines in a cloud for an inventory. Machines that are not running or have no address are left out, and
 * the listing reports them.
 */
export function listingOf<M extends CloudMachine>(machines: readonly M[], view: HostView<M>): SourceListing {
  const names = hostNames(machines);
  const hosts = new Map<string, HostEntry>();
  const leftOut: LeftOut[] = [];
  const usable = machines.filter((machine) => {
    const host = names.get(machine) ?? machine.id;
    const address = view.address(machine) ?? "";
    const reason = view.idle(machine) ?? (address === "" ? "no address" : undefined);
    if (reason === undefined) hosts.set(host, entryOf(machine, address, view));
    else leftOut.push({ host, reason });
    return reason === undefined;
  });
  return { hosts: Object.fromEntries(hosts), groups: groupsOf(usable, names, view.groups), leftOut };
}

function entryOf<M extends CloudMachine>(machine: M, address: string, view: HostView<M>): HostEntry {
  const { user, vars } = view;
  const login = typeof user === "function" ? user(machine) : user;
  const tunnel = view.tunnel(machine);
  const proxyJump = view.proxyJump?.(machine);
  return {
    address,
    ...(tunnel !== undefined && { tunnel }),
    ...(proxyJump !== undefined && { proxyJump }),
    ...(login !== undefined && { user: login }),
    ...(machine.hostKeys.length > 0 && { hostKeys: machine.hostKeys }),
    vars: vars(machine),
  };
}

/**
 * Chooses the host names of machines: the machine's name, or its id if it has no name, or both if several machines
 * would have the same host name. Characters that have a special meaning in host patterns become dashes.
 */
export function hostNames<M extends NamedMachine>(machines: readonly M[]): ReadonlyMap<M, string> {
  const count = new Map<string, number>();
  for (const { name } of machines) count.set(plain(name), (count.get(plain(name)) ?? 0) + 1);
  return new Map(
    machines.map((machine) => {
      const name = plain(machine.name);
      if (name === "") return [machine, machine.id];
      return [machine, count.get(name) === 1 ? name : plain(`${name}-${machine.id}`)];
    }),
  );
}

/** Groups hosts by group name. Empty group names are ignored. */
export function groupsOf<M extends NamedMachine>(
  machines: readonly M[],
  names: ReadonlyMap<M, string>,
  groupNames: (machine: M) => readonly (string | undefined)[],
): Record<string, GroupEntry> {
  const groups = new Map<string, string[]>();
  for (const machine of machines) {
    for (const name of new Set(groupNames(machine))) {
      if (name === undefined || name === "") continue;
      const group = plain(name);
      groups.set(group, [...(groups.get(group) ?? []), names.get(machine) ?? machine.id]);
    }
  }
  return Object.fromEntries([...groups].map(([group, hosts]) => [group, { hosts }]));
}

function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[.-]+/, "");
}
