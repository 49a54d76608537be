import type { InventoryPart } from "../inventory/inventory-join.ts";
import { AnsibleFiles } from "./files.ts";
import { AnsibleGraph } from "./graph.ts";
import { listingOf } from "./listing.ts";
import { mergeLayers } from "./merged.ts";
import { readSource } from "./sources.ts";
import { Vault } from "./vault.ts";

/** The options for reading Ansible inventories. */
export interface AnsibleOptions {
  readonly signal: AbortSignal;
  readonly notice: (text: string) => void;
  /** Files that contain ansible-vault passwords, or programs that print them; default: ANSIBLE_VAULT_PASSWORD_FILE. */
  readonly vaultPasswordFiles: readonly string[];
}

/**
 * Reads Ansible inventories in order and merges them into one, as `ansible-inventory -i … -i …` does: INI, YAML, JSON,
 * programs, folders of these, and the group_vars and host_vars next to them. Throws FurrowError E_INVENTORY, E_SECRET.
 */
export async function ansibleInventory(
  paths: readonly string[],
  { signal, notice, vaultPasswordFiles }: AnsibleOptions,
): Promise<InventoryPart> {
  const fromEnvironment = process.env["ANSIBLE_VAULT_PASSWORD_FILE"] ?? "";
  const passwordFiles =
    vaultPasswordFiles.length > 0 || fromEnvironment === "" ? vaultPasswordFiles : [fromEnvironment];
  const files = new AnsibleFiles(new Vault(passwordFiles, notice));
  const graph = new AnsibleGraph();
  for (const path of paths) {
    await readSource(path, graph, { files, signal, notice });
  }
  try {
    graph.settle();
  } catch (error) {
    throw files.fault(paths.join(" and "), error);
  }
  return listingOf(graph, mergeLayers(graph, paths, files), notice);
}
