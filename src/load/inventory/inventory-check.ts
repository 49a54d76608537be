import { checked } from "../../core/params/checked.ts";
import { FurrowError } from "../../core/errors.ts";
import type { GroupEntry } from "../../core/inventory/inventory-entries.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import { closest } from "../../core/closest.ts";
import { type Fault, faults } from "../playbook/issues.ts";
import { goodName, inventorySchema } from "./inventory-schema.ts";

/**
 * Checks an inventory's shape, and that its host and group names are valid and defined. `label` is the user's name for
 * the inventory; `foreignNames` are accepted unchecked. Throws a FurrowError E_INVENTORY that lists every error.
 */
export function checkInventory(
  definition: InventoryDefinition,
  label: string,
  source: string | undefined,
  foreignNames: ReadonlySet<string> = new Set(),
): void {
  checkShape(definition, label, source);
  refuse(nameFaults(definition, foreignNames), label, source);
}

/**
 * Checks only an inventory's shape, because its groups may name hosts in other parts. Throws the same errors as
 * checkInventory.
 */
export function checkShape(definition: InventoryDefinition, label: string, source: string | undefined): void {
  const result = checked(inventorySchema, definition, Object.keys(definition.hosts ?? {}).length);
  if (!result.success) {
    refuse(faults(inventorySchema, result.error.issues, definition).map(sentence), label, source);
  }
  refuse(Object.entries(definition.groups ?? {}).flatMap(repeated), label, source);
}

/** The hosts and groups that a group names twice: the second mention may have been meant as a different name. */
function repeated([group, { hosts = [], groups = [] }]: [string, GroupEntry]): Wrong[] {
  const twice = (names: readonly string[]): ReadonlySet<string> => {
    const seen = new Set<string>();
    return new Set(names.filter((name) => seen.size === seen.add(name).size));
  };
  return Object.entries({ host: twice(hosts), group: twice(groups) }).flatMap(([noun, names]) =>
    [...names].map((name) => ({
      what: `group "${group}" names the ${noun} "${name}" twice`,
      hint: `Remove one of them, or write the name of the ${noun} that you meant`,
    })),
  );
}

function refuse(found: readonly Wrong[], label: string, source: string | undefined): void {
  const [first] = found;
  if (first === undefined) return;
  throw new FurrowError("E_INVENTORY", {
    what: `the inventory ${label} is wrong: ${first.what}`,
    ...(source !== undefined && { where: { source } }),
    ...(first.current !== undefined && { current: first.current }),
    ...(first.expected !== undefined && { expected: first.expected }),
    hint: first.hint,
    ...(found.length > 1 && { details: found.slice(1).map(({ what, hint }) => `${what}. ${hint}`) }),
  });
}

interface Wrong {
  readonly what: string;
  readonly current?: string;
  readonly expected?: string;
  readonly hint: string;
}

/** The names that Ansible and OpenSSH use for a host's settings. */
const otherNames: Readonly<Record<string, string>> = {
  ansible_connection: "transport",
  connection: "transport",
  ansible_host: "address",
  host: "address",
  hostname: "address",
  ip: "address",
  ansible_port: "port",
  ansible_user: "user",
  username: "user",
  ansible_ssh_private_key_file: "identityFile",
  key: "identityFile",
  keyFile: "identityFile",
  ansible_become: "become",
  sudo: "become",
  ansible_password: "password",
};

function sentence({ path, kind, current, expected, meant: similar }: Fault): Wrong {
  const place = path === "" ? "the inventory" : `"${path}"`;
  const what =
    kind === "unknown"
      ? `${place} is not a known setting`
      : kind === "missing"
        ? `${place} is missing`
        : `${place} has a wrong value`;
  const key = path.split(".").at(-1) ?? "";
  const known = kind === "unknown" && Object.hasOwn(otherNames, key) ? otherNames[key] : undefined;
  const meant = expected?.includes(known ?? "\n") === true ? known : similar;
  return {
    what,
    ...(current !== undefined && { current }),
    ...(expected !== undefined && { expected }),
    hint:
      (kind === "wrong" && key === "address" ? addressHint(current) : undefined) ??
      (meant !== undefined
        ? `Write "${meant}" instead of "${key}"`
        : kind === "unknown"
          ? `Put values for playbooks into "vars"`
          : `Set "${path}" to ${expected ?? "what is expected"}`),
  };
}

/**
 * The settings to write instead of an address that also contains a user or a port: `root@192.0.2.7:22`,
 * `[2001:db8::7]:22`.
 */
function addressHint(shown: string | undefined): string | undefined {
  const [, user, bracketed, plain, port] =
    /^"(?:([^"@]+)@)?(?:\[([^"\]]+)\]|([^"[\]:]+))(?::(\d+))?"$/.exec(shown ?? "") ?? [];
  const address = bracketed ?? plain;
  if (address === undefined || (user ?? port ?? bracketed) === undefined) return undefined;
  const parts = [
    `address: "${address}"`,
    ...(user === undefined ? [] : [`user: "${user}"`]),
    ...(port === undefined ? [] : [`port: ${port}`]),
  ];
  return `Set ${parts.join(", ")}`;
}

function nameFaults({ hosts, groups = {} }: InventoryDefinition, foreign: ReadonlySet<string>): Wrong[] {
  const hostNames = Object.keys(hosts);
  const groupNames = Object.keys(groups);
  const bad = [...hostNames.map((name) => ["host", name]), ...groupNames.map((name) => ["group", name])].flatMap(
    ([noun = "", name = ""]): Wrong[] =>
      name === "all"
        ? [
            {
              what: `a ${noun} is named "all", which means all hosts`,
              hint: "Put what all hosts have in common at the top level of the inventory",
            },
          ]
        : goodName.test(name) || foreign.has(name)
          ? []
          : [
              {
                what: `"${name}" cannot be the name of a ${noun}`,
                expected: "letters, digits, dot, dash and underscore",
                hint: `Rename it; a host's own address goes into "address"`,
              },
            ],
  );
  const twice = groupNames
    .filter((name) => Object.hasOwn(hosts, name) && !foreign.has(name))
    .map((name) => ({ what: `"${name}" is both a host and a group`, hint: "Rename one of them" }));
  const unknown = Object.entries(groups).flatMap(([group, { hosts: members = [], groups: below = [] }]) => [
    ...members
      .filter((name) => !Object.hasOwn(hosts, name))
      .map((name) => unknownMember(group, "host", name, hostNames)),
    ...below
      .filter((name) => !Object.hasOwn(groups, name))
      .map((name) => unknownMember(group, "group", name, groupNames)),
  ]);
  return [...bad, ...twice, ...unknown, ...cycles(groups)];
}

function unknownMember(group: string, noun: string, name: string, known: readonly string[]): Wrong {
  const near = closest(name, known);
  return {
    what: `group "${group}" names the ${noun} "${name}", which is not in the inventory`,
    hint: near === undefined ? `Add "${name}" to ${noun}s, or remove it from the group` : `Write "${near}" instead`,
  };
}

function cycles(groups: NonNullable<InventoryDefinition["groups"]>): Wrong[] {
  const walk = (name: string, above: readonly string[]): string[] | undefined => {
    if (above.includes(name)) return [...above.slice(above.indexOf(name)), name];
    for (const below of groups[name]?.groups ?? []) {
      const found = walk(below, [...above, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  for (const name of Object.keys(groups)) {
    const found = walk(name, []);
    if (found !== undefined) {
      return [{ what: `groups contain each other: ${found.join(" > ")}`, hint: "Remove one of them from the other" }];
    }
  }
  return [];
}
