import { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import type { GroupEntry, HostEntry } from "../../core/inventory/inventory-entries.ts";
import type { LeftOut, Origins } from "../../core/inventory/inventory-source.ts";
import { pick } from "../vars/precedence.ts";

/** The content of one file, source or host list. */
export interface InventoryPart {
  readonly definition: Omit<InventoryDefinition, "sources" | "constructed">;
  /** The name shown in the origins of the part's values; undefined if there is only one part. */
  readonly from: string | undefined;
  readonly origins?: Origins;
  /** The name of the source that this part comes from, if any. */
  readonly source?: string;
  /** The path of the inventory file that names the source. */
  readonly path?: string;
  readonly leftOut: readonly LeftOut[];
  /** Groups directly below `all`, in Ansible inventories. */
  readonly topGroups?: readonly string[];
  /** True if the names come from another tool and may be invalid names in furrow. */
  readonly isForeign?: boolean;
}

/** Several parts merged into one. */
export interface JoinedInventory {
  readonly definition: InventoryPart["definition"];
  readonly origins: Origins;
  /** Hosts that a source listed but that cannot be used, except those that another part defines. */
  readonly leftOut: readonly LeftOut[];
  readonly topGroups: readonly string[];
  /** Names that come from another tool. */
  readonly foreignNames: ReadonlySet<string>;
}

/**
 * Throws FurrowError E_INVENTORY for a name that cannot be a key of a JavaScript object: assigning to it sets the
 * prototype, so the host would be missing from the inventory.
 */
export function refuseName(noun: "host" | "group", name: string): void {
  if (name !== "__proto__") return;
  throw new FurrowError("E_INVENTORY", {
    what: `a ${noun} cannot be named __proto__`,
    hint: `Give the ${noun} another name`,
  });
}

/**
 * Refuses a host that two sources list: two machines would be merged into one host, with the address of one and the
 * vars of the other. Only a hand-written inventory may add to a source's hosts.
 */
function refuseListedTwice(parts: readonly InventoryPart[]): void {
  const listed = parts.flatMap(({ source, path, definition }) =>
    source === undefined ? [] : Object.keys(definition.hosts).map((host) => ({ host, by: `${source} of ${path}` })),
  );
  const twice = [...Map.groupBy(listed, ({ host }) => host)].filter(([, by]) => by.length > 1);
  const [first, ...others] = twice.map(([host, all]) => ({ host, by: all.map(({ by }) => by).join(" and ") }));
  if (first === undefined) return;
  throw new FurrowError("E_INVENTORY", {
    what: `two sources list a host named "${first.host}": ${first.by}`,
    expected: "one machine for each host name",
    hint: "Rename one of the machines, exclude one with the filters of its source, or use these inventories in different runs",
    ...(others.length > 0 && { details: others.map(({ host, by }) => `${host}: ${by}`) }),
  });
}

/**
 * Merges parts: later parts win, var by var; hosts and groups of the same name are merged. Throws FurrowError
 * E_INVENTORY if two sources list the same host.
 */
export function joinParts(parts: readonly InventoryPart[]): JoinedInventory {
  refuseListedTwice(parts);
  const hosts: Record<string, HostEntry> = {};
  const groups: Record<string, GroupEntry> = {};
  let top: Omit<InventoryDefinition, "hosts" | "groups"> = {};
  const origins = { inventory: {}, groups: {} as Nested, hosts: {} as Nested };
  for (const { definition, from, origins: own } of parts) {
    const { hosts: ownHosts, groups: ownGroups = {}, ...rest } = definition;
    const suffix = from === undefined ? "" : ` (${from})`;
    top = over(top, rest);
    Object.assign(origins.inventory, originsOf(rest, from ?? "inventory", own?.inventory));
    for (const [name, entry] of Object.entries(ownHosts)) {
      refuseName("host", name);
      hosts[name] = over(hosts[name] ?? {}, entry);
      origins.hosts[name] = {
        ...origins.hosts[name],
        ...originsOf(entry, `host ${name}${suffix}`, own?.hosts?.[name]),
      };
    }
    for (const [name, entry] of Object.entries(ownGroups)) {
      refuseName("group", name);
      const before = groups[name];
      groups[name] = {
        ...over(before ?? {}, entry),
        hosts: [...new Set([...(before?.hosts ?? []), ...(entry.hosts ?? [])])],
        groups: [...new Set([...(before?.groups ?? []), ...(entry.groups ?? [])])],
      };
      origins.groups[name] = {
        ...origins.groups[name],
        ...originsOf(entry, `group ${name}${suffix}`, own?.groups?.[name]),
      };
    }
  }
  const leftOut = parts.flatMap((part) => part.leftOut).filter(({ host }) => !Object.hasOwn(hosts, host));
  const foreign = parts.filter(({ isForeign }) => isForeign === true);
  return {
    definition: { ...top, hosts, groups },
    origins,
    leftOut,
    topGroups: [...new Set(parts.flatMap(({ topGroups = [] }) => topGroups))],
    foreignNames: new Set(
      foreign.flatMap(({ definition }) => [...Object.keys(definition.hosts), ...Object.keys(definition.groups ?? {})]),
    ),
  };
}

type Nested = Record<string, Record<string, string>>;

/** Merges one layer over another, key by key, including the keys inside `become` and `vars`. */
function over<T extends GroupEntry & HostEntry>(below: T, above: T): T {
  const said = Object.fromEntries(Object.entries(above).filter(([, value]) => value !== undefined)) as T;
  return {
    ...below,
    ...said,
    ...((below.become ?? above.become) !== undefined && { become: { ...below.become, ...above.become } }),
    ...((below.vars ?? above.vars) !== undefined && { vars: { ...below.vars, ...above.vars } }),
  };
}

function originsOf(
  entry: Parameters<typeof pick>[0],
  otherwise: string,
  known: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { vars, connection } = pick(entry);
  const keys = [...Object.keys(connection), ...Object.keys(vars).map((name) => `vars.${name}`)];
  return Object.fromEntries(keys.map((key) => [key, known[key] ?? otherwise]));
}
