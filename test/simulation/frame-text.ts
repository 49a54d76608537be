/** A part of a frame, as a shell would read it from the text that furrow sends. */
export type FramePart =
  | { readonly part: "read"; readonly item: number; readonly asked: readonly Asked[] }
  | {
      readonly part: "guard";
      readonly item: number;
      readonly asked: readonly Asked[];
      readonly expected: ReadonlySet<string>;
      readonly open: ReadonlySet<string>;
      readonly count: number;
    }
  | { readonly part: "border"; readonly item: number; readonly title: string }
  | {
      readonly part: "step";
      /** `ITEM STEP`. */
      readonly id: string;
      readonly argv: readonly string[];
      readonly ok: readonly string[];
      readonly uncut: boolean;
    }
  | { readonly part: "done" };

/** One question in a script for the kind `cell`. */
export interface Asked {
  readonly number: string;
  readonly key: string;
}

/** A whole frame: the parts that run in order, and the parts that are read at the end unless a step failed. */
export interface FrameText {
  readonly nonce: string;
  readonly parts: readonly FramePart[];
  readonly always: readonly FramePart[];
}

/**
 * Thrown if the far end does not understand the text: either furrow sent invalid text, or this parser does not support
 * a new form of shell text.
 */
export class NotUnderstood extends Error {}

/** A runner that cannot write its journal exits: each record is followed by `|| exit 74`. */
const readPart =
  /printf '%s R (\d+)\\n' "\$_fn"\n([\s\S]*?)\n(?:\{ _frm && )?printf '\\n%s r \1\\n' "\$_fn"(?:; \} \|\| exit 74)?/y;
const guardPart = /_g=\$\( \{\n([\s\S]*?)\n\} \); _fg (\d+) "\$_g" /y;
const stepPart = /_fi='(\d+ \d+)'; _fc\(\) \{\nexec (?:timeout -k 10 \d+ )?/y;
const stepEnd = /\n\}; (_fuc=1; )?_fx '([\d|]+)' \|\| \{ _fz=1; break; \}/y;

/** Parses a frame's text. It understands only shell text that `src/transport/frame/compile/compile.ts` generates. */
export function readFrame(text: string): FrameText {
  const cursor = new Cursor(text);
  const [, nonce = ""] = cursor.take(/\s*\{ _fn=(\w+); _fz=\n/y, "the head of a frame");
  cursor.take(/while :; do\n/y, "the loop of a frame");
  const parts: FramePart[] = [];
  while (cursor.maybe(/\s*break; done\n/y) === undefined) parts.push(readPartAt(cursor));
  const always: FramePart[] = [];
  while (cursor.maybe(/if \[ -z "\$_fz" \]; then\n/y) !== undefined) {
    always.push(readPartAt(cursor));
    cursor.take(/\nfi\n/y, "the end of the part that is always read");
  }
  cursor.take(/\s*printf '%s X\\n' "\$_fn"(?: \|\| exit 74)?; \}\s*$/y, "the end of a frame");
  return { nonce, parts, always };
}

function readPartAt(cursor: Cursor): FramePart {
  cursor.maybe(/\n+/y);
  const read = cursor.maybe(readPart);
  if (read) return { part: "read", item: Number(read[1]), asked: askedIn(read[2] ?? "") };
  const border = cursor.maybe(/_ftk (\d+) /y);
  if (border) {
    const title = cursor.word();
    cursor.take(/ \|\| break/y, "the end of a boundary");
    return { part: "border", item: Number(border[1]), title };
  }
  const step = cursor.maybe(stepPart);
  if (step) {
    const argv = [cursor.word()];
    while (cursor.maybe(/ /y) !== undefined) argv.push(cursor.word());
    const [, uncut, ok = ""] = cursor.take(stepEnd, "the end of a step");
    return { part: "step", id: step[1] ?? "", argv, ok: ok.split("|"), uncut: uncut !== undefined };
  }
  const guard = cursor.maybe(guardPart);
  if (guard) {
    const expected = linesOf(cursor.word());
    cursor.take(/ /y, "a blank");
    const open = linesOf(cursor.word());
    const [, count] = cursor.take(/ (\d+) \|\| break/y, "the end of a guard");
    return {
      part: "guard",
      item: Number(guard[2]),
      asked: askedIn(guard[1] ?? ""),
      expected,
      open,
      count: Number(count),
    };
  }
  cursor.take(/_fts ok/y, "a part of a frame");
  return { part: "done" };
}

function linesOf(block: string): Set<string> {
  return new Set(block.split("\n").filter((line) => line !== ""));
}

/** The questions in a script for the kind `cell`: lines `cell NUMBER KEY` in a subshell. */
function askedIn(script: string): Asked[] {
  return script.split("\n").flatMap((line) => {
    if (["", "(", ") </dev/null", ":"].includes(line)) return [];
    const [word, number = "", key = ""] = line.split(" ");
    if (word !== "cell") throw new NotUnderstood(`the line does not ask for a cell: ${line}`);
    return [{ number, key }];
  });
}

/** Reads shell text from left to right. */
export class Cursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The match of a sticky pattern at this position; undefined if it does not match. */
  maybe(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  take(pattern: RegExp, what: string): RegExpExecArray {
    const found = this.maybe(pattern);
    if (found) return found;
    throw new NotUnderstood(`expected ${what}: ${JSON.stringify(this.#text.slice(this.#at, this.#at + 300))}`);
  }

  /** One shell word: plain letters, parts in single quotes, and `\'` between them. */
  word(): string {
    let word = "";
    for (;;) {
      const quoted = this.maybe(/'([^']*)'/y);
      const escaped = quoted ?? this.maybe(/\\(['\\])/y);
      const piece = escaped ?? this.maybe(/([^\s'\\;|&<>()$`"]+)/y);
      if (piece === undefined) return word;
      word += piece[1] ?? "";
    }
  }
}
