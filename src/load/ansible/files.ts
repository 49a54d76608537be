import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { readNamedFile } from "../named-file.ts";
import { hidePassword } from "./connection.ts";
import { isVault, type Vault } from "./vault.ts";
import { readYaml } from "./yaml-text.ts";

/** A file's text, decrypted if necessary, and a function that converts its values before they are stored. */
export interface OpenedFile {
  readonly text: string;
  /** Turns values of an encrypted file, and plain-text passwords, into secrets. */
  readonly keep: (name: string, value: unknown) => unknown;
}

/** Reads Ansible's files; each vars file is read once. */
export class AnsibleFiles {
  readonly #vault: Vault;
  readonly #vars = new Map<string, unknown>();

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  /** Reads a file and decrypts it if necessary. Throws FurrowError E_INVENTORY, E_SECRET. */
  open(path: string): OpenedFile {
    let text: string;
    try {
      text = readNamedFile(path);
    } catch (error) {
      throw this.fault(path, error);
    }
    if (!isVault(text)) return { text, keep: hidePassword };
    return {
      text: this.#vault.openFile(text, path),
      keep: (name, value) => this.#vault.hide(value, name),
    };
  }

  /** Reads a vars file in YAML or JSON. Throws FurrowError E_INVENTORY, E_SECRET. */
  readVars(path: string): unknown {
    if (this.#vars.has(path)) return this.#vars.get(path);
    const { text, keep } = this.open(path);
    const read = this.yaml(text, path);
    const value =
      typeof read === "object" && read !== null
        ? Object.fromEntries(Object.entries(read).map(([name, said]) => [name, keep(name, said)]))
        : read;
    const result = Array.isArray(read) ? read : value;
    this.#vars.set(path, result);
    return result;
  }

  /** Parses YAML or JSON; `path` names the file in errors. Throws FurrowError E_INVENTORY, E_SECRET. */
  yaml(text: string, path: string): unknown {
    try {
      return readYaml(text, (ciphertext, name) => this.#vault.value(ciphertext, name, path));
    } catch (error) {
      throw this.fault(path, error);
    }
  }

  /** The error that the user sees for a problem with a file. */
  fault(path: string, error: unknown): FurrowError {
    if (isFurrowError(error)) return error;
    return new FurrowError("E_INVENTORY", {
      what: `${path} cannot be read as an Ansible inventory or vars file`,
      current: error instanceof Error ? error.message : String(error),
      hint: "Fix the file, or move it out of the inventory; if Ansible can read it, convert it: ansible-inventory --list --export > hosts.json",
      cause: error,
    });
  }
}
