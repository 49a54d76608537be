import { dirname, resolve } from "node:path";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Constructed, Inventory } from "../../core/inventory/inventory.ts";
import type { InventorySource, SourceListing } from "../../core/inventory/inventory-source.ts";
import { inventoryCache } from "./inventory-cache.ts";
import { checkShape } from "./inventory-check.ts";
import type { InventoryPart } from "./inventory-join.ts";
import { isSource } from "./inventory-schema.ts";
import { describe } from "../playbook/playbook-file.ts";
import { settled } from "../playbook/settled.ts";

/** The options for reading inventories. */
export interface InventoryOptions {
  readonly signal: AbortSignal;
  /** True to query sources again and ignore cached answers. */
  readonly refresh?: boolean;
  /** Prints a notice on stderr. */
  readonly notice?: (text: string) => void;
  /** Files that contain ansible-vault passwords, or programs that print them. */
  readonly vaultPasswordFiles?: readonly string[];
}

/** The content of an inventory file, after querying its sources. */
export interface FileParts {
  readonly parts: readonly InventoryPart[];
  readonly constructed: readonly Constructed[];
  /** Position of the file's first inventory. */
  readonly position: string | undefined;
}

/** The export an inventory file must have, for messages. */
export const expectedExport = "inventory({ hosts: { … } })";

/**
 * The parts of an inventory file. `value` is the file's default export: an inventory, a source, or a list of
 * inventories, sources and functions that return group names. `from` is the name shown in the origins of the file's
 * values. Throws FurrowError E_INVENTORY.
 */
export async function fileParts(
  value: unknown,
  path: string,
  from: string | undefined,
  options: InventoryOptions,
): Promise<FileParts> {
  const elements = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (!elements.some((element) => isInventory(element) || isSource(element))) throw notInventory(path, value);
  for (const [index, element] of elements.entries()) {
    if (isInventory(element)) checkShape(element, path, element.file);
    else if (!isSource(element) && !(Array.isArray(value) && typeof element === "function")) {
      throw notElement(path, element, index);
    }
  }
  const found = elements.map(async (element) => {
    if (isSource(element)) return [await ask(element, path, options)];
    if (!isInventory(element)) return [];
    const { inventory: _is, file: _file, sources = [], constructed: _functions, ...definition } = element;
    const asked = await Promise.all(sources.map((source) => ask(source, path, options)));
    return [...asked, { definition, from, leftOut: [] }];
  });
  return {
    parts: (await Promise.all(found)).flat(),
    constructed: elements.flatMap((element) =>
      typeof element === "function"
        ? (element as Constructed)
        : isInventory(element)
          ? (element.constructed ?? [])
          : [],
    ),
    position: elements.find(isInventory)?.file,
  };
}

/** Queries a source. Throws FurrowError E_INVENTORY if the source fails or its answer is not an inventory. */
async function ask(source: InventorySource, path: string, options: InventoryOptions): Promise<InventoryPart> {
  const { signal, refresh = false, notice = () => {} } = options;
  const now = new Date();
  let listing: SourceListing;
  try {
    const asked = source.list({
      signal,
      folder: dirname(resolve(path)),
      notice,
      now,
      cache: inventoryCache({ source: source.source, now, refresh, notice }),
    });
    listing = await settled(asked, () => neverListed(source.source, path));
  } catch (error) {
    if (isFurrowError(error)) throw error;
    throw new FurrowError("E_INVENTORY", {
      what: `the source ${source.source} of the inventory ${path} failed`,
      current: error instanceof Error ? error.message : String(error),
      hint: "Check its credentials and that its service can be reached",
      cause: error,
    });
  }
  const { leftOut, origins, ...definition } = listing;
  checkShape(definition, `${path}, source ${source.source},`, undefined);
  const from = source.source;
  return { definition, from, source: from, path, leftOut, ...(origins !== undefined && { origins }) };
}

function neverListed(source: string, path: string): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `the source ${source} of the inventory ${path} did not finish`,
    where: { source: resolve(path) },
    current: "its list function waits forever",
    hint: "Look for a promise in that function that nothing resolves",
  });
}

function isInventory(value: unknown): value is Inventory {
  return typeof value === "object" && value !== null && "inventory" in value && value.inventory === true;
}

function notElement(path: string, value: unknown, index: number): FurrowError {
  return new FurrowError("E_INVENTORY", {
    what: `element ${index + 1} of the default export of ${path} is not an inventory`,
    where: { source: path },
    current: describe(value),
    expected: `${expectedExport}, a source, or a function that returns group names`,
    hint: "Create it with inventory({ … })",
  });
}

function notInventory(path: string, value: unknown): FurrowError {
  const isPlaybook = typeof value === "object" && value !== null && "playbook" in value;
  return new FurrowError("E_INVENTORY", {
    what: `the default export of ${path} is not an inventory`,
    where: { source: path },
    current: isPlaybook ? "a playbook" : describe(value),
    expected: expectedExport,
    hint: "Create it with inventory({ … })",
  });
}
