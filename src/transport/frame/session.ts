import { randomBytes } from "node:crypto";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import type { Frame, FrameItem, FrameListener, ItemResult, Session, SessionStats } from "../../core/frame.ts";
import type { FetchStep, Step, UploadStep, WriteFileStep } from "../../core/step.ts";
import type { Become, Channel, Link } from "../../core/transport.ts";
import { openShell } from "../become.ts";
import { Answers } from "./answers.ts";
import { compileFrame } from "./compile.ts";
import { isLarge } from "./compile-step.ts";
import { fetchFile } from "./fetch.ts";
import { prelude } from "./prelude.ts";
import { RecordReader } from "./records.ts";
import { stageContent } from "./stage.ts";

/** What a session is opened on. */
export interface FrameSessionOptions {
  /** The host's name, for errors. */
  readonly host: string;
  readonly link: Link;
  /** The user of the link. */
  readonly user: string;
  readonly become: Become | undefined;
  readonly signal: AbortSignal;
}

/** Opens a shell on a link and speaks frames with it. Throws FurrowError E_BECOME, E_PROTOCOL or E_UNREACHABLE. */
export async function openFrameSession(options: FrameSessionOptions): Promise<Session> {
  const { host, link, become, signal } = options;
  const shell = await openShell(link, { host, signal, eager: true, ...(become && { become }) });
  return new FrameSession(shell, options);
}

class FrameSession implements Session {
  readonly user: string;
  readonly #shell: Channel;
  readonly #options: FrameSessionOptions;
  #frames = 0;
  #receive: (data: Uint8Array) => void = () => {};
  #complaints = "";

  constructor(shell: Channel, options: FrameSessionOptions) {
    this.#shell = shell;
    this.#options = options;
    this.user = options.become?.user ?? options.user;
    shell.onStdout((data) => this.#receive(data));
    shell.onStderr((data) => {
      this.#complaints = (this.#complaints + Buffer.from(data).toString("utf8")).slice(-4096);
    });
    shell.ended.catch(() => {});
  }

  async frame(frame: Frame, listener: FrameListener, signal: AbortSignal): Promise<ItemResult[]> {
    const results: ItemResult[] = [];
    const parts = splitAtStaged(frame.items);
    for (const [number, { items, staged }] of parts.entries()) {
      const inParts = { ...listener, item: wholeItems(frame.items, items, results, listener) };
      const unsent = staged && (await this.#stage(staged.step, signal));
      if (unsent) {
        const result: ItemResult = { item: "steps", results: [], failed: { index: 0, error: unsent } };
        inParts.item(staged.item, result);
        mergeResults(results, only(staged.item, result));
        break;
      }
      const answered = await this.#exchange(items, inParts, signal);
      mergeResults(results, answered);
      if (!answered.some(stopped)) continue;
      const left = number + 1 < parts.length && !answered.some(failed) ? alwaysReads(frame.items) : undefined;
      if (left) mergeResults(results, await this.#exchange(left, listener, signal));
      break;
    }
    return frame.items.map((_, index) => results[index] ?? { item: "skipped" });
  }

  /** Why the content of a step cannot be brought to the host; a lost link throws. */
  async #stage(step: UploadStep | WriteFileStep, signal: AbortSignal): Promise<FurrowError | undefined> {
    const { host, link, become } = this.#options;
    try {
      await stageContent(() => openShell(link, { host, signal, eager: true, ...(become && { become }) }), step, signal);
      return undefined;
    } catch (error) {
      if (!isFurrowError(error) || error.code === "E_UNREACHABLE" || signal.aborted) throw error;
      return error;
    }
  }

  async #exchange(
    items: readonly (FrameItem | undefined)[],
    listener: FrameListener,
    signal: AbortSignal,
  ): Promise<ItemResult[]> {
    const filled = items.map((item) => item ?? ({ item: "read", questions: [] } as const));
    const nonce = `f${randomBytes(12).toString("hex")}`;
    const compiled = compileFrame(filled, nonce, true);
    const answers = new Answers(compiled, filled, listener);
    const reader = new RecordReader(nonce);
    let abort = (): void => {};
    const answered = new Promise<void>((resolve, reject) => {
      this.#receive = (data) => {
        try {
          for (const record of reader.read(data)) if (answers.take(record)) resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#shell.ended.then(
        ({ code }) => reject(this.#shellEnded(code)),
        (error: unknown) => reject(error as Error),
      );
      abort = () => reject(interrupted(signal));
      signal.addEventListener("abort", abort, { once: true });
    });
    answered.catch(() => {});
    try {
      signal.throwIfAborted();
      const text = this.#frames === 0 ? prelude + compiled.text : compiled.text;
      this.#frames += 1;
      await Promise.race([this.#shell.write(Buffer.from(text, "utf8")), answered]);
      await answered;
    } finally {
      signal.removeEventListener("abort", abort);
    }
    return answers.results();
  }

  #shellEnded(code: number | undefined): FurrowError {
    return new FurrowError("E_UNREACHABLE", {
      what: `the shell on the host ended while a frame ran`,
      where: { host: this.#options.host },
      ...(code !== undefined && { current: `exit code ${code}` }),
      ...(this.#complaints.trim() !== "" && { details: this.#complaints.trim().split("\n").slice(-6) }),
      hint: "Run again; if it happens again, look whether something on the host kills shells",
    });
  }

  async fetch(step: FetchStep, signal: AbortSignal): Promise<void> {
    const { host, link, become } = this.#options;
    const shell = await openShell(link, { host, signal, ...(become && { become }) });
    await fetchFile(shell, step);
  }

  stats(): SessionStats {
    return { ...this.#options.link.stats(), frames: this.#frames };
  }

  /** Ends the shell, waits shortly for its clean-up, then closes the link. */
  async close(): Promise<void> {
    this.#shell.end();
    const ended = this.#shell.ended.then(
      () => {},
      () => {},
    );
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
    await this.#options.link.close();
  }
}

function interrupted(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return isFurrowError(reason) ? reason : new FurrowError("E_INTERRUPTED", { what: "the run was interrupted" });
}

/** A part of a frame, with the content to stage before it; items that belong to other parts are undefined. */
interface FramePart {
  readonly items: (FrameItem | undefined)[];
  staged?: { readonly item: number; readonly step: UploadStep | WriteFileStep };
}

/** Large contents travel beside the frame: it is cut before each step that needs one, since earlier steps may make its folder. */
function splitAtStaged(items: readonly FrameItem[]): FramePart[] {
  const parts: FramePart[] = [{ items: [] }];
  items.forEach((item, index) => {
    if (item.item !== "steps") {
      last(parts).items[index] = item;
      return;
    }
    let steps: Step[] = [];
    for (const step of item.steps) {
      if (needsStaging(step)) {
        if (steps.length > 0 || last(parts).items.length > 0) {
          if (steps.length > 0) last(parts).items[index] = { ...item, steps };
          parts.push({ items: [] });
          steps = [];
        }
        last(parts).staged = { item: index, step };
      }
      steps.push(step);
    }
    last(parts).items[index] = { ...item, steps };
  });
  return parts.map((part) => ({ ...part, items: Array.from(part.items) }));
}

function last(parts: FramePart[]): FramePart {
  return parts[parts.length - 1] as FramePart;
}

function needsStaging(step: Step): step is UploadStep | WriteFileStep {
  return step.step === "upload" || (step.step === "writeFile" && isLarge(step));
}

/** Steps of one item may lie in several parts: their results follow one another. */
function mergeResults(results: ItemResult[], answered: readonly ItemResult[]): void {
  answered.forEach((result, index) => {
    const before = results[index];
    if (before?.item === "steps" && result.item === "steps") {
      const failed = result.failed && { ...result.failed, index: result.failed.index + before.results.length };
      results[index] = { item: "steps", results: [...before.results, ...result.results], ...(failed && { failed }) };
    } else if (result.item !== "skipped" && !(result.item === "read" && result.answers.length === 0 && before)) {
      results[index] = result;
    }
  });
}

/** The results of a part of which only one item counts. */
function only(item: number, result: ItemResult): ItemResult[] {
  return Array.from({ length: item + 1 }, (_, at) => (at === item ? result : { item: "skipped" }));
}

function stopped(result: ItemResult): boolean {
  return failed(result) || (result.item === "guard" && !result.held);
}

function failed(result: ItemResult): boolean {
  return result.item === "steps" && result.failed !== undefined;
}

/** What a frame that was cut is to read although a guard has ended it in an earlier part. */
function alwaysReads(items: readonly FrameItem[]): (FrameItem | undefined)[] | undefined {
  const left = items.map((item) => (item.item === "read" && item.always === true ? item : undefined));
  return left.some(Boolean) ? left : undefined;
}

/** Hears the items of one part: one whose steps lie in several parts is complete with the last of them. */
function wholeItems(
  all: readonly FrameItem[],
  part: readonly (FrameItem | undefined)[],
  before: readonly ItemResult[],
  listener: FrameListener,
): NonNullable<FrameListener["item"]> {
  return (index, result) => {
    if (part[index] === undefined) return;
    const merged = before.slice();
    mergeResults(merged, only(index, result));
    const whole = merged[index] ?? result;
    const item = all[index];
    const open = item?.item === "steps" && whole.item === "steps" && whole.results.length < item.steps.length;
    if (!open || failed(whole)) listener.item?.(index, whole);
  };
}
