import type { Answer, Frame, FrameItem, ItemResult, Session } from "../../src/core/host/frame.ts";
import { FurrowError } from "../../src/core/errors.ts";
import { linesOf } from "../../src/core/facts/expectation.ts";
import { exchange } from "../../src/transport/frame/session/exchange.ts";
import { JournalSupport } from "../../src/transport/frame/session/journal-support.ts";
import type { Line, Lines, SentFrame } from "../../src/transport/frame/compile/frame-line.ts";

/** The number of lost connections, keyed by the state of the frame. */
export interface Losses {
  neverArrived: number;
  cutAnswer: number;
}

/** Returns random integers from 0 up to, but not including, `limit`. */
type Random = (limit: number) => number;

/**
 * A session whose connection breaks at random, sometimes more than once: before a frame has arrived, or after any byte
 * of its answer. Frames that have arrived continue, and furrow's real `exchange` resumes their answers. `losses` counts
 * the breaks; without it, no connection breaks.
 */
export function lossySession(host: Session, random: Random, losses: Losses | undefined): Session {
  const journals = new JournalHost(host, random, losses);
  const boot = { id: undefined, pid: undefined };
  return {
    ...host,
    frame: async ({ items }, listener, signal) => {
      const done = await exchange(items, undefined, {
        clock: undefined,
        stop: undefined,
        host: "lossy",
        lines: journals,
        listener,
        signal,
        stallSeconds: 120,
        probe: () => Promise.resolve(undefined),
        boot,
        journals: new JournalSupport(),
        held: () => Promise.reject(new Error("no other run is on this host")),
        left: () => {},
      });
      return done.results;
    },
  };
}

/** A host with journals: it executes every frame once, and can repeat what the frame has printed. */
class JournalHost implements Lines {
  readonly random: Random;
  readonly losses: Losses | undefined;
  readonly #host: Session;
  readonly #journals = new Map<string, Promise<Buffer>>();
  #line: LossyLine | undefined;
  /** The number of consecutive losses without progress. After too many, the host counts as unreachable. */
  fruitless = 0;

  constructor(host: Session, random: Random, losses: Losses | undefined) {
    this.#host = host;
    this.random = random;
    this.losses = losses;
  }

  open(): Promise<Line> {
    this.#line ??= new LossyLine(this);
    return Promise.resolve(this.#line);
  }

  drop(line: Line): boolean {
    if (this.#line === line) this.#line = undefined;
    return true;
  }

  heard(): void {}

  readonly reconnectSeconds = 300;
  moved(): void {}

  /**
   * Executes a frame to its end, even if the controller is no longer listening. A frame that only reads does not leave
   * a journal.
   */
  perform({ nonce, items, runsIn }: SentFrame): Promise<Buffer> {
    const frame: Frame = { items };
    const journal = this.#host
      .frame(frame, { output: () => {} }, new AbortController().signal)
      .then((results) => journalOf(nonce, items, results, this.random));
    if (runsIn === "runner") this.#journals.set(nonce, journal);
    return journal;
  }

  journal(nonce: string): Promise<Buffer> | undefined {
    return this.#journals.get(nonce);
  }
}

class LossyLine implements Line {
  readonly lost: Promise<never>;
  readonly #host: JournalHost;
  #listener: (data: Uint8Array) => void = () => {};
  #isLost = false;
  #saying: Promise<void> = Promise.resolve();
  #lose!: (error: Error) => void;

  constructor(host: JournalHost) {
    this.#host = host;
    this.lost = new Promise((_, reject) => (this.#lose = reject));
    this.lost.catch(() => {});
  }

  listen(listener: (data: Uint8Array) => void): () => void {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = () => {};
    };
  }

  async begin(frame: SentFrame): Promise<void> {
    if (this.#isLost) return;
    const { random, losses } = this.#host;
    if (losses && this.#host.fruitless < 3 && random(100) < 20) {
      losses.neverArrived += 1;
      this.#end();
      return;
    }
    const journal = await this.#host.perform(frame);
    await this.#say(frame.nonce, `${frame.nonce} H boot\n`, 0, journal);
  }

  async ask(nonce: string, taken: number): Promise<void> {
    if (this.#isLost) return;
    const journal = await this.#host.journal(nonce);
    const answer = `${nonce} Q ${journal ? "begun" : "never"} boot 100000\n`;
    await this.#say(nonce, answer, taken, journal ?? Buffer.alloc(0));
  }

  /** A shell prints one answer after another: it prints the rest of an abandoned answer before the next answer. */
  #say(nonce: string, before: string, from: number, journal: Buffer): Promise<void> {
    this.#saying = this.#saying.then(() => (this.#isLost ? undefined : this.#sayPieces(nonce, before, from, journal)));
    return this.#saying;
  }

  /** Prints text in chunks, and sometimes only the beginning of the text. */
  async #sayPieces(nonce: string, before: string, from: number, journal: Buffer): Promise<void> {
    const { random, losses } = this.#host;
    const all = Buffer.concat([Buffer.from(`${before}${nonce} J ${from}\n`), journal.subarray(from)]);
    const cut = losses !== undefined && this.#host.fruitless < 3 && random(100) < 45;
    const end = cut ? random(all.length) : all.length;
    for (let at = 0; at < end;) {
      const size = 1 + random(200);
      this.#listener(all.subarray(at, Math.min(end, at + size)));
      at += size;
      if (random(4) === 0) await new Promise(setImmediate);
    }
    if (!cut) {
      this.#host.fruitless = 0;
      return;
    }
    if (losses) losses.cutAnswer += 1;
    this.#end();
  }

  #end(): void {
    this.#isLost = true;
    this.#host.fruitless += 1;
    this.#lose(new FurrowError("E_UNREACHABLE", { what: "the connection was lost" }));
  }
}

/** The records in a frame's answer, as a real host's shell prints them. */
function journalOf(nonce: string, items: readonly FrameItem[], results: readonly ItemResult[], random: Random): Buffer {
  let text = `${nonce} B 1 1\n`;
  let number = 0;
  items.forEach((item, at) => {
    const result = results[at];
    if (item.item === "steps") {
      if (result?.item === "steps") text += stepRecords(nonce, at, result, random);
      return;
    }
    const questions = item.item === "read" ? item.questions : item.expected.map(({ question }) => question);
    if (result?.item === "read" || result?.item === "guard") {
      const lines = questions.flatMap((question, index) => {
        const answer: Answer | undefined = result.answers[index];
        if (!answer || "error" in answer) throw new Error("simulated hosts answer everything");
        return Object.entries(linesOf(question, answer.value)).map(
          ([name, value]) => `${number + index} ${name}=${value}\n`,
        );
      });
      if (questions.length > 0) text += `${nonce} R ${at}\n${lines.join("")}\n${nonce} r ${at}\n`;
    }
    if (result?.item === "guard") text += `${nonce} G ${at} ${result.held ? 1 : 0}\n`;
    number += questions.length;
  });
  return Buffer.from(`${text}${nonce} X\n`);
}

function stepRecords(nonce: string, at: number, result: ItemResult & { item: "steps" }, random: Random): string {
  const records = result.results.map(({ exitCode, stdout }, index) => {
    const length = Buffer.byteLength(stdout);
    const said = length === 0 ? "" : `${nonce} O ${at} ${index} o 0 ${length}\n${stdout}`;
    return `${said}${nonce} S ${at} ${index} ${exitCode}\n${random(5) === 0 ? "a word of nobody's\n" : ""}`;
  });
  return `${nonce} T ${at}\n${records.join("")}`;
}
