import { randomBytes, randomInt } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { FurrowError } from "../../core/errors.ts";
import type { Mode } from "../../core/events.ts";
import { pendingSecrets, type SecretSource, setSealKey } from "../../core/secrets/secret.ts";
import { askHidden } from "./prompt.ts";
import { readState, writeStateOnce } from "../state/state-folder.ts";

/** How secrets are settled. */
export interface Settling {
  /** Check mode keeps nothing: what would be generated is made up. */
  readonly mode: Mode;
  /** Told what is worth a warning: a secret file that others may read. */
  readonly warn: (text: string) => void;
  /** Asks a person; default: on the terminal, without echo. */
  readonly ask?: (question: string) => Promise<string>;
}

/**
 * Gives every secret that has no value yet its value, prompts last and one after the other, and sets the key that
 * keeps digests of secret files comparable between runs. Throws FurrowError E_SECRET, E_INTERRUPTED, E_FILE.
 */
export async function settleSecrets({ mode, warn, ask = askHidden }: Settling): Promise<void> {
  const key = randomBytes(16).toString("hex");
  setSealKey(mode === "check" ? (readState("seal-key") ?? key) : writeStateOnce("seal-key", key));
  settleQuietSecrets({ mode, warn });
  const answers = new Map<string, string>();
  for (const { source, settle } of pendingSecrets()) {
    if (source.from !== "prompt") continue;
    const answer = answers.get(source.question) ?? (await ask(source.question));
    answers.set(source.question, answer);
    settle(answer);
  }
}

/**
 * Gives their values to the secrets nobody must be asked for. Bodies of plays that look at facts make secrets while
 * the run is under way; this is for those. Throws FurrowError E_SECRET, E_FILE.
 */
export function settleQuietSecrets({ mode, warn }: Settling): void {
  const values = new Map<string, string>();
  for (const { source, settle } of pendingSecrets()) {
    if (source.from === "prompt") continue;
    const id = JSON.stringify(source);
    const value = values.get(id) ?? valueOf(source, mode, warn);
    values.set(id, value);
    settle(value);
  }
}

function valueOf(source: Exclude<SecretSource, { from: "prompt" }>, mode: Mode, warn: Settling["warn"]): string {
  switch (source.from) {
    case "env":
      return fromEnvironment(source.variable);
    case "file":
      return fromFile(source.path, warn);
    case "generated":
      return generate(source, mode);
  }
}

function fromEnvironment(variable: string): string {
  const value = process.env[variable];
  if (value !== undefined && value !== "") return value;
  throw new FurrowError("E_SECRET", {
    what: `the secret "${variable}" cannot be read: the environment variable ${variable} is ${value === "" ? "empty" : "not set"}`,
    hint: `Set it for this command: ${variable}=… furrow …`,
  });
}

/** Reads a secret file, without its last newline. Throws FurrowError E_SECRET. */
export function fromFile(path: string, warn: Settling["warn"]): string {
  const real = path.replace(/^~(?=\/|$)/, homedir());
  try {
    const text = readFileSync(real, "utf8").replace(/\r?\n$/, "");
    const mode = statSync(real).mode & 0o777;
    if ((mode & 0o077) !== 0 && statSync(real).isFile()) {
      warn(
        `the secret file ${path} can be read by others (mode ${mode.toString(8).padStart(4, "0")}): chmod 600 ${path}`,
      );
    }
    if (text === "") throw new Error("the file is empty");
    return text;
  } catch (error) {
    throw new FurrowError("E_SECRET", {
      what: `the secret file ${path} cannot be read`,
      current: (error as Error).message,
      hint: "Give the path of a file that holds the secret and nothing else",
      cause: error,
    });
  }
}

function generate({ label, length, alphabet }: Extract<SecretSource, { from: "generated" }>, mode: Mode): string {
  const file = `generated/${encodeURIComponent(label).replaceAll(".", "%2E")}`;
  const characters = Array.from(alphabet);
  const made = Array.from({ length }, () => characters[randomInt(characters.length)]).join("");
  return readState(file) ?? (mode === "check" ? made : writeStateOnce(file, made));
}
