/** Emulates the terminal features that the live view uses; wide characters are not supported. */
export class FakeTerminal {
  rows: number;
  columns: number;
  readonly isTTY = true;
  /** All lines, both those that have scrolled away and those on the screen. */
  readonly lines: string[] = [""];
  /** The number of writes so far. */
  writes = 0;
  #row = 0;
  #column = 0;
  #wrap = true;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** The rows on the screen, without empty rows at the end. */
  screen(): string[] {
    return this.lines.slice(-this.rows);
  }

  write(text: string | Uint8Array): boolean {
    this.writes += 1;
    const pattern = /\u001b\[(\??)(\d*)([A-Za-z])|([\r\n])|([^\u001b\r\n]+)/g;
    for (const [, mark, number, letter, control, plain] of String(text).matchAll(pattern)) {
      if (control === "\r") this.#column = 0;
      else if (control === "\n") this.#newLine();
      else if (plain !== undefined) this.#put(plain);
      else if (letter !== undefined) this.#escape(mark === "?", number ?? "", letter);
    }
    return true;
  }

  #escape(mode: boolean, number: string, letter: string): void {
    if (mode && number === "7") this.#wrap = letter === "h";
    if (mode || letter === "m") return;
    if (letter === "A") {
      this.#row -= Number(number || "1");
      if (this.#row < this.lines.length - this.rows || this.#row < 0) throw new Error("the cursor left the screen");
    } else if (letter === "K") this.lines[this.#row] = this.#line().slice(0, this.#column);
    else if (letter === "J") {
      this.lines[this.#row] = this.#line().slice(0, this.#column);
      this.lines.length = this.#row + 1;
    } else throw new Error(`the terminal does not know the escape ${letter}`);
  }

  #newLine(): void {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.lines.length) this.lines.push("");
  }

  #put(text: string): void {
    for (const character of text) {
      if (this.#column >= this.columns) {
        if (!this.#wrap) continue;
        this.#newLine();
      }
      const line = this.#line().padEnd(this.#column);
      this.lines[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1);
      this.#column += 1;
    }
  }

  #line(): string {
    return this.lines[this.#row] ?? "";
  }
}
