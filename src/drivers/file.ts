import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Driver } from "../core/host/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { currentSealKey } from "../core/secrets/secret.ts";
import { type Absent, absent } from "../core/facts/symbols.ts";
import { cachedHash } from "./hash-cache.ts";
import { requireWritable } from "./writable-place.ts";

const requestSchema = z.strictObject({
  /** A relative path is resolved against furrow's working directory. */
  path: z.string().min(1),
  /** Returns the keyed hash of secret content instead of the SHA-256. */
  sealed: z.boolean().optional(),
  /** Asks only whether a file can be written at the path. */
  writable: z.boolean().optional(),
});

/** The driver's answer for a regular file on the controller. */
interface FileAnswer {
  /** The SHA-256 in hex; missing if `sealed` was requested. */
  readonly sha256?: string;
  /** The keyed hash of secret content, as computed by `seal` in core. */
  readonly seal?: string;
  /** The size in bytes. */
  readonly size: number;
  /** The absolute path. */
  readonly path: string;
  /** Four octal digits. */
  readonly mode: string;
}

/**
 * Answers the request `{ path }` about a file on the controller: absent, or the hash, size and mode of a regular file.
 * Links are followed. Throws FurrowError E_FILE if the path is neither absent nor a regular file, or if the file cannot
 * be read. The request `{ path, writable: true }` only asks whether a file can be written at that path; throws E_FILE
 * if not.
 */
export const fileDriver: Driver = {
  name: "file",
  read: (request, signal) => answer(requestSchema.parse(request), signal),
  ahead: (request) => [`file:${resolve(requestSchema.parse(request).path)}`],
};

async function answer(
  request: z.output<typeof requestSchema>,
  signal: AbortSignal,
): Promise<Absent | FileAnswer | { readonly writable: true }> {
  const path = resolve(request.path);
  if (request.writable === true) {
    await requireWritable(path);
    return { writable: true };
  }
  try {
    const state = await stat(path);
    if (!state.isFile()) throw noFile(path, state.isDirectory() ? "a directory" : "not a regular file");
    const mode = (state.mode & 0o7777).toString(8).padStart(4, "0");
    const content =
      request.sealed === true
        ? { seal: `sealed:${await sealOf(path, signal)}` }
        : { sha256: await cachedHash(path, signal) };
    return { ...content, size: state.size, path, mode };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if ((error.code === "ENOENT" || error.code === "ENOTDIR") && !(await isLink(path))) return absent;
    throw unreadable(path, error);
  }
}

/** The same hash that `seal` in core computes; never cached. */
async function sealOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256").update(currentSealKey());
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** True for a dangling link, which is neither absent nor a file. */
async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (state) => state.isSymbolicLink(),
    () => false,
  );
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}

function noFile(path: string, current: string): FurrowError {
  return new FurrowError("E_FILE", {
    what: `${path} on the controller is not a regular file`,
    current,
    expected: "a regular file",
    hint: "Name a file",
  });
}

function unreadable(path: string, error: NodeJS.ErrnoException): FurrowError {
  return new FurrowError("E_FILE", {
    what: `${path} on the controller cannot be read`,
    current: error.code === "ENOENT" ? "a dangling link" : error.message,
    hint: error.code === "EACCES" ? "Run furrow as a user who can read it" : "Name a readable file",
    cause: error,
  });
}
