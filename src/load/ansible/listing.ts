import { FurrowError } from "../../core/errors.ts";
import type { Connection, GroupEntry, HostEntry, Vars } from "../../core/inventory/inventory-entries.ts";
import type { LeftOut } from "../../core/inventory/inventory-source.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { notShown } from "../../core/secrets/secret-schema.ts";
import { type InventoryPart, refuseName } from "../inventory/inventory-join.ts";
import { show } from "../playbook/issues.ts";
import { membersInOrder } from "../inventory/host-pattern.ts";
import { mergeHosts, pick, type Values } from "../vars/precedence.ts";
import { type AnsibleConnection, argumentNames, connectionNames, connectionOf, isTemplate } from "./connection.ts";
import type { AnsibleGraph, SaidVars } from "./graph.ts";
import type { AnsibleLayers } from "./merged.ts";
import { misspeltNotices } from "./misspelt.ts";

/**
 * Converts an Ansible inventory to furrow's form. Vars stay with the group or host that sets them. If Ansible's
 * precedence gives a host a different value than furrow's precedence does, Ansible's value is set on the host; a
 * setting that Ansible does not give the host is not inherited, for example because the host replaces it or sets it to
 * an empty value. Connection variables also become settings. Throws FurrowError E_INVENTORY if a host has connection
 * variables that furrow cannot use.
 */
export function listingOf(
  graph: AnsibleGraph,
  layers: AnsibleLayers,
  notice: (text: string) => void,
): InventoryPart & { readonly topGroups: readonly string[] } {
  const reached = new Map([...layers.merged].map(([host, vars]) => [host, connectionOf(valuesOf(vars))]));
  refuseWrong(layers, reached);
  for (const text of new Set([...reached.values()].flatMap(({ ignored }) => ignored))) {
    notice(`${text} is an ssh argument that furrow does not support; it is ignored`);
  }
  for (const text of misspeltNotices(layers.merged.values(), connectionNames)) notice(text);
  for (const [file, names] of templates(layers)) {
    notice(
      `${file}: furrow does not evaluate Jinja; playbooks get ${[...names].toSorted().join(", ")} with the template as written`,
    );
  }
  const leftOut = [...reached].flatMap(([host, { unreachable }]): LeftOut[] =>
    unreachable === undefined ? [] : [{ host, reason: unreachable }],
  );
  const out = new Set(leftOut.map(({ host }) => host));
  const origins = {
    inventory: originsOf(layers.all, "all"),
    groups: {} as Record<string, Record<string, string>>,
    hosts: {} as Record<string, Record<string, string>>,
  };
  const groups: Record<string, GroupEntry> = {};
  const topGroups = graph.groups.get("all")?.children ?? [];
  for (const name of new Set([...topGroups, ...graph.groups.keys()])) {
    const group = graph.groups.get(name);
    const vars = layers.groups.get(name);
    if (group === undefined || vars === undefined) continue;
    if (name === "ungrouped" && group.hosts.length + group.children.length + vars.size === 0) continue;
    refuseName("group", name);
    groups[name] = { hosts: group.hosts.filter((host) => !out.has(host)), groups: group.children, ...entryOf(vars) };
    origins.groups[name] = originsOf(vars, `group ${name}`);
  }
  const hosts: Record<string, HostEntry> = {};
  for (const name of hostsInOrder(graph)) {
    const vars = layers.hosts.get(name);
    if (vars === undefined || out.has(name)) continue;
    refuseName("host", name);
    hosts[name] = entryOf(vars);
    origins.hosts[name] = originsOf(vars, `host ${name}`);
  }
  const natural = { hosts, groups, ...entryOf(layers.all) };
  for (const host of mergeHosts(natural)) {
    const wanted = layers.merged.get(host.name) ?? (new Map() as SaidVars);
    const vars = [...wanted].filter(([key, { value }]) => !(key in host.vars) || host.vars[key]?.value !== value);
    const wantedSettings = flat(reached.get(host.name)?.connection ?? {});
    const connection = Object.entries(wantedSettings).filter(
      ([key, value]) => JSON.stringify(host.connection[key]?.value) !== JSON.stringify(value),
    );
    const notInherited = Object.keys(host.connection).filter((key) => !(key in wantedSettings));
    if (vars.length + connection.length + notInherited.length === 0) continue;
    const own = hosts[host.name] ?? {};
    hosts[host.name] = {
      ...own,
      ...nested(connection, own.become),
      ...(notInherited.length > 0 && { notInherited }),
      vars: { ...own.vars, ...plain(new Map(vars)) },
    };
    origins.hosts[host.name] = {
      ...originsOf(wanted, `host ${host.name}`),
      ...origins.hosts[host.name],
      ...originsOf(new Map(vars), `host ${host.name}`),
    };
  }
  return { definition: { ...natural, hosts }, from: undefined, origins, leftOut, topGroups, isForeign: true };
}

/** All hosts in the order of the group `all`, which is the order in which Ansible runs and numbers them. */
function hostsInOrder(graph: AnsibleGraph): ReadonlySet<string> {
  const groups = [...graph.groups].map(([name, { hosts, children }]) => [name, { hosts, groups: children }] as const);
  return new Set([...membersInOrder(Object.fromEntries(groups), ["all"]), ...graph.hosts.keys()]);
}

function valuesOf(vars: SaidVars): Map<string, unknown> {
  return new Map([...vars].map(([name, { value }]) => [name, value]));
}

/**
 * The names of the hosts' variables that contain a Jinja template, by file; in connection variables, templates are
 * refused.
 */
function templates({ merged }: AnsibleLayers): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const vars of merged.values()) {
    for (const [name, { value, file }] of vars) {
      if (hasTemplate(value)) found.set(file, (found.get(file) ?? new Set()).add(name));
    }
  }
  return new Map([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function hasTemplate(value: unknown): boolean {
  if (value instanceof Secret) return false;
  if (typeof value !== "object" || value === null) return isTemplate(value);
  return Object.values(value).some(hasTemplate);
}

function plain(vars: SaidVars): Vars {
  return Object.fromEntries(valuesOf(vars));
}

function entryOf(vars: SaidVars): Connection & { readonly vars?: Vars } {
  const { connection } = connectionOf(valuesOf(vars));
  return { ...connection, ...(vars.size > 0 && { vars: plain(vars) }) };
}

function flat(connection: Connection): Values {
  return pick(connection).connection;
}

/** Converts settings into the form of an inventory entry, in which the `become` settings are in a nested object. */
function nested(settings: readonly (readonly [string, unknown])[], before: Connection["become"]): Connection {
  const become = settings.flatMap(([key, value]) =>
    key.startsWith("become.") ? [[key.slice("become.".length), value] as const] : [],
  );
  const own = Object.fromEntries<unknown>(settings.filter(([key]) => !key.startsWith("become.")));
  const all = { ...before, ...Object.fromEntries<unknown>(become) };
  return { ...own, ...(Object.keys(all).length > 0 && { become: all }) };
}

/**
 * The origin of each var and setting: the path of a vars file, or the group or host that sets it and the inventory
 * file.
 */
function originsOf(vars: SaidVars, entity: string): Record<string, string> {
  const origin = (name: string): string => {
    const file = vars.get(name)?.file ?? "";
    return /(?:^|\/)(?:group|host)_vars\//.test(file) ? file : `${entity} (${file})`;
  };
  const { from } = connectionOf(valuesOf(vars));
  return Object.fromEntries([
    ...[...vars.keys()].map((name) => [`vars.${name}`, origin(name)]),
    ...Object.entries(from).map(([key, name]) => [key, origin(name)]),
  ]) as Record<string, string>;
}

function refuseWrong(layers: AnsibleLayers, reached: ReadonlyMap<string, AnsibleConnection>): void {
  const all = [...reached].flatMap(([host, { wrong }]) =>
    wrong.map(({ name, reason }) => {
      const said = layers.merged.get(host)?.get(name);
      // ssh arguments may contain a password, for example in a ProxyCommand.
      const value = argumentNames.includes(name) ? notShown : show(name, said?.value);
      return { what: `${name} of the host ${host} ${reason}`, value, file: said?.file ?? "" };
    }),
  );
  const [first, ...rest] = all;
  if (first === undefined) return;
  throw new FurrowError("E_INVENTORY", {
    what: first.what,
    where: { source: first.file },
    current: first.value,
    hint: "Write the actual value here; a later inventory (-i) cannot fix it",
    ...(rest.length > 0 && {
      details: [
        ...rest.slice(0, 9).map(({ what, file }) => `${what} (${file})`),
        ...(rest.length > 9 ? [`and ${rest.length - 9} more`] : []),
      ],
    }),
  });
}
