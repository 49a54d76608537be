import { randomBytes, randomInt } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Mode } from "../../core/events.ts";
import {
  knownSecrets,
  type PendingSecret,
  pendingSecrets,
  type SecretSource,
  setSealKey,
} from "../../core/secrets/secret.ts";
import { newOpenSshKey } from "../../core/secrets/openssh-key.ts";
import { generatedFile } from "../state/generated-file.ts";
import { readNamedFile } from "../named-file.ts";
import { askHidden } from "./prompt.ts";
import { readState, writeStateOnce } from "../state/state-folder.ts";

/** The options for resolving secrets. */
export interface Settling {
  /** Check mode writes nothing: a generated secret gets a temporary value. */
  readonly mode: Mode;
  /** Receives warnings, such as a secret file that others can read. */
  readonly warn: (text: string) => void;
  /** Asks the user; by default on the terminal, without echo. */
  readonly ask?: (question: string) => Promise<string>;
  /**
   * The ids of secrets that the command does not use. The user is not asked for them, and they may be missing. Secrets
   * that can be read without asking are still read, so that their values can be hidden in all output.
   */
  readonly unused?: ReadonlySet<string>;
}

/**
 * Resolves every pending secret that is used. Prompts come last, one at a time. Also sets the key that keeps digests of
 * secret files comparable between runs. Throws FurrowError E_SECRET, E_INTERRUPTED, E_FILE.
 */
export async function settleSecrets(settling: Settling): Promise<void> {
  const { ask = askHidden, unused } = settling;
  setSealKey(sealKeyFor(settling));
  settleQuietSecrets(settling);
  const answers = new Map<string, string>();
  const isUnused = ({ id }: PendingSecret): boolean => unused?.has(id) ?? false;
  // Used secrets come first: an unused secret with the same question then gets the same answer.
  for (const pending of pendingSecrets().toSorted((a, b) => Number(isUnused(a)) - Number(isUnused(b)))) {
    const { source, settle, fail, name } = pending;
    if (source.from !== "prompt") continue;
    const answer = answers.get(source.question) ?? (isUnused(pending) ? undefined : await ask(source.question));
    if (answer === undefined) {
      fail(notAskedFor(name));
      continue;
    }
    answers.set(source.question, answer);
    settle(answer);
  }
}

function notAskedFor(name: string): FurrowError {
  return new FurrowError("E_SECRET", {
    what: `the secret "${name}" was not asked for, because neither a var nor a connection seemed to use it`,
    hint: "Declare it in the playbook's vars schema: z.object({ NAME: secretText() })",
  });
}

/**
 * The stored seal key, or a new one. If the key could not be stored, the next run could not compare the digests of
 * secret files, and would restart services needlessly, so a playbook with secrets is refused. Throws FurrowError
 * E_FILE.
 */
function sealKeyFor({ mode, warn, unused }: Settling): string {
  const key = randomBytes(16).toString("hex");
  try {
    return mode === "check" ? (readState("seal-key") ?? key) : writeStateOnce("seal-key", key);
  } catch (error) {
    const used = pendingSecrets().filter(({ id }) => !(unused?.has(id) ?? false));
    if (!isFurrowError(error) || used.length + knownSecrets().length > 0) throw error;
    warn(`furrow cannot keep state between runs, and continues without it: ${error.message}`);
    return key;
  }
}

/**
 * Resolves the pending secrets that need no prompt. Plays that use facts create secrets during the run; this function
 * resolves them. Throws FurrowError E_SECRET, E_FILE.
 */
export function settleQuietSecrets({ mode, warn, unused }: Settling): void {
  const values = new Map<string, string>();
  for (const { id, source, settle, fail } of pendingSecrets()) {
    if (source.from === "prompt") continue;
    const place = JSON.stringify(source);
    try {
      const value = values.get(place) ?? valueOf(source, mode, warn);
      values.set(place, value);
      settle(value);
    } catch (error) {
      if (!isFurrowError(error) || !(unused?.has(id) ?? false)) throw error;
      fail(error);
    }
  }
}

/**
 * The environment variables that a run would need, but that are empty or not set here. Variables that are needed only
 * by secrets whose id is in `unused` are left out.
 */
export function missingVariables(unused: ReadonlySet<string>): readonly string[] {
  const names = pendingSecrets().flatMap(({ id, source }) =>
    source.from === "env" && (process.env[source.variable] ?? "") === "" && !unused.has(id) ? [source.variable] : [],
  );
  return [...new Set(names)];
}

function valueOf(source: Exclude<SecretSource, { from: "prompt" }>, mode: Mode, warn: Settling["warn"]): string {
  switch (source.from) {
    case "env":
      return fromEnvironment(source.variable);
    case "file":
      return fromFile(source.path, warn);
    case "generated":
      return keep(source.label, randomText(source), mode);
    case "generatedKey":
      return keep(source.label, newOpenSshKey(source.label), mode);
    case "vault":
      throw noVaultPassword(source.title);
  }
}

/**
 * The error for something encrypted with ansible-vault, if no password was given; `title` names the encrypted thing.
 */
export function noVaultPassword(title: string): FurrowError {
  return new FurrowError("E_SECRET", {
    what: `${title} is encrypted, and no vault password was given`,
    hint: "Pass the file that contains it: --vault-password-file FILE",
  });
}

function fromEnvironment(variable: string): string {
  const value = process.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new FurrowError("E_SECRET", {
    what: `the secret "${variable}" cannot be read: the environment variable ${variable} is ${value === "" ? "empty" : "not set"}`,
    hint: `Set it for this command: ${variable}=… furrow …`,
  });
}

/** True for a string that contains only certificates. They are public, even if a playbook reads them as secrets. */
function isCertificate(text: string): boolean {
  const blocks = /-----BEGIN ((?:TRUSTED )?CERTIFICATE)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;
  return text !== "" && text.replaceAll(blocks, "").trim() === "";
}

/** Reads a secret file and removes its last newline. Throws FurrowError E_SECRET. */
export function fromFile(path: string, warn: Settling["warn"]): string {
  const real = path.replace(/^~(?=\/|$)/, homedir());
  try {
    const text = readNamedFile(real).replace(/\r?\n$/, "");
    const mode = statSync(real).mode & 0o777;
    if ((mode & 0o077) !== 0 && statSync(real).isFile() && !isCertificate(text)) {
      const what = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) ? "private key" : "secret file";
      warn(`the ${what} ${path} can be read by others (mode ${mode.toString(8).padStart(4, "0")}): chmod 600 ${path}`);
    }
    if (text === "") throw new Error("the file is empty");
    return text;
  } catch (error) {
    throw new FurrowError("E_SECRET", {
      what: `the file ${path} cannot be read`,
      current: (error as Error).message,
      hint: "Give the path of a file that contains only this value; furrow treats it as a secret",
      cause: error,
    });
  }
}

function randomText({ length, alphabet }: Extract<SecretSource, { from: "generated" }>): string {
  const characters = Array.from(alphabet);
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
}

/** The stored value for this label; otherwise `made`, which check mode does not store. */
function keep(label: string, made: string, mode: Mode): string {
  const file = generatedFile(label);
  return readState(file) ?? (mode === "check" ? made : writeStateOnce(file, made));
}
