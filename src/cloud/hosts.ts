import type { GroupEntry } from "../core/inventory.ts";

/** A machine as it is called in its cloud. */
export interface NamedMachine {
  readonly id: string;
  /** Empty where it has none. */
  readonly name: string;
}

/**
 * What machines are called as hosts: by their name, or by their id where they have none; several of one name by both.
 * Characters that mean something in host patterns become dashes.
 */
export function hostNames<M extends NamedMachine>(machines: readonly M[]): ReadonlyMap<M, string> {
  const count = new Map<string, number>();
  for (const { name } of machines) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    machines.map((machine) => {
      const { id, name } = machine;
      const isAlone = count.get(name) === 1;
      return [machine, name === "" ? id : plain(isAlone ? name : `${name}-${id}`)];
    }),
  );
}

/** Groups of hosts by name; a machine is in none under an empty one. */
export function groupsOf<M extends NamedMachine>(
  machines: readonly M[],
  names: ReadonlyMap<M, string>,
  groupNames: (machine: M) => readonly (string | undefined)[],
): Record<string, GroupEntry> {
  const groups: Record<string, { hosts: string[] }> = {};
  for (const machine of machines) {
    for (const name of new Set(groupNames(machine))) {
      if (name === undefined || name === "") continue;
      (groups[plain(name)] ??= { hosts: [] }).hosts.push(names.get(machine) ?? machine.id);
    }
  }
  return groups;
}

function plain(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-").replace(/^[.-]+/, "");
}
