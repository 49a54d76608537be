import { widthOf } from "../text/width.ts";

/** The properties and methods of a terminal that a screen uses. */
export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  write(text: string): void;
}

const escape = "\u001b[";
/**
 * Terminals that support synchronized output show all text between these codes in a single update; other terminals
 * ignore the codes.
 */
const [beginAtomic, endAtomic] = [`${escape}?2026h`, `${escape}?2026l`];
/** With wrapping off, the terminal itself cuts off long lines, regardless of the width of their characters. */
const [wrapOff, wrapOn] = [`${escape}?7l`, `${escape}?7h`];

/**
 * Shows lines at the bottom of a terminal, which are redrawn when they change, and text that scrolls above them. Every
 * update is a single write, and lines are overwritten without being cleared first, so nothing flickers.
 */
export class Screen {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];
  #drawnColumns = 0;
  #above = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Adds whole lines of text above the drawn lines; they appear at the next redraw. */
  addAbove(text: string): void {
    this.#above += text;
  }

  /** Draws these lines unless they are already on the screen. */
  draw(lines: readonly string[]): void {
    const same = lines.length === this.#drawn.length && lines.every((line, index) => line === this.#drawn[index]);
    if (same && this.#above === "" && this.#drawnColumns === this.#terminal.columns) return;
    const back = this.#rowsDrawn() - 1;
    const above = this.#above
      .split("\n")
      .slice(0, -1)
      .map((line) => `${line}${escape}K\n`)
      .join("");
    const body = lines.map((line) => `${line}${escape}K`).join("\n");
    const text = `\r${back > 0 ? `${escape}${back}A` : ""}${above}${wrapOff}${body}${wrapOn}${escape}J`;
    this.#terminal.write(beginAtomic + text + endAtomic);
    this.#above = "";
    this.#drawn = lines;
    this.#drawnColumns = this.#terminal.columns;
  }

  /**
   * Returns the number of rows that the drawn lines occupy now: a terminal that became narrower wraps lines that it had
   * cut off.
   */
  #rowsDrawn(): number {
    const { columns } = this.#terminal;
    if (columns >= this.#drawnColumns || columns === 0) return this.#drawn.length;
    return this.#drawn.reduce((rows, line) => {
      const width = Math.min(widthOf(line), this.#drawnColumns);
      return rows + Math.max(1, Math.ceil(width / columns));
    }, 0);
  }
}
