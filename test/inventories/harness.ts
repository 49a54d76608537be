import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ansibleList } from "../../src/cli/inventory/ansible.ts";
import { HostBook } from "../../src/cli/hosts.ts";
import { loadInventory } from "../../src/load/inventory/inventory-file.ts";
import { noCommandLine } from "../../src/load/vars/precedence.ts";
import type { Case } from "./case.ts";
import { folderCases, programCases } from "./folder-cases.ts";
import { iniCases } from "./ini-cases.ts";
import { yamlCases } from "./yaml-cases.ts";

/** The whole corpus. */
export const corpus: readonly Case[] = [...iniCases, ...yamlCases, ...folderCases, ...programCases];

/** A case whose files have been written to a folder. */
export interface Laid {
  readonly folder: string;
  /** Paths for `-i`. */
  readonly inventories: readonly string[];
  readonly vault: readonly string[];
}

/** Writes a case's files. */
export function lay({ name, files, inventories = ["hosts"], vault = [] }: Case, root: string): Laid {
  const folder = join(root, name.replaceAll(/\W+/g, "-"));
  for (const [path, text] of Object.entries(files)) {
    const to = join(folder, path.replace(/\*$/, ""));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
    chmodSync(to, path.endsWith("*") ? 0o755 : 0o600);
  }
  return {
    folder,
    inventories: inventories.map((path) => join(folder, path)),
    vault: vault.map((path) => join(folder, path)),
  };
}

/** The listing that furrow prints for a case, as parsed data. */
export async function listed({ inventories, vault }: Laid): Promise<unknown> {
  const { signal } = new AbortController();
  const loaded = await loadInventory(inventories, { signal, vaultPasswordFiles: vault });
  const book = new HostBook(loaded, noCommandLine, undefined, () => ({}));
  return JSON.parse(JSON.stringify(ansibleList(book.limited("all"), book))) as unknown;
}

/** Removes what furrow hides and Ansible shows: secrets from a fully encrypted file, and passwords. */
export function withoutSecrets(theirs: unknown, ours: unknown): unknown {
  if (typeof ours === "string" && /^(?:«secret [^»]+»|\(not shown\))$/.test(ours) && typeof theirs !== "object")
    return ours;
  if (typeof theirs !== "object" || theirs === null || typeof ours !== "object" || ours === null) return theirs;
  if (Array.isArray(theirs)) return theirs.map((item, index) => withoutSecrets(item, (ours as unknown[])[index]));
  return Object.fromEntries(
    Object.entries(theirs).map(([key, item]) => [key, withoutSecrets(item, (ours as Record<string, unknown>)[key])]),
  );
}
