import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { FurrowError } from "../../core/errors.ts";

/** The folder for furrow's state on the controller: `$XDG_STATE_HOME/furrow`, otherwise `~/.local/state/furrow`. */
export function stateFolder(): string {
  const base = process.env["XDG_STATE_HOME"];
  return join(base?.startsWith("/") ? base : join(homedir(), ".local/state"), "furrow");
}

/** The text of a file in the state folder; undefined if it does not exist. Throws FurrowError E_FILE. */
export function readState(name: string): string | undefined {
  const path = join(stateFolder(), name);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw stateError(path, error);
  }
}

/**
 * Replaces a file in the state folder atomically, mode 0600. It does not flush to disk: these files are rewritten in
 * every run, so a power failure loses at most the last write. Throws FurrowError E_FILE.
 */
export function writeState(name: string, text: string): void {
  place(name, text, false, renameSync);
}

/**
 * Creates a file in the state folder, mode 0600, unless it exists, and returns its text. Two concurrent runs get the
 * same text. Throws FurrowError E_FILE.
 */
export function writeStateOnce(name: string, text: string): string {
  const known = readState(name);
  if (known !== undefined) return known;
  place(name, text, true, (from, to) => {
    try {
      linkSync(from, to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  });
  return readState(name) ?? text;
}

function place(name: string, text: string, flush: boolean, settle: (from: string, to: string) => void): void {
  const path = join(stateFolder(), name);
  const part = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(part, text, { mode: 0o600, flag: "wx", flush });
    settle(part, path);
  } catch (error) {
    throw stateError(path, error);
  } finally {
    rmSync(part, { force: true });
  }
}

function stateError(path: string, error: unknown): FurrowError {
  return new FurrowError("E_FILE", {
    what: `furrow cannot use its own file ${path}`,
    current: (error as Error).message,
    hint: "Make the folder writable, or set XDG_STATE_HOME to a writable folder",
    cause: error,
  });
}
