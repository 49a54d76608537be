import { Secret } from "../../core/secrets/secret.ts";
import { vaultValue } from "../../load/ansible/vault.ts";
import type { MergedHost } from "../../load/vars/precedence.ts";
import type { HostBook } from "../hosts.ts";
import { shownValue } from "./shown.ts";

/** Variables that Ansible itself sets and does not list. */
const internal = new Set(
  (
    "ansible_diff_mode ansible_config_file ansible_facts ansible_forks ansible_inventory_sources ansible_limit " +
    "ansible_playbook_python ansible_run_tags ansible_skip_tags ansible_verbosity ansible_version inventory_dir " +
    "inventory_file inventory_hostname inventory_hostname_short groups group_names omit playbook_dir"
  ).split(" "),
);

/** Ansible's names for connection settings. */
const variables: Readonly<Record<string, string>> = {
  address: "ansible_host",
  port: "ansible_port",
  user: "ansible_user",
  identityFile: "ansible_ssh_private_key_file",
  password: "ansible_password",
  "become.method": "ansible_become_method",
  "become.user": "ansible_become_user",
  "become.password": "ansible_become_password",
};

interface Group {
  readonly hosts?: readonly string[];
  readonly children?: readonly string[];
}

/**
 * Prints an inventory in the format of `ansible-inventory --list`. A secret that is encrypted in the inventory stays
 * encrypted; for any other secret, only the name is printed.
 */
export function ansibleList(hosts: readonly MergedHost[], { inventory, scope }: HostBook): object {
  const shown = new Set(hosts.map(({ name }) => name));
  const { groups = {} } = inventory.definition;
  const below = new Set(Object.values(groups).flatMap(({ groups: children = [] }) => children));
  const roots = Object.keys(groups).filter((name) => !below.has(name));
  const grouped = new Set(Object.values(groups).flatMap(({ hosts: members = [] }) => members));
  const alone = scope.hosts.filter((name) => !grouped.has(name));
  const listed: Record<string, Group> = {
    all: group([], ["ungrouped", ...new Set([...inventory.topGroups, ...roots])].filter(unique)),
    ungrouped: group(
      [...(groups["ungrouped"]?.hosts ?? []), ...alone].filter((name) => shown.has(name)),
      [],
    ),
  };
  for (const [name, { hosts: members = [], groups: children = [] }] of Object.entries(groups)) {
    if (name === "ungrouped") listed[name] = { ...listed[name], ...group([], children) };
    else
      listed[name] = group(
        members.filter((member) => shown.has(member)),
        children,
      );
  }
  const vars = hosts.map((host): [string, object] => [host.name, varsOf(host)]);
  return {
    _meta: { hostvars: Object.fromEntries(vars.filter(([, said]) => Object.keys(said).length > 0)) },
    ...Object.fromEntries(Object.entries(listed).filter(([, said]) => Object.keys(said).length > 0)),
  };
}

function unique(name: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(name) === index;
}

function group(hosts: readonly string[], children: readonly string[]): Group {
  return { ...(children.length > 0 && { children }), ...(hosts.length > 0 && { hosts }) };
}

/**
 * A host's vars, plus its connection settings as Ansible variables, unless the name of a var begins with `ansible_`.
 */
function varsOf({ vars, connection }: MergedHost): object {
  const said = Object.entries(vars).map(([name, { value }]): [string, unknown] => [name, value]);
  const isAnsible = said.some(([name]) => name.startsWith("ansible_"));
  const settings = isAnsible
    ? []
    : Object.entries(connection).flatMap(([key, { value }]): [string, unknown][] => {
        const name = variables[key];
        const text = Array.isArray(value) ? (value[0] as unknown) : value;
        return name === undefined ? [] : [[name, text]];
      });
  const all = [...settings, ...said].filter(([name]) => !internal.has(name));
  return Object.fromEntries(all.map(([name, value]) => [name, printable(shownValue(name, value))]));
}

function printable(value: unknown): unknown {
  if (value instanceof Secret) {
    const ciphertext = vaultValue(value)?.ciphertext;
    return ciphertext === undefined ? `«secret ${value.name}»` : { __ansible_vault: ciphertext };
  }
  if (Array.isArray(value)) return value.map(printable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, printable(item)]));
}
