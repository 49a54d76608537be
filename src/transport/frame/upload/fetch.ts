import { dirname, resolve } from "node:path";
import { FurrowError } from "../../../core/errors.ts";
import { type FetchStep, shellQuote } from "../../../core/host/step.ts";
import type { Channel } from "../../../core/host/transport.ts";
import { after, randomBytes } from "../../../core/world.ts";
import { outside } from "../../outside.ts";
import { paced, type Sent } from "./counted.ts";
import { fetchBytes, noiseBytes } from "../limits.ts";
import { brokenProtocol } from "../protocol-error.ts";
import { cannotWrite } from "../../../core/host/local-write.ts";

type FileHandle = Awaited<ReturnType<typeof outside.open>>;

/** The limits that end a fetch early. */
export interface FetchBounds {
  readonly host: string;
  readonly signal: AbortSignal;
  /** Milliseconds that may pass without any byte from the host. */
  readonly stallMs: number;
  readonly progress?: Sent;
}

/**
 * Fetches a file from the host to the controller through a separate shell. The file is written next to its target (the
 * folder is created if missing), synced and renamed. Throws FurrowError E_STEP if the host cannot read the file or
 * the file is larger than `maxBytes`, E_FILE if the file cannot be written on the controller, E_UNREACHABLE if the
 * transfer stalls, E_PROTOCOL if too much noise precedes the host's answer.
 */
export async function fetchFile(shell: Channel, step: FetchStep, bounds: FetchBounds): Promise<void> {
  const nonce = `f${randomBytes(8).toString("hex")}\n`;
  // Resolved before use: the system would look up each directory in "a/../b", and `a` need not exist.
  const target = resolve(step.to);
  const temporary = `${target}.furrow`;
  const refused = (error: unknown): never => {
    throw cannotWrite(target, error);
  };
  // The error message of a filter may quote the content.
  const isHidden = step.secret === true && step.through !== undefined;
  let complaint = "";
  shell.onStderr((data) => {
    if (!isHidden) complaint = (complaint + Buffer.from(data).toString("utf8")).slice(-2000);
  });
  const file = await openNew(temporary, Number.parseInt(step.mode, 8)).catch((error: unknown) => {
    shell.destroy();
    return refused(error);
  });
  let head: Buffer | undefined = Buffer.alloc(0);
  let writing: Promise<unknown> = Promise.resolve();
  const { maxBytes = fetchBytes } = step;
  let left = maxBytes;
  const report = paced(bounds.progress ?? (() => {}));
  const cut = new AbortController();
  const stalled = (): void => cut.abort(standsStill(step, bounds));
  let timer = after(bounds.stallMs, stalled, { idle: true });
  shell.onStdout((data) => {
    timer.cancel();
    timer = after(bounds.stallMs, stalled, { idle: true });
    let body: Buffer = Buffer.from(data);
    if (head) {
      head = Buffer.concat([head, body]);
      const at = head.indexOf(nonce);
      if (at < 0 && head.length > noiseBytes)
        cut.abort(brokenProtocol("the host sent unexpected output instead of a file"));
      if (at < 0) return undefined;
      body = head.subarray(at + nonce.length);
      head = undefined;
    }
    left -= body.length;
    if (left < 0) {
      cut.abort(tooLarge(step.path, maxBytes));
      return undefined;
    }
    if (body.length > 0) report(maxBytes - left, step.bytes);
    writing = writing.then(() => file.write(body));
    return writing as Promise<void>;
  });
  const ended = AbortSignal.any([bounds.signal, cut.signal]);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(ended.reason as Error);
  if (ended.aborted) abort();
  ended.addEventListener("abort", abort, { once: true });
  aborted.catch(() => shell.destroy());
  try {
    await Promise.race([
      aborted,
      shell.write(Buffer.from(`{ printf '${nonce.trim()}\\n'; exec ${sourceOf(step)}; }\n`)),
    ]);
    shell.end();
    const { code } = await Promise.race([shell.ended, aborted]);
    await writing.catch(refused);
    if (code !== 0) {
      const filter = step.through?.[0];
      throw new FurrowError("E_STEP", {
        what: `${step.path} cannot be fetched${filter === undefined ? "" : `: its filter ${filter} failed`}`,
        current: complaint.trim() || `exit code ${code}`,
        ...(isHidden && { details: [`(the output of ${filter} is hidden because of \`secret\`)`] }),
      });
    }
    await keep(file, temporary, target, Number.parseInt(step.mode, 8)).catch(refused);
  } finally {
    timer.cancel();
    // Node keeps a combined signal that has listeners, and everything it references, until the process exits.
    ended.removeEventListener("abort", abort);
    await file.close();
    await outside.rm(temporary, { force: true });
  }
}

function tooLarge(path: string, maxBytes: number): FurrowError {
  return new FurrowError("E_STEP", {
    what: `${path} is larger than the fetch limit`,
    expected: `at most ${maxBytes} bytes (maxBytes)`,
    hint: "Check the file's size on the host; if it is right, raise the task's maxBytes",
  });
}

function standsStill({ path }: FetchStep, { host, stallMs }: FetchBounds): FurrowError {
  return new FurrowError("E_UNREACHABLE", {
    what: `the host has sent no more of ${path} for ${stallMs / 1000} s`,
    where: { host },
    hint: "Find out why reading the file hangs on the host, or raise --stall-timeout, then rerun",
  });
}

function sourceOf({ path, through }: FetchStep): string {
  if (through === undefined) return `cat -- ${shellQuote(path)}`;
  return `${through.map(shellQuote).join(" ")} <${shellQuote(path)}`;
}

/**
 * Opens a new file. A file left over from a killed run would keep its own mode, and a symlink would redirect the write.
 */
async function openNew(path: string, mode: number): Promise<FileHandle> {
  await outside.mkdir(dirname(path), { recursive: true });
  await outside.rm(path, { force: true });
  return outside.open(path, "wx", mode);
}

/** Gives the received file its mode, writes it to disk and moves it into place. */
async function keep(file: FileHandle, temporary: string, target: string, mode: number): Promise<void> {
  await file.chmod(mode);
  await file.sync();
  await outside.rename(temporary, target);
}
