import { decodeBytes } from "../../../core/host/bytes.ts";
import { keptOutputBytes } from "../../../core/host/step.ts";
import { leftOutNote, redactCuts } from "../../../core/secrets/cuts.ts";

/** Keeps the last part of one output stream of a step, assembled from the chunks in which the stream arrives. */
export class KeptOutput {
  #data: Buffer = Buffer.alloc(0);
  /** Number of stream bytes up to the end of the last chunk. */
  #end = 0;
  /** Number of stream bytes before the kept part. */
  #before: number | "some" = 0;

  /**
   * Adds a chunk that begins `offset` bytes into the stream; `offset` is undefined if the host did not count. Returns
   * the new text of the chunk, preceded by a note if bytes are missing. The host may send the same bytes twice.
   */
  take(offset: number | undefined, data: Buffer): string {
    this.#prepend(offset, data);
    const fresh = offset === undefined ? data : data.subarray(Math.max(0, this.#end - offset));
    if (fresh.length === 0) return "";
    const gap = offset === undefined ? "some" : Math.max(0, offset - this.#end);
    this.#end = (offset ?? this.#end) + data.length;
    if (gap === 0) this.#data = Buffer.concat([this.#data, fresh]);
    else [this.#data, this.#before] = [Buffer.from(fresh), offset ?? "some"];
    this.#trim();
    return withNote(gap, fresh);
  }

  /** Adds bytes that were missing from an earlier record; the host sends them again at the end of the step. */
  #prepend(offset: number | undefined, data: Buffer): void {
    const before = this.#before;
    if (offset === undefined || before === "some" || offset >= before || offset + data.length < before) return;
    this.#data = Buffer.concat([data.subarray(0, before - offset), this.#data]);
    this.#before = offset;
    this.#trim();
  }

  #trim(): void {
    const excess = this.#data.length - keptOutputBytes;
    if (excess <= 0) return;
    this.#data = this.#data.subarray(excess);
    if (this.#before !== "some") this.#before += excess;
  }

  /** True if the stream was longer than the kept part. */
  get cut(): boolean {
    return this.#before !== 0;
  }

  /**
   * The kept text. If bytes are missing, the text begins with a note and leaves out the rest of a secret that was cut.
   */
  get text(): string {
    return withNote(this.#before, this.#data);
  }
}

function withNote(missing: number | "some", data: Buffer): string {
  const text = decodeBytes(data);
  return missing === 0 ? text : redactCuts(leftOutNote(missing) + text);
}
