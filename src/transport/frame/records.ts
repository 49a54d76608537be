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
  | { readonly record: "end" };

/** Cuts the byte stream of a shell into records. What stands outside of records is nobody's and is dropped. */
export class RecordReader {
  readonly #nonce: string;
  #rest: Buffer = Buffer.alloc(0);
  #lines: string[] | undefined;
  #output: { item: number; step: number; stream: "stdout" | "stderr"; offset: number; length: number } | undefined;

  constructor(nonce: string) {
    this.#nonce = nonce;
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
        yield { record: "output", ...output, data: bytes };
        continue;
      }
      const end = this.#rest.indexOf(0x0a);
      if (end < 0) return;
      const line = this.#rest.subarray(0, end).toString("utf8");
      this.#rest = this.#rest.subarray(end + 1);
      const record = this.#line(line);
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
      case "X":
        return { record: "end" };
      default:
        return undefined;
    }
  }
}
