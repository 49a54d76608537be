import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Constructed, InventoryDefinition } from "../../core/inventory/inventory.ts";
import type { GroupEntry } from "../../core/inventory/inventory-entries.ts";
import type { Origins } from "../../core/inventory/inventory-source.ts";
import { show } from "../playbook/issues.ts";
import { goodName } from "./inventory-schema.ts";
import { mergeHosts, type MergedHost, valuesOf } from "../vars/precedence.ts";

/**
 * Adds each host to the groups that the inventory's functions return for its vars. Every function receives the groups
 * as they were before any of the functions ran. Throws FurrowError E_INVENTORY if a function throws or returns an
 * invalid group name.
 */
export function constructGroups<T extends InventoryDefinition>(
  definition: T,
  origins: Origins,
  functions: readonly Constructed[],
): T {
  if (functions.length === 0) return definition;
  const groups: Record<string, GroupEntry> = { ...definition.groups };
  for (const host of mergeHosts(definition, undefined, origins)) {
    for (const name of functions.flatMap((made) => namesFor(made, host))) {
      groups[name] = { ...groups[name], hosts: [...new Set([...(groups[name]?.hosts ?? []), host.name])] };
    }
  }
  return { ...definition, groups };
}

function namesFor(constructed: Constructed, { name, groups, vars }: MergedHost): string[] {
  const given = call(constructed, { name, groups, vars });
  const names = (Array.isArray(given) ? given : [given]) as readonly unknown[];
  return names.filter((group) => group !== undefined && group !== false).map((group) => checked(group, name));
}

function call(constructed: Constructed, { name, groups, vars }: Omit<MergedHost, "connection">): unknown {
  try {
    return constructed(valuesOf(vars), { name, groups });
  } catch (error) {
    if (isFurrowError(error)) throw error;
    throw new FurrowError("E_INVENTORY", {
      what: `a constructed-groups function threw an error for the host ${name}`,
      current: error instanceof Error ? error.message : String(error),
      hint: "Return undefined if a host lacks the var",
      cause: error,
    });
  }
}

function checked(group: unknown, host: string): string {
  if (typeof group === "string" && goodName.test(group) && group !== "all") return group;
  throw new FurrowError("E_INVENTORY", {
    what: `a constructed-groups function returned an invalid group name for the host ${host}`,
    current: show("", group),
    expected: "letters, digits, dot, dash and underscore; false or undefined for no group",
    hint: "Replace other characters in the function",
  });
}
