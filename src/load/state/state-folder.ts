import { randomBytes } from "node:crypto";
import { linkSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
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
    // ENOTDIR: a file exists in place of the folder.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw stateError(path, error);
  }
}

/**
 * Replaces a file in the state folder atomically, mode 0600. The file is not flushed to disk: these files are rewritten
 * in every run, so a power failure loses at most the last write. Throws FurrowError E_FILE.
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
    makeFolder(dirname(path));
    writeFileSync(part, text, { mode: 0o600, flag: "wx", flush });
    settle(part, path);
  } catch (error) {
    throw stateError(path, error);
  } finally {
    remove(part);
  }
}

/**
 * Creates a folder and the folders above it, mode 0700. `mkdirSync` with `recursive` never returns for a folder that
 * the kernel refuses with ENOENT, such as one below `/proc`.
 */
function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Removes a file if possible. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // There may be a file in place of the folder. The error that matters is that the file could not be written.
  }
}

/** A lock that is older than this many milliseconds was left by a killed process. */
const staleLockMs = 2000;

/**
 * Calls `act` while no other process holds the lock of this name, or without a lock if it cannot be created. Throws the
 * errors that `act` throws.
 */
export function locked<T>(name: string, act: () => T): T {
  const path = join(stateFolder(), `${name}.lock`);
  const isHeld = lock(path);
  try {
    return act();
  } finally {
    if (isHeld) remove(path);
  }
}

function lock(path: string): boolean {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  // A lock is held for less than a millisecond, so waiting does not delay the run noticeably.
  try {
    makeFolder(dirname(path));
  } catch {
    return false;
  }
  for (let tries = 0; tries < 2 * staleLockMs; tries += 1) {
    try {
      writeFileSync(path, `${process.pid}\n`, { mode: 0o600, flag: "wx" });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") return false;
      const since = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (Date.now() - since > staleLockMs) remove(path);
      Atomics.wait(pause, 0, 0, 1);
    }
  }
  return false;
}

function stateError(path: string, error: unknown): FurrowError {
  return new FurrowError("E_FILE", {
    what: `furrow cannot use its own file ${path}`,
    current: (error as Error).message,
    hint: "Make the folder writable, or set XDG_STATE_HOME to a writable folder",
    cause: error,
  });
}
