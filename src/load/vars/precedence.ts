import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import type { Connection } from "../../core/inventory/inventory-entries.ts";
import type { Origins } from "../../core/inventory/inventory-source.ts";
import { generatedKeyPrefix } from "../../core/secrets/secret-source.ts";
import { connectionKeys } from "../inventory/inventory-schema.ts";

/** A merged value and its origin: `inventory`, `group web`, `host web1`, `--var`, `--user`. */
export interface Setting<T = unknown> {
  readonly value: T;
  readonly origin: string;
}

/** Settings by name; connection settings of `become` are `become.method`, `become.user`, `become.password`. */
export type Settings = Readonly<Record<string, Setting>>;

/** One host with the merged settings of its groups, the inventory and the command line. */
export interface MergedHost {
  readonly name: string;
  /** All groups that contain the host, directly or through other groups, in the order they apply. */
  readonly groups: readonly string[];
  readonly vars: Settings;
  readonly connection: Settings;
}

/** The vars and connection settings that the command line gives for every host. */
export interface CommandLine {
  readonly vars: Settings;
  readonly connection: Settings;
}

/** A command line without vars or settings. */
export const noCommandLine: CommandLine = { vars: {}, connection: {} };

/**
 * Merges the settings of each host: inventory < groups (outer before inner, then by name) < host <
 * command line. A var is replaced as a whole, never merged key by key.
 */
export function mergeHosts(
  definition: InventoryDefinition,
  commandLine: CommandLine = noCommandLine,
  origins: Origins = {},
): MergedHost[] {
  const order = groupOrder(definition.groups ?? {});
  const members = groupMembers(definition.groups ?? {});
  return Object.entries(definition.hosts).map(([name, host]) => {
    const { notInherited = [] } = host;
    const groups = order.filter((group) => members.get(group)?.has(name));
    const layers = [
      { origin: "inventory", known: origins.inventory, ...pick(definition) },
      ...groups.map((group) => ({
        origin: `group ${group}`,
        known: origins.groups?.[group],
        ...pick(definition.groups?.[group] ?? {}),
      })),
      { origin: `host ${name}`, known: origins.hosts?.[name], ...pick(host) },
    ];
    const vars = layers.map(({ vars: values, origin, known }) =>
      withOrigin(values, (key) => known?.[`vars.${key}`] ?? origin),
    );
    const connection = layers.map(({ connection: values, origin, known }) =>
      withOrigin(values, (key) => known?.[key] ?? origin),
    );
    const inherited = Object.entries(Object.assign({}, ...connection.slice(0, -1)) as Settings);
    return {
      name,
      groups,
      vars: Object.assign({}, ...vars, commandLine.vars) as Settings,
      connection: {
        ...Object.fromEntries(inherited.filter(([key]) => !notInherited.includes(key))),
        ...connection.at(-1),
        ...commandLine.connection,
      },
    };
  });
}

/** Settings that a host does not inherit from its jump host: address and login. */
const ownOfFront: ReadonlySet<string> = new Set([
  "address",
  "port",
  "user",
  "proxyJump",
  "tunnel",
  "transport",
  "password",
  "hostKeys",
]);

/** Splits the identity files in a setting into generated keys and others. */
export function identitiesIn(setting: unknown): {
  readonly generated: readonly string[];
  readonly files: readonly string[];
} {
  const all = setting === undefined ? [] : [setting as string | readonly string[]].flat();
  return {
    generated: all.filter((path) => path.startsWith(generatedKeyPrefix)),
    files: all.filter((path) => !path.startsWith(generatedKeyPrefix)),
  };
}

/**
 * A host reached through another one, `front`. The host uses `front` as its jump host and inherits the settings that it
 * does not set itself. A generated key is offered in addition to the inherited ones. If `front` uses the `openssh`
 * transport, so does the host, unless a password is its only way to log in.
 */
export function behind(front: MergedHost, host: MergedHost): MergedHost {
  const shared = Object.entries(front.connection).filter(([key]) => !ownOfFront.has(key) && !key.startsWith("become"));
  const { transport } = front.connection;
  const { password, identityFile } = host.connection;
  const own = identitiesIn(identityFile?.value);
  const inherited = own.files.length > 0 ? undefined : front.connection["identityFile"];
  const needsPassword = password !== undefined && own.generated.length === 0;
  return {
    ...host,
    vars: { ...front.vars, ...host.vars },
    connection: {
      ...Object.fromEntries(shared),
      ...(transport?.value === "openssh" && !needsPassword && { transport }),
      ...host.connection,
      ...(inherited !== undefined &&
        own.generated.length > 0 && {
          identityFile: { ...inherited, value: [...own.generated, ...identitiesIn(inherited.value).files] },
        }),
      ...(transport?.value !== "local" && {
        proxyJump: { value: front.name, origin: `host ${host.name}` },
      }),
    },
  };
}

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Vars and connection settings of one layer; a setting of `become` has the name `become.NAME`. */
export function pick(layer: Connection & { readonly vars?: Values }): { vars: Values; connection: Values } {
  const own = Object.entries(layer).filter(([key, value]) => connectionKeys.includes(key) && value !== undefined);
  const become = Object.entries((layer.become ?? {}) as Values)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]): [string, unknown] => [`become.${key}`, value]);
  return { vars: layer.vars ?? {}, connection: Object.fromEntries<unknown>([...own, ...become]) };
}

function withOrigin(values: Values, originOf: (key: string) => string): Settings {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, { value, origin: originOf(key) }]));
}

type Groups = NonNullable<InventoryDefinition["groups"]>;

/** Group names, outer groups before their subgroups, then by name. */
export function groupOrder(groups: Groups): string[] {
  const depth = new Map<string, number>();
  const visit = (name: string, level: number): void => {
    if ((depth.get(name) ?? -1) >= level) return;
    depth.set(name, level);
    for (const below of groups[name]?.groups ?? []) visit(below, level + 1);
  };
  for (const name of Object.keys(groups)) visit(name, 0);
  return Object.keys(groups).toSorted(
    (a, b) => (depth.get(a) ?? 0) - (depth.get(b) ?? 0) || (a < b ? -1 : a > b ? 1 : 0),
  );
}

/** The hosts of every group, including its subgroups. */
export function groupMembers(groups: Groups): ReadonlyMap<string, ReadonlySet<string>> {
  const hostsOf = (name: string): string[] => [
    ...(groups[name]?.hosts ?? []),
    ...(groups[name]?.groups ?? []).flatMap(hostsOf),
  ];
  return new Map(Object.keys(groups).map((name) => [name, new Set(hostsOf(name))]));
}

/** The values of settings, without their origins. */
export function valuesOf(settings: Settings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).map(([key, { value }]) => [key, value]));
}
