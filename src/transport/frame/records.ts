import { type Moment, readMoment } from "./clock.ts";

/** One record of a host's answer to a frame. */
export type FrameRecord =
  /** Lines of facts, of the item with this number. */
  | { readonly record: "lines"; readonly item: number; readonly lines: readonly string[] }
  | { readonly record: "guard"; readonly item: number; readonly held: boolean }
  /** Output of a step; `offset` counts the bytes of that stream before it. */
  | {
      readonly record: "output";
      readonly item: number;
      readonly step: number;
      readonly stream: "stdout" | "stderr";
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly record: "step"; readonly item: number; readonly step: number; readonly exitCode: number }
  /** The steps of an item begin. */
  | { readonly record: "task"; readonly item: number }
  /** The frame ends before the steps of an item: a stop order, or nobody has renewed its lease. */
  | { readonly record: "stopped"; readonly item: number; readonly why: "stop" | "lease" }
  | { readonly record: "time"; readonly moment: Moment }
  | { readonly record: "end" }
  /** What stands beside a journal: see {@link HostWord}. */
  | HostWord;

/** What became of a frame: it had begun, it never will, or another run has had the host since. */
export type AskedState = "begun" | "never" | "taken";

/** What the shell on the host says of a frame and of itself. */
export type HostWord =
  /** The boot it speaks from; `fresh` where nothing of this session's was found there. */
  | { readonly record: "boot"; readonly boot: string; readonly fresh: boolean }
  /** The answer to a question after a frame; `boot` and seconds since that boot. */
  | { readonly record: "asked"; readonly state: AskedState; readonly boot: string; readonly upSeconds: number }
  /** The runner found that the controller had given the frame up, and did nothing. */
  | { readonly record: "given-up" }
  /** No journal can be written, or not of what would stand in it: the host cannot encipher. Nothing was done. */
  | { readonly record: "no-journal"; readonly why: "cannot write" | "cannot hide" }
  /** The runner is gone: nothing follows. */
  | { readonly record: "gone" }
  /** Another run has the host, or what it left still runs; nothing was done. */
  | { readonly record: "held"; readonly attached: boolean; readonly run: string; readonly words: string }
  /** What a run that was cut off came to: `began`, `ok`, `failed` or `stopped`, and its task. */
  | { readonly record: "left"; readonly run: string; readonly state: string; readonly task: string };

/**
 * Cuts the byte stream of a shell into records. What stands outside of records is nobody's and is dropped. It counts the
 * bytes of a frame's journal that it has taken in whole records: from there a cut answer is taken up.
 */
export class RecordReader {
  readonly #nonce: string;
  #journal: number | undefined;
  #taken = 0;
  #rest: Buffer = Buffer.alloc(0);
  #lines: string[] | undefined;
  #output: { item: number; step: number; stream: "stdout" | "stderr"; offset: number; length: number } | undefined;
  #live = false;

  constructor(nonce: string) {
    this.#nonce = nonce;
  }

  /** Bytes of the journal up to the end of the last whole record. */
  get taken(): number {
    return this.#taken;
  }

  /** Forgets a half record: another connection begins. */
  restart(): void {
    this.#rest = Buffer.alloc(0);
    this.#lines = undefined;
    this.#output = undefined;
    this.#journal = undefined;
    this.#live = false;
  }

  /** Counts bytes of the journal; between records all that came is taken. */
  #count(bytes: number): void {
    if (this.#journal === undefined || this.#live) return;
    this.#journal += bytes;
    if (this.#lines === undefined && this.#output === undefined) this.#taken = this.#journal;
  }

  /** The records that these bytes complete. */
  *read(data: Uint8Array): Generator<FrameRecord> {
    this.#rest = this.#rest.length === 0 ? Buffer.from(data) : Buffer.concat([this.#rest, data]);
    for (;;) {
      if (this.#output) {
        const { length, ...output } = this.#output;
        if (this.#rest.length < length) return;
        const bytes = this.#rest.subarray(0, length);
        this.#rest = this.#rest.subarray(length);
        this.#output = undefined;
        this.#count(length);
        this.#live = false;
        yield { record: "output", ...output, data: bytes };
        continue;
      }
      const end = this.#rest.indexOf(0x0a);
      if (end < 0) return;
      const line = this.#rest.subarray(0, end).toString("utf8");
      this.#rest = this.#rest.subarray(end + 1);
      const record = this.#line(line);
      this.#count(end + 1);
      if (line.startsWith(`${this.#nonce} J `)) this.#journal = Number(line.split(" ")[2]);
      if (record) yield record;
    }
  }

  #line(line: string): FrameRecord | undefined {
    if (!line.startsWith(`${this.#nonce} `)) {
      if (line !== "") this.#lines?.push(line);
      return undefined;
    }
    const [, type, ...words] = line.split(" ");
    const [item = 0, step = 0] = words.map(Number);
    switch (type) {
      case "R":
        this.#lines = [];
        return undefined;
      case "r": {
        const lines = this.#lines ?? [];
        this.#lines = undefined;
        return { record: "lines", item, lines };
      }
      case "G":
        return { record: "guard", item, held: words[1] === "1" };
      case "O":
      case "V":
        // What is shown while a step runs stands in no journal: the step's end brings it again.
        this.#live = type === "V";
        this.#output = {
          item,
          step,
          stream: words[2] === "e" ? "stderr" : "stdout",
          offset: Number(words[3]),
          length: Number(words[4]),
        };
        return undefined;
      case "S":
        return { record: "step", item, step, exitCode: Number(words[2]) };
      case "T":
        return { record: "task", item };
      case "Z":
        return { record: "stopped", item, why: words[1] === "lease" ? "lease" : "stop" };
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

function askedState(word: string): AskedState {
  return word === "begun" || word === "taken" ? word : "never";
}

function hostWord(type: string | undefined, words: readonly string[]): HostWord | undefined {
  const [first = "", second = "", third = ""] = words;
  switch (type) {
    case "H":
      return { record: "boot", boot: first, fresh: second === "1" };
    case "Q":
      return { record: "asked", state: askedState(first), boot: second, upSeconds: Number.parseInt(third, 10) };
    case "F":
      return { record: "given-up" };
    case "N":
      return { record: "no-journal", why: first === "h" ? "cannot hide" : "cannot write" };
    case "E":
      return { record: "gone" };
    case "K":
      return { record: "held", attached: first === "held", run: second, words: words.slice(2).join(" ") };
    case "P":
      return { record: "left", run: first, state: second, task: words.slice(2).join(" ") };
    default:
      return undefined;
  }
}
