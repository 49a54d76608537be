import { existsSync, readdirSync } from "node:fs";
import { closest } from "../../core/closest.ts";
import { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import type { LeftOut, Origins } from "../../core/inventory/inventory-source.ts";
import { constructGroups } from "./constructed.ts";
import { hostList, isHostList } from "./host-list.ts";
import { checkInventory } from "./inventory-check.ts";
import { joinParts } from "./inventory-join.ts";
import { expectedExport, fileParts, type FileParts, type InventoryOptions } from "./inventory-parts.ts";
import { importUserFile, isModule } from "../playbook/user-file.ts";

/** A loaded inventory, including the hosts from its sources, and the label that the user gave it. */
export interface LoadedInventory {
  readonly label: string;
  readonly definition: InventoryDefinition;
  readonly origins: Origins;
  /** Hosts that a source listed but that cannot be used. */
  readonly leftOut: readonly LeftOut[];
  /** Groups directly below `all`, in Ansible inventories. */
  readonly topGroups: readonly string[];
}

const sort = { noun: "inventory", code: "E_INVENTORY", expected: expectedExport } as const;

/**
 * Reads the arguments of one or more `-i` flags: inventory files, Ansible inventories, host lists, or `local`. Queries
 * the sources and merges everything in order; later arguments win. Throws FurrowError E_INVENTORY, E_SECRET.
 */
export async function loadInventory(
  texts: string | readonly string[],
  options: InventoryOptions,
): Promise<LoadedInventory> {
  const all = typeof texts === "string" ? [texts] : texts;
  const label = all.join(" and ");
  const read = await Promise.all(runs(all).map((run) => readRun(run, all.length > 1, options)));
  const [position] = read.flatMap((one) => one.position ?? []);
  const joined = joinParts(read.flatMap(({ parts }) => parts));
  checkInventory(joined.definition, label, position, joined.foreignNames);
  const constructed = read.flatMap((one) => one.constructed);
  const definition = constructGroups(joined.definition, joined.origins, constructed);
  if (constructed.length > 0) checkInventory(definition, label, position, joined.foreignNames);
  if (Object.keys(definition.hosts).length === 0) {
    const sources = read.flatMap(({ parts }) => parts.flatMap(({ source }) => source ?? []));
    throw noHosts(label, position, joined.leftOut, sources);
  }
  const { origins, leftOut, topGroups } = joined;
  return { label, definition, origins, leftOut, topGroups };
}

/**
 * Groups the inventories that are read together: consecutive Ansible inventories are read as one; every other inventory
 * is read by itself.
 */
function runs(texts: readonly string[]): (readonly [string, ...string[]])[] {
  const all: [string, ...string[]][] = [];
  for (const text of texts) {
    const last = all.at(-1);
    if (last !== undefined && isAnsible(text) && isAnsible(last[0])) last.push(text);
    else all.push([text]);
  }
  return all;
}

/** An existing path that is not a JS/TS module is an Ansible inventory. */
function isAnsible(path: string): boolean {
  return existsSync(path) && !isModule(path);
}

async function readRun(
  [text, ...more]: readonly [string, ...string[]],
  several: boolean,
  options: InventoryOptions,
): Promise<FileParts> {
  const from = several ? text : undefined;
  if (isAnsible(text)) {
    const { ansibleInventory } = await import("../ansible/index.ts");
    const { signal, notice = () => {}, vaultPasswordFiles = [] } = options;
    const part = await ansibleInventory([text, ...more], { signal, notice, vaultPasswordFiles });
    return { parts: [part], constructed: [], position: undefined };
  }
  if (isHostList(text)) {
    const definition = hostList(text);
    return { parts: [{ definition, from, leftOut: [] }], constructed: [], position: undefined };
  }
  if (!existsSync(text) && !/[./]/.test(text)) throw noSuchInventory(text);
  return fileParts(await importUserFile(text, sort), text, from, options);
}

function noHosts(
  label: string,
  position: string | undefined,
  leftOut: readonly LeftOut[],
  sources: readonly string[],
): FurrowError {
  const asked = sources.join(" and ");
  return new FurrowError("E_INVENTORY", {
    what: `the inventory ${label} has no hosts`,
    ...(position !== undefined && { where: { source: position } }),
    ...(leftOut.length > 0 && {
      current: `left out: ${leftOut.map(({ host, reason }) => `${host} (${reason})`).join(", ")}`,
    }),
    ...(leftOut.length === 0 && asked !== "" && { current: `${asked} found no machines` }),
    hint:
      asked === ""
        ? 'Add hosts: { web1: { address: "192.0.2.7" } }'
        : `Check the account, region and filters of ${asked}, and that the machines exist and are running`,
  });
}

function noSuchInventory(text: string): FurrowError {
  const near = closest(text, ["local", ...readdirSync(".")]);
  return new FurrowError("E_INVENTORY", {
    what: `the inventory ${text} does not exist`,
    current: "not a file, and not a list of hosts, because it contains no comma",
    hint:
      near === undefined
        ? `Write "-i ${text}," for the host ${text}, or give the path of an inventory file`
        : `Write "-i ${near}", or "-i ${text}," for the host ${text}`,
  });
}
