/** The value of a Python literal, if JSON can represent it. */
export interface Literal {
  readonly value: unknown;
}

const keywords: Readonly<Record<string, unknown>> = { True: true, False: false, None: null };

/**
 * Parses text as Python's `ast.literal_eval` does. Ansible determines the types of INI values this way (docs: "values
 * passed in using the key=value syntax are interpreted as Python literal structure"). Returns undefined for other text,
 * and for literals that JSON cannot represent (complex numbers, whole numbers beyond 2^53).
 */
export function pythonLiteral(text: string): Literal | undefined {
  // Most values are plain words; reject them quickly.
  if (!/^[ \t]*(?:[\d.+([{'"-]|True|False|None|[bBuUrR]{1,2}['"])/.test(text)) return undefined;
  try {
    return { value: new LiteralReader(text).whole() };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

class LiteralReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text.replace(/^[ \t]+/, "");
  }

  whole(): unknown {
    const items = this.#items("");
    if (this.#at < this.#text.length) throw new SyntaxError("more follows");
    return items;
  }

  /** Reads values up to `end`. A comma makes a tuple, even without brackets. */
  #items(end: string): unknown {
    const items: unknown[] = [];
    let commas = 0;
    for (;;) {
      this.#space();
      if (end !== "" ? this.#text.startsWith(end, this.#at) : this.#at >= this.#text.length) break;
      if (items.length > commas) throw new SyntaxError("no comma");
      items.push(this.#value());
      this.#space();
      if (this.#text[this.#at] !== ",") continue;
      this.#at += 1;
      commas += 1;
    }
    this.#at += end.length;
    if (end === "]") return items;
    if (commas === 0 && items.length === 1) return items[0];
    if (items.length === 0 && end === "") throw new SyntaxError("nothing");
    return items;
  }

  #value(): unknown {
    const rest = this.#text.slice(this.#at);
    const [first = ""] = rest;
    if (first === "(" || first === "[") return this.#nested(() => this.#items(first === "(" ? ")" : "]"));
    if (first === "{") return this.#nested(() => this.#mapping());
    const word = /^(?:True|False|None)(?![\w])/.exec(rest)?.[0];
    if (word !== undefined) {
      this.#at += word.length;
      return keywords[word];
    }
    if (/^(?:[bB][rR]?|[rR][bB]?|[uU])?['"]/.test(rest)) return this.#strings();
    return this.#number(rest);
  }

  #nested(read: () => unknown): unknown {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > 90) throw new SyntaxError("too deep");
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #mapping(): unknown {
    const entries: [string, unknown][] = [];
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === "}") break;
      const key = this.#value();
      this.#space();
      // JSON has no sets.
      if (this.#text[this.#at] !== ":") throw new SyntaxError("no colon");
      this.#at += 1;
      this.#space();
      if (typeof key === "object" && key !== null) throw new SyntaxError("no key");
      entries.push([String(key), this.#value()]);
      this.#space();
      if (this.#text[this.#at] === ",") this.#at += 1;
      else if (this.#text[this.#at] !== "}") throw new SyntaxError("no comma");
    }
    this.#at += 1;
    return Object.fromEntries(entries);
  }

  #number(rest: string): number {
    const [whole, signs = "", digits = ""] =
      /^([+-][ \t]*)?(0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*)?\.?(?:\d(?:_?\d)*)?(?:(?<=[\d.])[eE][+-]?\d(?:_?\d)*)?)/.exec(
        rest,
      ) ?? [];
    if (whole === undefined || digits === "" || digits === "." || /^[\w.]/.test(rest.slice(whole.length))) {
      throw new SyntaxError("no number");
    }
    // In Python 3, only zero may have leading zeros.
    if (/^0[\d_]*[1-9]/.test(digits) && /^[\d_]+$/.test(digits)) throw new SyntaxError("leading zero");
    this.#at += whole.length;
    const value = Number(digits.replaceAll("_", ""));
    if (/^[\d_xXoObBa-fA-F]+$/.test(digits) && !/^\d[\d_]*[eE]/.test(digits) && !Number.isSafeInteger(value)) {
      throw new SyntaxError("too large");
    }
    if (!Number.isFinite(value)) throw new SyntaxError("too large");
    return signs.startsWith("-") && value !== 0 ? -value : value;
  }

  /** Reads one string, or adjacent strings, which are concatenated. */
  #strings(): string {
    let all = "";
    let bytes: boolean | undefined;
    for (;;) {
      const [prefix, modifier = "", quote = ""] =
        /^((?:[bB][rR]?|[rR][bB]?|[uU])?)("""|'''|"|')/.exec(this.#text.slice(this.#at)) ?? [];
      if (prefix === undefined) return all;
      const isBytes = /b/i.test(modifier);
      if (bytes !== undefined && bytes !== isBytes) throw new SyntaxError("bytes next to text");
      bytes = isBytes;
      this.#at += prefix.length;
      all += this.#quoted(quote, /r/i.test(modifier));
      this.#space();
    }
  }

  #quoted(quote: string, raw: boolean): string {
    let text = "";
    while (!this.#text.startsWith(quote, this.#at)) {
      const [piece] = /^(?:\\[^]|[^\\])/.exec(this.#text.slice(this.#at)) ?? [];
      if (piece === undefined) throw new SyntaxError("no closing quote");
      if (raw || !piece.startsWith("\\")) {
        this.#at += piece.length;
        text += piece;
      } else {
        text += this.#escape();
      }
    }
    this.#at += quote.length;
    return text;
  }

  #escape(): string {
    const [whole = "", , hex, octal, other = ""] =
      /^\\(x([\da-fA-F]{2})|([0-7]{1,3})|([^]))/.exec(this.#text.slice(this.#at)) ?? [];
    const [wide, four, eight] = /^\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8}))/.exec(this.#text.slice(this.#at)) ?? [];
    if (wide === undefined && hex === undefined && /^[xuUN]$/.test(other)) throw new SyntaxError("a broken escape");
    this.#at += (wide ?? whole).length;
    const code = four ?? eight ?? hex;
    if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16));
    if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
    const simple: Readonly<Record<string, string>> = {
      "\n": "",
      n: "\n",
      t: "\t",
      r: "\r",
      a: "\u0007",
      b: "\b",
      f: "\f",
      v: "\v",
      "\\": "\\",
      "'": "'",
      '"': '"',
    };
    return simple[other] ?? whole;
  }

  /** Skips whitespace and a comment, which extends to the end of the text. */
  #space(): void {
    const [blank = ""] = /^[ \t\f]*(?:#[^]*)?/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += blank.length;
  }
}
