import { type Moment, readMoment } from "../compile/clock.ts";
import { type HostWord, hostWord, wholeNumber } from "./host-word.ts";
import { answerBytes, noiseBytes, outputRecordBytes } from "../limits.ts";
import { brokenProtocol } from "../protocol-error.ts";

/**
 * Why a frame ended between two tasks: its own controller ordered a stop, its lease was not renewed, or another run is
 * waiting for the host while this run has no connection.
 */
export type StopReason = "stop" | "lease" | "wanted";

/** One record of a host's answer to a frame. */
export type FrameRecord =
  /** Lines of facts for the item with this number. */
  | { readonly record: "lines"; readonly item: number; readonly lines: readonly string[] }
  | { readonly record: "guard"; readonly item: number; readonly held: boolean }
  /**
   * Output of a step. `offset` is the number of stream bytes before this output; undefined if the host did not count.
   */
  | {
      readonly record: "output";
      readonly item: number;
      readonly step: number;
      readonly stream: "stdout" | "stderr";
      readonly offset: number | undefined;
      readonly data: Buffer;
    }
  /**
   * The host could not write the step's output. The output is incomplete, and the step's work may also be incomplete.
   */
  | { readonly record: "no-room"; readonly item: number; readonly step: number; readonly why: string }
  | { readonly record: "step"; readonly item: number; readonly step: number; readonly exitCode: number }
  /** The steps of an item begin. */
  | { readonly record: "task"; readonly item: number }
  /** The frame ends before the steps of an item. */
  | { readonly record: "stopped"; readonly item: number; readonly why: StopReason }
  | { readonly record: "time"; readonly moment: Moment }
  | { readonly record: "end" }
  /** Records outside a journal: see {@link HostWord}. */
  | HostWord;

/** The header of an output record whose bytes follow. */
interface OutputHeader {
  readonly item: number;
  readonly step: number;
  readonly stream: "stdout" | "stderr";
  readonly offset: number | undefined;
  readonly length: number;
}

const newline = 0x0a;

/**
 * Splits the byte stream of a shell into records and drops everything outside them. It counts the bytes of the frame's
 * journal up to the end of the last whole record, because an interrupted answer resumes there. Throws FurrowError
 * E_PROTOCOL if the host sends more than the limits allow, or a record that cannot be read.
 */
export class RecordReader {
  readonly #nonce: string;
  #gone: RegExp | undefined;
  readonly #noiseLimit: number;
  #journal: number | undefined;
  #taken = 0;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #lines: string[] | undefined;
  #output: OutputHeader | undefined;
  #live = false;
  #noise = 0;
  #answers = 0;

  /** `noiseLimit`: the maximum number of bytes in records and in the noise between them. */
  constructor(nonce: string, noiseLimit: number = noiseBytes) {
    this.#nonce = nonce;
    this.#noiseLimit = noiseLimit;
  }

  /**
   * Matches the last record of a journal that was cut off. Such a record may begin anywhere in a line, and nothing
   * follows it. The expression is built on demand, because few frames need it.
   */
  get #goneAtEnd(): RegExp {
    return (this.#gone ??= new RegExp(`${this.#nonce} E(?: full [^\\n]*)?$`));
  }

  /** Number of journal bytes up to the end of the last whole record. */
  get taken(): number {
    return this.#taken;
  }

  /** Drops a partial record and the counts so far, for a new connection or a question repeated after a wait. */
  restart(): void {
    this.#noise = 0;
    this.#keep(Buffer.alloc(0));
    this.#lines = undefined;
    this.#output = undefined;
    this.#journal = undefined;
    this.#live = false;
  }

  /** Yields the records that these bytes complete. */
  *read(data: Uint8Array): Generator<FrameRecord> {
    let rest = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    for (;;) {
      const wanted = this.#output ? this.#output.length - this.#pendingBytes : rest.indexOf(newline) + 1;
      const enough = this.#output ? rest.length >= wanted : wanted > 0;
      if (!enough) break;
      const whole = this.#withPending(rest.subarray(0, wanted));
      rest = rest.subarray(wanted);
      const record = this.#output ? this.#outputRecord(this.#output, whole) : this.#lineRecord(whole);
      if (record) yield record;
    }
    if (rest.length > 0) {
      // Make a copy, because the caller may reuse its buffer.
      this.#pending.push(Buffer.from(rest));
      this.#pendingBytes += rest.length;
    }
    if (this.#output) {
      const gone = this.#goneWithin();
      if (gone) yield gone;
    } else this.#check(this.#pendingBytes);
  }

  #keep(rest: Buffer): void {
    this.#pending = rest.length > 0 ? [rest] : [];
    this.#pendingBytes = rest.length;
  }

  #withPending(end: Buffer): Buffer {
    if (this.#pendingBytes === 0) return end;
    const whole = Buffer.concat([...this.#pending, end]);
    this.#keep(Buffer.alloc(0));
    return whole;
  }

  /** Counts bytes of the journal. Between records, all bytes so far count as taken. */
  #count(bytes: number): void {
    if (this.#journal === undefined || this.#live) return;
    this.#journal += bytes;
    if (this.#lines === undefined && this.#output === undefined) this.#taken = this.#journal;
  }

  #outputRecord({ length, ...output }: OutputHeader, data: Buffer): FrameRecord {
    this.#output = undefined;
    this.#count(length);
    this.#live = false;
    return { record: "output", ...output, data };
  }

  /** Finds the journal's last record if the rest of this output is missing because the disk was full. */
  #goneWithin(): FrameRecord | undefined {
    const bytes = Buffer.concat(this.#pending);
    this.#keep(bytes);
    const tail = bytes.subarray(-512).toString("latin1");
    const [line] = tail.endsWith("\n") ? (this.#goneAtEnd.exec(tail.slice(0, -1)) ?? []) : [];
    return line === undefined ? undefined : this.#record(line);
  }

  #lineRecord(whole: Buffer): FrameRecord | undefined {
    const line = whole.subarray(0, -1).toString("utf8");
    const own = line.startsWith(`${this.#nonce} `);
    const [gone] = own || !line.includes(this.#nonce) ? [] : (this.#goneAtEnd.exec(line.slice(-512)) ?? []);
    const answers = !own && this.#lines !== undefined;
    this.#check(whole.length);
    if (answers) this.#answers += whole.length;
    else this.#noise += whole.length;
    if (answers && gone === undefined && line !== "") this.#lines?.push(line);
    const record = own ? this.#record(this.#uncut(line)) : gone === undefined ? undefined : this.#record(gone);
    this.#count(whole.length);
    if (line.startsWith(`${this.#nonce} J `)) this.#journal = wholeNumber(line.split(" ")[2]);
    return record;
  }

  /** If the journal's last record follows a record that was cut off, returns only the last record. */
  #uncut(line: string): string {
    const at = line.lastIndexOf(`${this.#nonce} E`);
    return at > 0 && this.#goneAtEnd.test(line) ? line.slice(at) : line;
  }

  #check(bytes: number): void {
    const [sum, limit] =
      this.#lines === undefined ? [this.#noise, this.#noiseLimit] : [this.#answers, answerBytes + this.#noiseLimit];
    if (sum + bytes <= limit) return;
    const what = this.#lines === undefined ? "between the records of a frame" : "in answer to a frame";
    throw brokenProtocol(`the host sent more than ${limit} bytes ${what}`);
  }

  #record(line: string): FrameRecord | undefined {
    const [, type, ...words] = line.split(" ");
    switch (type) {
      case "R":
        this.#lines = [];
        return undefined;
      case "r": {
        if (this.#lines === undefined) throw brokenProtocol("the host ended an answer that it had not begun", line);
        const lines = this.#lines;
        this.#lines = undefined;
        return { record: "lines", item: wholeNumber(words[0]), lines };
      }
      case "G":
        return { record: "guard", item: wholeNumber(words[0]), held: wholeNumber(words[1]) === 1 };
      case "O":
      case "V":
        // Live output is not in the journal: the host sends it again at the end of the step.
        this.#live = type === "V";
        this.#output = outputHeader(words, line);
        return undefined;
      case "D":
        return {
          record: "no-room",
          item: wholeNumber(words[0]),
          step: wholeNumber(words[1]),
          why: words.slice(2).join(" "),
        };
      case "S":
        return stepRecord(words, line);
      case "T":
        return { record: "task", item: wholeNumber(words[0]) };
      case "Z":
        return { record: "stopped", item: wholeNumber(words[0]), why: stopReason(words[1]) };
      case "M": {
        const moment = readMoment(words);
        return moment && { record: "time", moment };
      }
      case "X":
        return { record: "end" };
      default:
        return hostWord(type, words);
    }
  }
}

function outputHeader([item, step, stream, offset, length]: readonly string[], line: string): OutputHeader {
  if (stream !== "o" && stream !== "e") throw brokenProtocol("the host sent output for an unknown stream", line);
  const bytes = wholeNumber(length);
  if (bytes > outputRecordBytes) throw brokenProtocol("the host announced a record that is too long", line);
  return {
    item: wholeNumber(item),
    step: wholeNumber(step),
    stream: stream === "e" ? "stderr" : "stdout",
    offset: offset === "-" ? undefined : wholeNumber(offset),
    length: bytes,
  };
}

function stopReason(word: string | undefined): StopReason {
  return word === "lease" || word === "wanted" ? word : "stop";
}

function stepRecord(words: readonly string[], line: string): FrameRecord {
  const exitCode = wholeNumber(words[2]);
  if (exitCode > 255) throw brokenProtocol("the host sent an exit code above 255", line);
  return { record: "step", item: wholeNumber(words[0]), step: wholeNumber(words[1]), exitCode };
}
