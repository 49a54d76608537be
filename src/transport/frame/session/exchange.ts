import { type FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { FrameItem, FrameListener, ItemResult } from "../../../core/host/frame.ts";
import { reveals } from "../../../core/facts/kind.ts";
import { Answers } from "../answers/answers.ts";
import type { FrameClock } from "../compile/clock.ts";
import { questionsOf } from "../compile/compile.ts";
import { type Course, type Move, afterLoss, afterWord, firstMove } from "./after-loss.ts";
import { HiddenLines } from "../compile/hidden-lines.ts";
import type { JournalSupport } from "./journal-support.ts";
import type { Line, Lines, RunsIn } from "../compile/frame-line.ts";
import type { HostWord } from "../answers/host-word.ts";
import { interrupted, type LostFrame, lostFrame } from "./lost-frame.ts";
import { FrameOrder } from "../answers/answer-order.ts";
import { fruitlessMoves, noiseLimit } from "../limits.ts";
import { brokenProtocol } from "../protocol-error.ts";
import { type FrameRecord, RecordReader, type StopReason } from "../answers/records.ts";
import { Standstill } from "./standstill.ts";
import { type Life, StallWatch } from "../answers/stall.ts";
import { now, randomBytes } from "../../../core/world.ts";

/** The parts of a session that are needed to send a frame. */
export interface ExchangeContext {
  readonly host: string;
  readonly lines: Lines;
  readonly listener: FrameListener;
  /** Aborted to abandon the frame immediately. */
  readonly signal: AbortSignal;
  /** Aborted to stop before the next task. */
  readonly stop: AbortSignal | undefined;
  /** Seconds of silence after which the host is asked on a second shell whether it is working on the frame. */
  readonly stallSeconds: number;
  /**
   * Asks the host on a second shell whether it is working on the frame. `pid` is the process id of the session's shell,
   * if known.
   */
  probe(pid: number | undefined): Promise<Life | undefined>;
  /** The boot id and shell pid that the host reported; written here when they become known. */
  readonly boot: { id: string | undefined; pid: number | undefined };
  readonly journals: JournalSupport;
  /** Receives host timestamps. Undefined unless --profile is on. */
  readonly clock: FrameClock | undefined;
  /**
   * Called when another run holds the host. When the returned promise resolves, the frame is sent again. An error ends
   * the frame.
   */
  held(word: Extract<HostWord, { record: "held" }>): Promise<void>;
  /** Called when the host reports how a run that was cut off ended. */
  left(word: Extract<HostWord, { record: "left" }>): void;
}

/** The result of one part of a frame. */
export interface Exchanged {
  readonly results: ItemResult[];
  /** The item before which the frame ended, and the reason. */
  readonly stopped: { readonly item: number; readonly why: StopReason } | undefined;
}

/**
 * Sends a frame and receives its answer, however often the line is lost. Work on the host continues while the line is
 * lost, and nothing is done twice. Throws FurrowError E_UNREACHABLE, E_LOCKED, E_INTERRUPTED, E_DISK_FULL, E_PROTOCOL.
 */
export async function exchange(
  items: readonly FrameItem[],
  continued: number | undefined,
  context: ExchangeContext,
): Promise<Exchanged> {
  return new Exchange(items, continued, context).all();
}

class Exchange {
  readonly #items: readonly FrameItem[];
  readonly #continued: number | undefined;
  readonly #context: ExchangeContext;
  readonly #acts: boolean;
  /** True if the frame's answers contain secret text. */
  readonly #reveals: boolean;
  readonly #started = now();
  readonly #told = new Set<number>();
  #stall: StallWatch | undefined;
  #hidden: HiddenLines | undefined;
  #answers: Answers;
  #reader: RecordReader;
  #order: FrameOrder;
  #nonce = "";
  #runsIn: RunsIn = "shell";
  #stopped: Exchanged["stopped"];
  /** Number of stalls since the host's last answer. */
  #stalls = 0;
  /** The host's message about a journal that it could not write. */
  #full: string | undefined;
  readonly #still: Standstill;
  /** Number of moves since the host's last answer. */
  #fruitless = 0;
  #sends = 0;

  constructor(items: readonly FrameItem[], continued: number | undefined, context: ExchangeContext) {
    this.#items = items;
    this.#continued = continued;
    this.#context = context;
    this.#still = new Standstill(context);
    this.#acts = items.some(({ item }) => item === "steps");
    this.#reveals = questionsOf(items).some(({ question }) => reveals(question));
    this.#answers = this.#fresh();
    this.#reader = new RecordReader("");
    this.#order = new FrameOrder(items);
  }

  #fresh(): Answers {
    const { listener } = this.#context;
    // A frame that only reads may be sent again after half of its answer: report each item only once.
    const item = (index: number, result: ItemResult): void => {
      if (this.#told.has(index)) return;
      this.#told.add(index);
      listener.item?.(index, result);
    };
    return new Answers(questionsOf(this.#items), this.#items, { ...listener, item }, this.#hidden);
  }

  #first(): Move {
    return firstMove(this.#acts, this.#context.journals.takes(this.#reveals));
  }

  async all(): Promise<Exchanged> {
    let move = this.#first();
    for (;;) {
      if (move.move === "fail") throw this.#failure(move);
      if (this.#fruitless++ >= fruitlessMoves) {
        throw brokenProtocol(`the host received a frame ${fruitlessMoves} times and did not answer`).at({
          host: this.#context.host,
        });
      }
      const { signal, lines } = this.#context;
      signal.throwIfAborted();
      const line = await lines.open(signal).catch((error: unknown) => {
        throw signal.aborted ? error : this.#still.unopened(error, this.#items[this.#order.at], this.#order.begun);
      });
      try {
        const next = await this.#talk(line, move);
        if (next === "answered") return { results: this.#answers.results(), stopped: this.#stopped };
        move = next;
      } catch (error) {
        if (isFurrowError(error) && error.code === "E_PROTOCOL") {
          // After this error, the records on this line can no longer be trusted.
          lines.drop(line, error);
          throw error.at({ host: this.#context.host });
        }
        if (!isFurrowError(error) || error.code !== "E_UNREACHABLE" || signal.aborted) throw error;
        this.#still.lost();
        const again = lines.drop(line, error);
        if (this.#stalls > 1) throw error;
        if (!again) throw this.#still.error(error, this.#items[this.#order.at], this.#order.begun);
        this.#still.comesAgain(error);
        move = afterLoss(this.#course());
        if (move.move === "fail") throw error;
        this.#still.tellLost();
      }
    }
  }

  #course(): Course {
    const seconds = (now() - this.#started) / 1000;
    const begun = this.#order.begun || this.#continued !== undefined;
    return { runsIn: this.#runsIn, acts: this.#acts, boot: this.#context.boot.id, begun, seconds };
  }

  /** Makes one move on a line and waits for its result. */
  #talk(line: Line, move: Exclude<Move, { move: "fail" }>): Promise<Move | "answered"> {
    if (move.move === "send") {
      this.#sends += 1;
      this.#still.sentAgain();
      this.#nonce = `f${randomBytes(12).toString("hex")}`;
      this.#runsIn = move.runsIn;
      this.#reader = new RecordReader(this.#nonce, noiseLimit(this.#items));
      this.#order = new FrameOrder(this.#items);
      this.#hidden = this.#reveals && move.runsIn === "runner" ? new HiddenLines() : undefined;
      this.#answers = this.#fresh();
    } else {
      this.#reader.restart();
    }
    const asked = move.move === "ask";
    const { signal } = this.#context;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        watch.end();
        signal.removeEventListener("abort", abort);
        leave();
        end();
      };
      const fail = (error: unknown): void =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error))));
      const abort = (): void => fail(interrupted(signal));
      const watch = this.#watch((error) => fail(error));
      this.#stall = watch;
      signal.addEventListener("abort", abort, { once: true });
      const leave = line.listen((data) => {
        try {
          const next = this.#hear(data, asked);
          if (next !== undefined) settle(() => resolve(next));
        } catch (error) {
          fail(error);
        }
      });
      line.lost.catch(fail);
      const said = asked
        ? line.ask(this.#nonce, this.#reader.taken, this.#context.boot.id !== undefined)
        : line.begin({
            nonce: this.#nonce,
            items: this.#items,
            runsIn: this.#runsIn,
            continued: this.#continued,
            hideKey: this.#hidden?.key,
            timed: this.#context.clock !== undefined,
            known: this.#context.boot.id !== undefined,
          });
      said.catch(fail);
    });
  }

  #watch(fail: (error: FurrowError) => void): StallWatch {
    const { host, stallSeconds, boot, listener } = this.#context;
    return new StallWatch({
      host,
      stallSeconds,
      item: () => this.#items[this.#order.at],
      probe: () => this.#context.probe(boot.pid),
      notice: (text) => listener.notice?.(text),
      alive: () => this.#still.moved(),
      stalled: (error) => {
        this.#stalls += 1;
        fail(error);
      },
    });
  }

  #hear(data: Uint8Array, asked: boolean): Move | "answered" | Promise<Move> | undefined {
    for (const record of this.#reader.read(data)) {
      this.#context.lines.heard(record.record !== "boot");
      this.#order.check(record);
      this.#still.heard(record);
      this.#stall?.heard(record.record !== "output");
      switch (record.record) {
        case "lines":
        case "guard":
        case "output":
        case "no-room":
        case "step":
        case "task":
        case "end":
          if (!asked) this.#still.tellAgain(undefined);
          // Only answers to a question reset the count, because a frame that is sent again repeats its answers. Sending
          // the frame again is still counted.
          if (asked) this.#fruitless = this.#sends;
          if (record.record !== "output") this.#stalls = 0;
          if (this.#answers.take(record)) return "answered";
          break;
        case "time":
          this.#context.clock?.take(record.moment, this.#items);
          break;
        case "stopped":
          this.#stopped = { item: record.item, why: record.why };
          break;
        case "held":
          // This record counts as an answer, because a run that waits for hours may lose its connection often.
          this.#fruitless = 0;
          this.#sends = 0;
          return this.#context.held(record).then((): Move => (asked ? { move: "ask" } : this.#first()));
        case "left":
          this.#context.left(record);
          break;
        default: {
          const next = afterWord(record, this.#course(), asked);
          this.#unjournaled(record, next);
          if (record.record === "boot") {
            this.#context.boot.id ??= record.boot;
            this.#context.boot.pid = record.pid;
          }
          if (record.record === "asked" && next?.move !== "fail") this.#still.tellAgain(record.state === "begun");
          if (next) return next;
        }
      }
    }
    return undefined;
  }

  #unjournaled(record: FrameRecord, next: Move | undefined): void {
    const again = record.record === "gone" && next?.move === "send";
    if (record.record === "gone") this.#full = record.full;
    if (record.record === "no-journal" || again) this.#context.journals.refused(record, this.#context.listener);
  }

  #failure(move: LostFrame["move"]): FurrowError {
    const { host } = this.#context;
    return lostFrame({ move, host, item: this.#items[this.#order.at], full: this.#full });
  }
}
