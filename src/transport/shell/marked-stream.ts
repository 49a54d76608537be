/** How many bytes of the text before the marker are kept. The beginning of a longer banner is cut off. */
const keptBytes = 64 * 1024;

/** Passes only the data after a marker line. The text before it is kept for errors. */
export class MarkedStream {
  #before: Buffer = Buffer.from("\n");
  #passing: boolean;
  readonly #marker: string;

  /** `marker` is the whole line. If it is undefined, everything passes. */
  constructor(marker: string | undefined) {
    this.#marker = marker ?? "";
    this.#passing = marker === undefined;
  }

  /** True once the marker was seen. */
  get passing(): boolean {
    return this.#passing;
  }

  /** The text before the marker. */
  get before(): string {
    return this.#before.toString("utf8");
  }

  /** True if `line` is a whole line before the marker. */
  hasLine(line: string): boolean {
    return lineEnd(this.#before, line) !== undefined;
  }

  /** Takes the next bytes and returns those that follow the marker. */
  take(data: Uint8Array): Uint8Array {
    if (this.#passing) return data;
    this.#before = Buffer.concat([this.#before, data]);
    const end = lineEnd(this.#before, this.#marker);
    if (end === undefined) {
      if (this.#before.length > keptBytes) this.#before = this.#before.subarray(-keptBytes);
      return data.subarray(data.length);
    }
    const after = this.#before.subarray(end);
    this.#before = this.#before.subarray(0, end);
    this.#passing = true;
    return after;
  }
}

/** The offset at which the line after `line` begins. A terminal may put a carriage return before the newline. */
function lineEnd(data: Buffer, line: string): number | undefined {
  let at = data.indexOf(`\n${line}`);
  while (at >= 0) {
    let end = at + 1 + line.length;
    if (data[end] === 0x0d) end += 1;
    if (data[end] === 0x0a) return end + 1;
    at = data.indexOf(`\n${line}`, at + 1);
  }
  return undefined;
}
