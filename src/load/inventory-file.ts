import { existsSync } from "node:fs";
import { FurrowError, isFurrowError } from "../core/errors.ts";
import type { GroupEntry, Inventory, InventoryDefinition, InventorySource } from "../core/inventory.ts";
import { hostList, isHostList } from "./host-list.ts";
import { checkInventory } from "./inventory-check.ts";
import { describe } from "./playbook-file.ts";
import { importUserFile } from "./user-file.ts";

/** An inventory with the hosts of its sources in it, and how the user named it. */
export interface LoadedInventory {
  readonly label: string;
  readonly definition: InventoryDefinition;
}

const sort = { noun: "inventory", code: "E_INVENTORY", expected: "inventory({ hosts: { … } })" } as const;

/**
 * Reads what `-i` names: an inventory file, a list of hosts, or `local`; then asks its sources. Throws FurrowError
 * E_INVENTORY.
 */
export async function loadInventory(text: string, signal: AbortSignal): Promise<LoadedInventory> {
  if (isHostList(text) && !existsSync(text)) {
    const definition = hostList(text);
    checkInventory(definition, text, undefined);
    return { label: text, definition };
  }
  if (!existsSync(text) && !/[./]/.test(text)) throw noSuchInventory(text);
  const value = await importUserFile(text, sort);
  if (!isInventory(value)) throw notInventory(text, value);
  checkInventory(value, text, value.file);
  const found = await Promise.all((value.sources ?? []).map((source) => ask(source, text, signal)));
  const definition = found.reduce<InventoryDefinition>(join, value);
  if (found.length > 0) checkInventory(definition, text, value.file);
  if (Object.keys(definition.hosts).length === 0) {
    throw new FurrowError("E_INVENTORY", {
      what: `the inventory ${text} has no hosts`,
      ...(value.file !== undefined && { where: { source: value.file } }),
      hint: 'Add hosts: { web1: { address: "192.0.2.7" } }',
    });
  }
  return { label: text, definition };
}

async function ask(source: InventorySource, label: string, signal: AbortSignal): Promise<InventoryDefinition> {
  try {
    return await source.load(signal);
  } catch (error) {
    if (isFurrowError(error)) throw error;
    throw new FurrowError("E_INVENTORY", {
      what: `the source ${source.source} of the inventory ${label} failed`,
      current: error instanceof Error ? error.message : String(error),
      hint: "Check its credentials and that its service can be reached",
      cause: error,
    });
  }
}

/** What the file says wins over what a source found; groups with one name become one. */
function join(base: InventoryDefinition, found: InventoryDefinition): InventoryDefinition {
  const groups: Record<string, GroupEntry> = { ...found.groups };
  for (const [name, group] of Object.entries(base.groups ?? {})) {
    const other = groups[name];
    groups[name] = {
      ...other,
      ...group,
      hosts: [...new Set([...(group.hosts ?? []), ...(other?.hosts ?? [])])],
      groups: [...new Set([...(group.groups ?? []), ...(other?.groups ?? [])])],
      vars: { ...other?.vars, ...group.vars },
    };
  }
  const hosts = { ...found.hosts };
  for (const [name, host] of Object.entries(base.hosts)) {
    hosts[name] = { ...hosts[name], ...host, vars: { ...hosts[name]?.vars, ...host.vars } };
  }
  return { ...found, ...base, hosts, groups, vars: { ...found.vars, ...base.vars } };
}

function isInventory(value: unknown): value is Inventory {
  return typeof value === "object" && value !== null && "inventory" in value && value.inventory === true;
}

function noSuchInventory(text: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `the inventory ${text} does not exist`,
    current: `no file "${text}", and no comma that would make it a list of hosts`,
    hint: `Write "-i ${text}," for the host ${text}, or give the path of an inventory file`,
  });
}

function notInventory(path: string, value: unknown): FurrowError {
  const isPlaybook = typeof value === "object" && value !== null && "playbook" in value;
  return new FurrowError("E_INVENTORY", {
    what: `the default export of ${path} is not an inventory`,
    where: { source: path },
    current: isPlaybook ? "a playbook" : describe(value),
    expected: sort.expected,
    hint: "Make it with inventory({ … })",
  });
}
