import { createHash, randomBytes } from "node:crypto";
import { type BigIntStats, createReadStream, readFile as readFileThen } from "node:fs";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** Reads a small file with half the CPU time of the promise-based version. */
const readSmall = promisify(readFileThen);

/**
 * The size, in bytes, of the smallest file whose hash is cached between runs; reading a smaller file again takes almost
 * no time.
 */
const rememberedBytes = 4 * 1024 * 1024;
/** The number of bytes per read. */
const pieceBytes = 1 << 20;
/**
 * The number of milliseconds for which a file must have been unchanged before its hash is cached. While a file is being
 * written, its content may change without a change to its times.
 */
const quietMs = 2000;

/**
 * The hashes that this process has computed or is computing, by file and state. Several hosts often need the same file.
 */
const made = new Map<string, Promise<string>>();

/**
 * The SHA-256, in hex, of a file on the controller. A large file is not read again as long as its size, times and inode
 * are the same: its hash is cached in `furrow/hashes` under `$XDG_CACHE_HOME` or, if that is not set, under `~/.cache`.
 * `found` is the result of a recent `stat`, if the caller has one. Throws the same errors as reading the file.
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
  // A stream allocates a whole buffer for its first read and another one for the end of the file. In a tree of small
  // files, that would be most of the cost of hashing.
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

/** The path of the cache entry for a file. The entry is one line: the file's state and hash. */
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

/** Saves a hash in the cache. If this fails, the next run just reads the file again. */
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
