import { createHash } from "node:crypto";
import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import { randomBytes } from "../../../core/world.ts";
import type { Batch, BatchEntry } from "../compile/batch.ts";
import { batchScript } from "../compile/batch-script.ts";
import { changedMeanwhile, openContent } from "./content.ts";
import { Lane } from "./upload-shell.ts";
import { paced, type Sent } from "./counted.ts";
import { defaultStallSeconds, longSilence } from "../answers/stall.ts";
import { type OpenShell, stageContent } from "./resumable-upload.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/** Number of bytes handed to the link at a time. */
const chunkBytes = 1024 * 1024;

/**
 * Sends the files of a batch to the host: in one stream, or one by one if the host cannot take a batch. Throws the
 * errors of stageBatch and stageContent.
 */
export async function stageTogether(
  open: OpenShell,
  batch: Batch,
  signal: AbortSignal,
  stallMs: number = defaultStallSeconds * longSilence * 1000,
  sent: Sent = () => {},
): Promise<void> {
  if (await stageBatch(open, batch, signal, { stallMs, sent: paced(sent) })) return;
  for (const { step } of batch.entries) await stageContent(open, step, signal, undefined, stallMs);
}

/**
 * Sends the files of a batch to the host in one stream over one channel, except those left by an earlier attempt. The
 * frame then checks all of them together. Returns false if the host cannot take the batch: it has no `tar`, a
 * folder is missing or controlled by another user, or the folders are on several file systems. Throws FurrowError
 * E_STEP, E_DISK_FULL, E_FILE, E_INTERRUPTED, or E_UNREACHABLE, after which this function may be called again on a new
 * link.
 */
async function stageBatch(
  open: OpenShell,
  batch: Batch,
  signal: AbortSignal,
  { stallMs, sent }: { readonly stallMs: number; readonly sent: Sent },
): Promise<boolean> {
  signal.throwIfAborted();
  const nonce = `f${randomBytes(8).toString("hex")}`;
  const lane = new Lane(await open(), nonce, stallMs);
  const stop = (): void => lane.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await converse(lane, batch, nonce, sent);
  } catch (error) {
    if (!signal.aborted) throw error;
    if (isFurrowError(signal.reason)) throw signal.reason;
    throw new FurrowError("E_INTERRUPTED", { what: `sending files into ${batch.top} was interrupted` });
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

async function converse(lane: Lane, batch: Batch, nonce: string, sent: Sent): Promise<boolean> {
  await lane.write(batchScript(batch, nonce));
  const there = await whatIsThere(lane, batch);
  if (there === undefined) return false;
  const missing = batch.entries.filter(({ name, sha256 }) => there.get(`./${name}`) !== sha256);
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for await (const chunk of inChunks(archive(missing, batch.folders.length))) {
    if (!(await lane.write(chunk))) throw notSent(batch, lane);
    // The archive also contains headers, so it is a little larger than the files.
    done = Math.min(total, done + chunk.length);
    sent(done, total);
  }
  if ((await lane.next())?.[0] !== "came") throw notSent(batch, lane);
  return true;
}

/** The hashes of files left by an earlier attempt, by name. Undefined if the host cannot take a batch. */
async function whatIsThere(lane: Lane, batch: Batch): Promise<ReadonlyMap<string, string> | undefined> {
  const there = new Map<string, string>();
  for (let answer = await lane.next(); answer !== undefined; answer = await lane.next()) {
    const [word, sha256 = "", , name = ""] = answer;
    if (word === "without") return undefined;
    if (word === "ready") return there;
    // If the host lists more names than could have been sent, its answer is wrong.
    if (there.size > batch.entries.length * 4) break;
    there.set(name, sha256);
  }
  throw notSent(batch, lane);
}

/** Yields a tar archive of the files, in chunks. */
async function* archive(entries: readonly BatchEntry[], folders: number): AsyncGenerator<Buffer, void> {
  let sent = 0;
  for (let number = 0; number < folders; number += 1) {
    const header = tarHeader(`${number}/`, 0, "directory");
    sent += header.length;
    yield header;
  }
  for (const entry of entries) {
    const bytes = await contentOf(entry);
    for (const piece of [tarHeader(entry.name, bytes.length), bytes, tarPadding(bytes.length)]) {
      sent += piece.length;
      yield piece;
    }
  }
  yield tarEnd(sent);
}

async function contentOf({ step, sha256 }: BatchEntry): Promise<Buffer> {
  const content = await openContent(step);
  try {
    // Every byte of the buffer is written below, or an error is thrown.
    const bytes = Buffer.allocUnsafeSlow(content.size);
    for (let at = 0; at < bytes.length;) {
      const room = bytes.subarray(at);
      const part = await content.read(room, at, room.length);
      if (part.buffer !== bytes.buffer) bytes.set(part, at);
      at += part.length;
    }
    const found = createHash("sha256").update(bytes).digest("hex");
    if (found === sha256 || step.step !== "upload") return bytes;
    throw changedMeanwhile(step.from, `SHA-256 ${found} instead of ${sha256}`);
  } finally {
    await content.close();
  }
}

async function* inChunks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < chunkBytes) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(held);
}

function notSent({ top, entries }: Batch, { said, code }: Lane): FurrowError {
  const full = /no space left|quota exceeded/i.test(said);
  return new FurrowError(full ? "E_DISK_FULL" : "E_STEP", {
    what: `${entries.length} files cannot be sent into ${top}`,
    current: said || `exit code ${code}`,
    hint: full ? "Free space on the host, then rerun" : "Check that the folder exists and is writable",
  });
}
