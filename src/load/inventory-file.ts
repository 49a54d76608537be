import { existsSync } from "node:fs";
import { FurrowError } from "../core/errors.ts";
import type { InventoryDefinition } from "../core/inventory.ts";
import type { LeftOut, Origins } from "../core/inventory-source.ts";
import { constructGroups } from "./constructed.ts";
import { hostList, isHostList } from "./host-list.ts";
import { checkInventory } from "./inventory-check.ts";
import { joinParts } from "./inventory-join.ts";
import { expectedExport, fileParts, type FileParts, type InventoryManner } from "./inventory-parts.ts";
import { importUserFile } from "./user-file.ts";

/** An inventory with the hosts of its sources in it, and how the user named it. */
export interface LoadedInventory {
  readonly label: string;
  readonly definition: InventoryDefinition;
  readonly origins: Origins;
  /** Hosts that sources know and that cannot be used. */
  readonly leftOut: readonly LeftOut[];
}

const sort = { noun: "inventory", code: "E_INVENTORY", expected: expectedExport } as const;

/**
 * Reads what `-i` names, once or several times: inventory files, lists of hosts, or `local`; asks the sources, and
 * merges all of it in order: what comes later wins. Throws FurrowError E_INVENTORY.
 */
export async function loadInventory(
  texts: string | readonly string[],
  manner: InventoryManner,
): Promise<LoadedInventory> {
  const all = typeof texts === "string" ? [texts] : texts;
  const label = all.join(" and ");
  const read = await Promise.all(all.map((text) => readOne(text, all.length > 1, manner)));
  const [position] = read.flatMap((one) => one.position ?? []);
  const joined = joinParts(read.flatMap(({ parts }) => parts));
  checkInventory(joined.definition, label, position);
  const constructed = read.flatMap((one) => one.constructed);
  const definition = constructGroups(joined.definition, joined.origins, constructed);
  if (constructed.length > 0) checkInventory(definition, label, position);
  if (Object.keys(definition.hosts).length === 0) throw noHosts(label, position, joined.leftOut);
  return { label, definition, origins: joined.origins, leftOut: joined.leftOut };
}

async function readOne(text: string, several: boolean, manner: InventoryManner): Promise<FileParts> {
  const from = several ? text : undefined;
  if (isHostList(text) && !existsSync(text)) {
    const definition = hostList(text);
    return { parts: [{ definition, from, leftOut: [] }], constructed: [], position: undefined };
  }
  if (!existsSync(text) && !/[./]/.test(text)) throw noSuchInventory(text);
  return fileParts(await importUserFile(text, sort), text, from, manner);
}

function noHosts(label: string, position: string | undefined, leftOut: readonly LeftOut[]): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `the inventory ${label} has no hosts`,
    ...(position !== undefined && { where: { source: position } }),
    ...(leftOut.length > 0 && {
      current: `left out: ${leftOut.map(({ host, reason }) => `${host} (${reason})`).join(", ")}`,
    }),
    hint: 'Add hosts: { web1: { address: "192.0.2.7" } }',
  });
}

function noSuchInventory(text: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `the inventory ${text} does not exist`,
    current: `no file "${text}", and no comma that would make it a list of hosts`,
    hint: `Write "-i ${text}," for the host ${text}, or give the path of an inventory file`,
  });
}
