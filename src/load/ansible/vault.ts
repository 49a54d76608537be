import { spawnSync } from "node:child_process";
import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import { accessSync, constants } from "node:fs";
import { resolve } from "node:path";
import { FurrowError } from "../../core/errors.ts";
import { pendingSecret, type Secret, secretOf } from "../../core/secrets/secret.ts";
import { fromFile, noVaultPassword } from "../vars/secrets.ts";

const header = /^\$ANSIBLE_VAULT;(1\.[12]);(\w+)(?:;([^\r\n]*))?\r?\n/;

/** The value of a secret from a vault. */
export interface VaultValue {
  /** The decrypted value; undefined if no password was given. */
  readonly plain: unknown;
  /** The encrypted text in the inventory; undefined if the whole file is encrypted. */
  readonly ciphertext: string | undefined;
}

const opened = new WeakMap<Secret, VaultValue>();

/** The vault value of a secret; undefined if the secret does not come from a vault. */
export function vaultValue(secret: Secret): VaultValue | undefined {
  return opened.get(secret);
}

/** True for the text of a file that is encrypted with ansible-vault. */
export function isVault(text: string): boolean {
  return text.startsWith("$ANSIBLE_VAULT;");
}

/** Decrypts data that `ansible-vault` encrypted; tries each password in turn. */
export class Vault {
  readonly #files: readonly string[];
  readonly #warn: (text: string) => void;
  readonly #known = new Map<string, string>();
  #passwords: readonly Buffer[] | undefined;

  /** `files` contain the passwords; an executable file is run instead, and prints its password. */
  constructor(files: readonly string[], warn: (text: string) => void) {
    this.#files = files;
    this.#warn = warn;
  }

  /** Decrypts the text of a file; `where` names the file in errors. Throws FurrowError E_SECRET. */
  openFile(text: string, where: string): string {
    if (this.#files.length === 0) throw noVaultPassword(where);
    return this.#open(text, where);
  }

  /**
   * Decrypts a single value and makes it a secret. A missing password is an error only if the run uses the value: then
   * the run does not start. Throws FurrowError E_SECRET if none of the passwords decrypts it.
   */
  value(ciphertext: string, name: string, where: string): Secret {
    const text = `${ciphertext.trim().split(/\s+/).join("\n")}\n`;
    const title = `${name} of ${where}`;
    const isOpen = this.#files.length > 0;
    const plain = isOpen ? this.#open(text, title) : undefined;
    const secret =
      plain === undefined
        ? pendingSecret({ from: "vault", title }, name, () => {
            throw noVaultPassword(title);
          })
        : secretOf(plain, name);
    opened.set(secret, { plain, ciphertext });
    return secret;
  }

  /** Turns the strings and numbers in a value from an encrypted file into secrets, at any depth. */
  hide(value: unknown, name: string): unknown {
    if (typeof value === "string" || typeof value === "number") {
      // An empty string reveals nothing, and output cannot be searched for it.
      if (value === "") return value;
      const secret = secretOf(String(value), name);
      opened.set(secret, { plain: value, ciphertext: undefined });
      return secret;
    }
    if (Array.isArray(value)) return value.map((item) => this.hide(item, name));
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.hide(item, `${name}.${key}`)]));
  }

  #open(text: string, where: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const plain = decrypt(text, this.#read(), where);
    this.#known.set(text, plain);
    return plain;
  }

  #read(): readonly Buffer[] {
    this.#passwords ??= this.#files.map((file) => Buffer.from(readPassword(file, this.#warn)));
    return this.#passwords;
  }
}

function readPassword(file: string, warn: (text: string) => void): string {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    return fromFile(file, warn).trim();
  }
  const { status, stdout, stderr, error } = spawnSync(resolve(file), [], {
    encoding: "utf8",
    stdio: ["inherit", "pipe", "pipe"],
  });
  if (status === 0 && stdout.trim() !== "") return stdout.trim();
  throw new FurrowError("E_SECRET", {
    what: `the program ${file} does not print a vault password`,
    current: error?.message ?? (status === 0 ? "it prints nothing" : `exit code ${status ?? "none"}: ${stderr.trim()}`),
    hint: "Run it by hand; a file that contains the password itself must not be executable",
  });
}

/**
 * Decrypts text in the AES256 formats 1.1 and 1.2. PBKDF2 with SHA-256 and 10,000 rounds derives two keys and a counter
 * block. The text is encrypted with AES in counter mode. The HMAC of the ciphertext shows whether the password is wrong
 * (docs: "Ansible Vault payload format").
 */
function decrypt(text: string, passwords: readonly Buffer[], where: string): string {
  const [first, version, cipher] = header.exec(text) ?? [];
  if (first === undefined || version === undefined || cipher !== "AES256")
    throw unreadable(where, text.split("\n")[0] ?? "");
  const inner = Buffer.from(text.slice(first.length).replaceAll(/\s/g, ""), "hex").toString("latin1");
  const [salt, hmac, body] = inner.split("\n").map((part) => Buffer.from(part, "hex"));
  if (salt === undefined || hmac?.length !== 32 || body === undefined) throw unreadable(where, "a broken body");
  for (const password of passwords) {
    const derived = pbkdf2Sync(password, salt, 10_000, 80, "sha256");
    const seen = createHmac("sha256", derived.subarray(32, 64)).update(body).digest();
    if (!timingSafeEqual(seen, hmac)) continue;
    const decipher = createDecipheriv("aes-256-ctr", derived.subarray(0, 32), derived.subarray(64, 80));
    const padded = Buffer.concat([decipher.update(body), decipher.final()]);
    return padded.subarray(0, padded.length - (padded.at(-1) ?? 0)).toString("utf8");
  }
  throw new FurrowError("E_SECRET", {
    what: `${where} cannot be decrypted`,
    current:
      passwords.length === 1
        ? "the vault password is wrong"
        : `none of the ${passwords.length} vault passwords is correct`,
    hint: "Pass the password it was encrypted with: --vault-password-file FILE; repeat the option for several passwords",
  });
}

function unreadable(where: string, current: string): FurrowError {
  return new FurrowError("E_SECRET", {
    what: `${where} is encrypted in a format that furrow does not support`,
    current,
    expected: "$ANSIBLE_VAULT;1.1;AES256 or $ANSIBLE_VAULT;1.2;AES256;LABEL",
    hint: "Encrypt it again with ansible-vault",
  });
}
