import { FurrowError, isFurrowError } from "../../../core/errors.ts";
import type { Answer, FrameItem, FrameListener, ItemResult, StepsItem } from "../../../core/host/frame.ts";
import type { Question } from "../../../core/facts/fact.ts";
import { kindOf, type Lines } from "../../../core/facts/kind.ts";
import type { StepResult } from "../../../core/host/step.ts";
import type { NumberedQuestions } from "../compile/compile.ts";
import type { HiddenLines } from "../compile/hidden-lines.ts";
import { KeptOutput } from "./kept-output.ts";
import type { FrameRecord } from "./records.ts";
import { okExits } from "../compile/compile-step.ts";
import { noRoomError, stepError } from "./step-error.ts";

interface Streams {
  readonly stdout: KeptOutput;
  readonly stderr: KeptOutput;
}

/** Assembles the records of one frame into results, item by item. */
export class Answers {
  readonly #questions: NumberedQuestions;
  #byItem: Map<number, NumberedQuestion[]> | undefined;
  readonly #items: readonly FrameItem[];
  readonly #listener: FrameListener;
  readonly #hidden: HiddenLines | undefined;
  readonly #lines = new Map<number, readonly string[]>();
  readonly #guards = new Map<number, boolean>();
  readonly #streams = new Map<string, Streams>();
  readonly #exits = new Map<string, number>();
  /** Steps whose output the host could not write, with the reasons. */
  readonly #noRoom = new Map<string, string>();
  /** Results of complete items, kept so that each answer is parsed only once. */
  readonly #whole = new Map<number, ItemResult>();

  /** `hidden` decrypts the lines that the host has encrypted. */
  constructor(
    questions: NumberedQuestions,
    items: readonly FrameItem[],
    listener: FrameListener,
    hidden: HiddenLines | undefined,
  ) {
    this.#questions = questions;
    this.#items = items;
    this.#listener = listener;
    this.#hidden = hidden;
  }

  /** Takes one record. Returns true for the last record of the frame. */
  take(record: FrameRecord): boolean {
    switch (record.record) {
      case "lines":
        this.#lines.set(record.item, record.lines);
        if (this.#items[record.item]?.item === "read") this.#complete(record.item);
        return false;
      case "guard":
        this.#guards.set(record.item, record.held);
        this.#complete(record.item);
        return false;
      case "output":
        this.#output(record);
        return false;
      case "no-room":
        this.#noRoom.set(`${record.item} ${record.step}`, record.why);
        return false;
      case "step":
        this.#exits.set(`${record.item} ${record.step}`, record.exitCode);
        this.#stepEnded(record);
        return false;
      case "end":
        return true;
      default:
        return false;
    }
  }

  #stepEnded({ item: at, step, exitCode }: Extract<FrameRecord, { record: "step" }>): void {
    const item = this.#items[at];
    if (item?.item !== "steps") return;
    const performed = item.steps[step];
    const ended = performed === undefined || step === item.steps.length - 1 || this.#noRoom.has(`${at} ${step}`);
    // A result covers all steps so far. Build it only once, because a tree can have thousands of steps.
    if (!ended && okExits(performed).includes(exitCode)) return;
    const result = this.#result(at);
    if (result.item !== "steps") return;
    if (result.failed || result.results.length === item.steps.length) this.#listener.item?.(at, result);
  }

  #complete(at: number): void {
    const result = this.#result(at);
    this.#whole.set(at, result);
    this.#listener.item?.(at, result);
  }

  #output({ item, step, stream, offset, data }: Extract<FrameRecord, { record: "output" }>): void {
    const key = `${item} ${step}`;
    const streams = this.#streams.get(key) ?? { stdout: new KeptOutput(), stderr: new KeptOutput() };
    this.#streams.set(key, streams);
    const text = streams[stream].take(offset, data);
    const { task = "" } = (this.#items[item] as StepsItem | undefined) ?? {};
    if (text !== "") this.#listener.output({ task, step, stream, text });
  }

  /** All results. An item that the frame did not reach is `skipped`. */
  results(): ItemResult[] {
    return this.#items.map((_, at) => this.#whole.get(at) ?? this.#result(at));
  }

  #result(at: number): ItemResult {
    const item = this.#items[at];
    if (item?.item === "steps") return this.#steps(item, at);
    if (item?.item === "guard") return this.#guard(at);
    return this.#lines.has(at) ? { item: "read", answers: this.#answers(at) } : { item: "skipped" };
  }

  #guard(at: number): ItemResult {
    const held = this.#guards.get(at);
    if (held === undefined) return { item: "skipped" };
    return { item: "guard", held, answers: this.#answers(at) };
  }

  #steps(item: StepsItem, at: number): ItemResult {
    const results: StepResult[] = [];
    for (const [index, step] of item.steps.entries()) {
      const exitCode = this.#exits.get(`${at} ${index}`);
      if (exitCode === undefined) return index === 0 ? { item: "skipped" } : { item: "steps", results };
      const streams = this.#streams.get(`${at} ${index}`);
      const cut = (["stdout", "stderr"] as const).filter((stream) => streams?.[stream].cut === true);
      const [stdout, stderr] = [streams?.stdout.text ?? "", streams?.stderr.text ?? ""];
      const result = { exitCode, stdout, stderr, ...(cut.length > 0 && { cut }) };
      results.push(result);
      const noRoom = this.#noRoom.get(`${at} ${index}`);
      if (noRoom !== undefined)
        return { item: "steps", results, failed: { index, error: noRoomError(step, result, noRoom) } };
      if (!okExits(step).includes(exitCode))
        return { item: "steps", results, failed: { index, error: stepError(step, result, item) } };
    }
    return { item: "steps", results };
  }

  #answers(at: number): Answer[] {
    const byNumber = new Map<number, string[]>();
    for (const line of this.#lines.get(at) ?? []) {
      const number = Number.parseInt(line, 10);
      const rest = line.slice(line.indexOf(" ") + 1);
      const list = byNumber.get(number);
      if (list === undefined) byNumber.set(number, [rest]);
      else list.push(rest);
    }
    return this.#questionsOf(at).map(({ number, question }): Answer => {
      try {
        const list = (byNumber.get(number) ?? []).map((line) => this.#hidden?.shown(line) ?? line);
        return { value: kindOf(question.kind).parse(toLines(list, question), question) };
      } catch (error) {
        if (isFurrowError(error)) return { error };
        return { error: notUnderstood(question.key, error) };
      }
    });
  }

  /**
   * The numbered questions of one item. They are grouped by item only once, because a frame may have thousands of
   * items.
   */
  #questionsOf(at: number): readonly NumberedQuestion[] {
    this.#byItem ??= byItem(this.#questions);
    return this.#byItem.get(at) ?? [];
  }
}

interface NumberedQuestion {
  readonly number: number;
  readonly question: NumberedQuestions[number]["question"];
}

function byItem(questions: NumberedQuestions): Map<number, NumberedQuestion[]> {
  const all = new Map<number, NumberedQuestion[]>();
  for (const [number, { item, question }] of questions.entries()) {
    const list = all.get(item);
    if (list === undefined) all.set(item, [{ number, question }]);
    else list.push({ number, question });
  }
  return all;
}

function notUnderstood(key: string, cause: unknown): FurrowError {
  return new FurrowError("E_PROTOCOL", {
    what: `the host's answer about ${key} cannot be parsed`,
    current: cause instanceof Error ? cause.message : String(cause),
    hint: "Rerun; if it happens again, please report it with the output of furrow facts",
    cause,
  });
}

function toLines(list: readonly string[], { kind, key }: Question): Lines {
  const lines = new Map<string, string>();
  for (const line of list) {
    if (line.startsWith("!")) {
      const said = line.slice(1).trim();
      const told = kindOf(kind).failed?.(key, { said });
      const become = "Use become to read it as a user who is allowed to";
      throw new FurrowError(
        "E_FACT",
        told ?? {
          what: `${key} cannot be read`,
          ...(said === ""
            ? { hint: become }
            : { current: said, hint: `${become}, or fix the cause given in the message` }),
        },
      );
    }
    const at = line.indexOf("=");
    if (at > 0) lines.set(line.slice(0, at), line.slice(at + 1));
  }
  // An assignment would lose a file that is called __proto__.
  return Object.fromEntries(lines);
}
