import { createHash, randomBytes } from "node:crypto";
import { type BigIntStats, createReadStream, readFile as readFileThen } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Reads a small file with half the CPU time of the one that is made of promises all through. */
const readSmall = promisify(readFileThen);

/** Bytes from which on the hash of a file is remembered beyond a run: reading a smaller one again takes no time. */
const rememberedBytes = 4 * 1024 * 1024;
/** Bytes that are read at a time. */
const pieceBytes = 1 << 20;
/** Milliseconds that a file must have been left alone: one that is being written may change without its times changing. */
const quietMs = 2000;

/** Hashes made in this process, or being made, by file and state: several hosts ask for the same file. */
const made = new Map<string, Promise<string>>();

/**
 * The SHA-256, in hex, of a file of the controller. A large file is not read again while its size, times and inode are
 * the same: its hash is kept in `furrow/hashes` below `$XDG_CACHE_HOME`, else below `~/.cache`. `found`: what `stat` has
 * just said of the file, where the caller asked. Throws what reading throws.
 */
export async function cachedHash(path: string, signal: AbortSignal, found?: BigIntStats): Promise<string> {
  const state = found ?? (await stat(path, { bigint: true }));
  const key = `${path}\0${stateOf(state)}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const making = recall(path, state).then((hash) => hash ?? make(path, state, signal));
  made.set(key, making);
  const forget = (): void => void made.delete(key);
  making.then(() => isQuiet(state) || forget(), forget);
  return making;
}

async function make(path: string, before: BigIntStats, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  // A stream takes that much memory for its first read and again for the end of the file: for a tree of small files that
  // would be most of what its hashes cost.
  if (before.size < pieceBytes) hash.update(await readSmall(path));
  else
    for await (const piece of createReadStream(path, { signal, highWaterMark: pieceBytes }))
      hash.update(piece as Buffer);
  const digest = hash.digest("hex");
  if (!isLarge(before)) return digest;
  const after = await stat(path, { bigint: true });
  if (stateOf(after) === stateOf(before) && isQuiet(after)) await remember(path, after, digest);
  return digest;
}

function isLarge({ size }: BigIntStats): boolean {
  return size >= rememberedBytes;
}

function isQuiet({ ctimeMs }: BigIntStats): boolean {
  return Date.now() - Number(ctimeMs) > quietMs;
}

function stateOf({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino, dev].join(" ");
}

/** The entry of a path: one line, its state and its hash. */
function entryOf(path: string): string {
  const cache = process.env["XDG_CACHE_HOME"];
  const base = cache === undefined || cache === "" ? join(homedir(), ".cache") : cache;
  return join(base, "furrow", "hashes", createHash("sha256").update(path).digest("hex").slice(0, 32));
}

async function recall(path: string, state: BigIntStats): Promise<string | undefined> {
  if (!isLarge(state)) return undefined;
  const line = await readFile(entryOf(path), "utf8").catch(() => "");
  const prefix = `${stateOf(state)} `;
  const hash = line.startsWith(prefix) ? line.slice(prefix.length).trim() : "";
  return /^[0-9a-f]{64}$/.test(hash) ? hash : undefined;
}

/** Without it the next run only reads the file once more. */
async function remember(path: string, state: BigIntStats, hash: string): Promise<void> {
  const entry = entryOf(path);
  const beside = `${entry}.${randomBytes(6).toString("hex")}`;
  try {
    await mkdir(join(entry, ".."), { recursive: true, mode: 0o700 });
    await writeFile(beside, `${stateOf(state)} ${hash}\n`, { mode: 0o600 });
    await rename(beside, entry);
  } catch {
    await rm(beside, { force: true }).catch(() => {});
  }
}
