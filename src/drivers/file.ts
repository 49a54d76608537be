import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import type { Driver } from "../core/driver.ts";
import { FurrowError } from "../core/errors.ts";
import { currentSealKey } from "../core/secret.ts";
import { type Absent, absent } from "../core/symbols.ts";
import { cachedHash } from "./hash-cache.ts";

const requestSchema = z.strictObject({
  /** A relative path starts where furrow was started. */
  path: z.string().min(1),
  /** Answer with the keyed hash that stands for secret content instead of the SHA-256. */
  sealed: z.boolean().optional(),
});

/** A regular file of the controller, as the driver answers. */
interface FileAnswer {
  /** Hex; missing where `sealed` was asked. */
  readonly sha256?: string;
  /** What stands for secret content, as `seal` of core makes it. */
  readonly seal?: string;
  /** Bytes. */
  readonly size: number;
  /** Absolute path. */
  readonly path: string;
  /** Octal, four digits. */
  readonly mode: string;
}

/**
 * Answers `{ path }` with what the controller has there: absent, or hash, size and mode of a regular file; links are
 * followed. Throws FurrowError E_FILE where something else is there or the file cannot be read.
 */
export const fileDriver: Driver = {
  name: "file",
  read: (request, signal) => answer(requestSchema.parse(request), signal),
  ahead: (request) => [`file:${resolve(requestSchema.parse(request).path)}`],
};

async function answer(request: z.output<typeof requestSchema>, signal: AbortSignal): Promise<Absent | FileAnswer> {
  const path = resolve(request.path);
  try {
    const state = await stat(path);
    if (!state.isFile()) throw noFile(path, state.isDirectory() ? "a directory" : "no regular file");
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

/** As `seal` of core makes it; never kept. */
async function sealOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256").update(currentSealKey());
  for await (const chunk of createReadStream(path, { signal })) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** True for a link that leads nowhere: not absent, and no file either. */
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
    current: error.code === "ENOENT" ? "a link that leads nowhere" : error.message,
    hint: error.code === "EACCES" ? "Run furrow as a user who may read it" : "Name a file that can be read",
    cause: error,
  });
}
