import { FurrowError, type Where } from "../errors.ts";
import { unwatched } from "../guarded/watched-hosts.ts";
import { reportLater } from "../wrong-calls.ts";
import { described } from "./described.ts";

/** Throws FurrowError E_PLAYBOOK if a part of a group is not a list of tasks. */
export function requireList(given: unknown, what: string, hint: string, where: Where): void {
  if (Array.isArray(given)) return;
  throw new FurrowError("E_PLAYBOOK", {
    what,
    where,
    current: described(given),
    expected: "a list of tasks",
    hint,
  });
}

/**
 * The tasks of a group. Anything but a list is reported, and the group is then empty. The error shows the correct form,
 * which `form` contains: `block("a", [ … ])`.
 */
export function listOf<T>(given: readonly T[], owner: string, form: string, where: Where): readonly T[] {
  const list: unknown = given;
  reportLater(() =>
    requireList(list, `the tasks of ${owner} are not a list`, `Write the tasks in brackets: ${form}`, where),
  );
  return Array.isArray(list) ? given : [];
}

/** The options of a group. A `rescue` or `always` that is not a list has already been reported, and is left out. */
export function optionsOf<T extends object>(given: T): T {
  if (typeof given !== "object" || given === null) return {} as T;
  const isFine = (name: string): boolean => {
    const value: unknown = (given as Readonly<Record<string, unknown>>)[name];
    return value === undefined || Array.isArray(value);
  };
  if (isFine("rescue") && isFine("always")) return given;
  return Object.fromEntries(
    Object.entries(given).filter(([name]) => !["rescue", "always"].includes(name) || isFine(name)),
  ) as T;
}

/** The name of a host that is given as a name or as a host of a play; undefined for any other value. */
export function hostName(host: unknown): string | undefined {
  if (typeof host === "string") return host;
  const isNamed = typeof host === "object" && host !== null && !Array.isArray(host) && "name" in host;
  return isNamed && typeof host.name === "string" ? host.name : undefined;
}

/** The names of the hosts of `once()`. Throws FurrowError E_PLAYBOOK if they are not a list of hosts. */
export function hostNames(hosts: readonly unknown[], where: Where): string[] {
  const given: unknown = hosts;
  const names = Array.isArray(given) ? unwatched(hosts).map(hostName) : undefined;
  if (names?.every((name) => name !== undefined) === true) return names;
  throw new FurrowError("E_PLAYBOOK", {
    what: "the hosts of once() are not a list",
    where,
    current: described(given),
    expected: "a list of hosts, or of their names",
    hint:
      typeof given === "string"
        ? `Write once(["${given}"], [ … ])`
        : "Write once(hosts, [ … ]) with the hosts of the play",
  });
}

/** Throws the FurrowError E_PLAYBOOK for a group without a host. */
export function noHost(form: "on" | "nested", given: unknown, expected: string, hint: string, where: Where): never {
  throw new FurrowError("E_PLAYBOOK", {
    what: `${form}() has no host`,
    where,
    current: described(given),
    expected,
    hint,
  });
}
