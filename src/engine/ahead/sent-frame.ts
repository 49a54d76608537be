import { sameData } from "../../core/compare.ts";
import { factId, type Fact, type Question } from "../../core/fact.ts";
import type { Answer, FrameItem, ItemResult, StepOutput } from "../../core/frame.ts";
import type { Step } from "../../core/step.ts";
import type { Host } from "../host/host.ts";

/** One task of a tape: its steps, and where in the frame its parts stand. */
export interface TapedTask {
  /** The task's id in its plan. */
  readonly task: string;
  readonly steps: readonly Step[];
  /** Index of the item with the old content that a report shows, where there is one. */
  readonly shown: number | undefined;
  /** Index of the item with its steps. */
  readonly acts: number;
  /** Index of the guard, or reading, behind its steps; undefined where it has nothing to read. */
  readonly after: number | undefined;
}

/** What is sent ahead: one frame, and what it does for which task. */
export interface Script {
  readonly items: readonly FrameItem[];
  readonly tasks: readonly TapedTask[];
  /** The ids of all tasks that are foreseen, those that will change nothing too, in order. */
  readonly foreseen: readonly string[];
  /** Values on which its tasks were decided and which stay believed until they have had their turn. */
  readonly kept: readonly Kept[];
  /** Index of what is read ahead at the end. */
  readonly ahead: number | undefined;
}

/** A value that no guard holds, for the tasks of a tape up to one of them. */
export interface Kept {
  readonly fact: Fact;
  readonly value: unknown;
  /** How many of the tape's tasks have their part when it begins to be believed. */
  readonly from: number;
  /** The number of the tape's task that was decided on it. */
  readonly until: number;
}

/** Thrown where a task is not decided as it was foreseen, after its steps were sent: it must be done anew. */
export class Misforeseen extends Error {}

interface Deferred {
  readonly promise: Promise<ItemResult>;
  readonly resolve: (result: ItemResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A frame that performs the steps of several tasks on a host, while the engine goes through these tasks one by one and
 * takes from the tape what came of each. It only answers: what is decided, said and believed is the engine's to tell, as
 * if each task's steps were sent in their turn.
 */
export class Tape {
  readonly script: Script;
  readonly #items: readonly Deferred[];
  readonly #outputs = new Map<string, StepOutput[]>();
  readonly #ended: Promise<void>;
  #listener: { readonly task: string; readonly output: (output: StepOutput) => void } | undefined;
  #reached = 0;
  #claimed = 0;

  /** Sends the script. */
  constructor(host: Host, script: Script, signal: AbortSignal) {
    this.script = script;
    this.#items = script.items.map(() => defer());
    const listener = {
      output: (output: StepOutput): void => this.#hear(output),
      item: (index: number, result: ItemResult): void => this.#items[index]?.resolve(result),
    };
    this.#ended = host.frame({ items: script.items }, signal, listener).then(
      (results) => results.forEach((result, index) => this.#items[index]?.resolve(result)),
      (error: unknown) => this.#items.forEach(({ reject }) => reject(error as Error)),
    );
  }

  #hear(output: StepOutput): void {
    if (this.#listener?.task === output.task) this.#listener.output(output);
    else this.#outputs.set(output.task, [...(this.#outputs.get(output.task) ?? []), output]);
  }

  /** The task whose part of the tape comes next; undefined where all have been taken. */
  get next(): TapedTask | undefined {
    return this.script.tasks[this.#claimed];
  }

  /** What stays believed for the tasks that have not taken their part: of a fact last what the next of them was decided on. */
  get kept(): readonly Kept[] {
    return this.script.kept.filter(({ from, until }) => from <= this.#claimed && until >= this.#claimed).toReversed();
  }

  /** What was to be believed for other tasks than those whose work is done. */
  get unkept(): readonly Kept[] {
    const done = new Set(this.kept.filter(({ from }) => from > 0).map(({ fact }) => factId(fact)));
    return this.script.kept.filter(({ fact }) => !done.has(factId(fact)));
  }

  /** Notes that a task has its turn; false where it is not foreseen, or one before it did not take its part. */
  reach(task: string): boolean {
    const at = this.script.foreseen.indexOf(task, this.#reached);
    const passed = this.script.foreseen.slice(this.#reached, at);
    if (at < 0 || (this.next !== undefined && passed.includes(this.next.task))) return false;
    this.#reached = at + 1;
    return true;
  }

  /** Takes the next part for a task with these steps. Throws Misforeseen where the part is not about them. */
  claim(task: string, steps: readonly Step[]): TapedTask {
    const { next } = this;
    if (next?.task !== task || !sameData(next.steps, steps)) throw new Misforeseen(task);
    this.#claimed += 1;
    return next;
  }

  /** What became of an item; rejects where the frame was lost before it. */
  async result(index: number): Promise<ItemResult> {
    const item = this.#items[index];
    return item === undefined ? { item: "skipped" } : item.promise;
  }

  /** What became of a task's steps; `output` hears theirs, also what came before it was asked for. */
  async acts(part: TapedTask, output: (output: StepOutput) => void): Promise<ItemResult> {
    for (const early of this.#outputs.get(part.task) ?? []) output(early);
    this.#outputs.delete(part.task);
    this.#listener = { task: part.task, output };
    try {
      return await this.result(part.acts);
    } finally {
      this.#listener = undefined;
    }
  }

  /** The questions behind a task's steps, and their answers; none where the frame ended before. */
  async after(part: TapedTask): Promise<Reading & { readonly held: boolean }> {
    const nothing = { questions: [], answers: [], held: true };
    if (part.after === undefined) return nothing;
    const result = await this.result(part.after);
    if (result.item !== "guard") return { ...(await this.reading(part.after)), held: true };
    return { questions: questionsOf(this.script.items[part.after]), answers: result.answers, held: result.held };
  }

  /** The questions of an item that only reads, and their answers. */
  async reading(index: number | undefined): Promise<Reading> {
    const result = index === undefined ? undefined : await this.result(index);
    if (index === undefined || result?.item !== "read") return { questions: [], answers: [] };
    return { questions: questionsOf(this.script.items[index]), answers: result.answers };
  }

  /** Resolves when the frame has ended, in whichever way. */
  async ended(): Promise<void> {
    return this.#ended;
  }

  /** True where a part that nobody took was performed all the same. Waits for the end of the frame. */
  async hasUntaken(): Promise<boolean> {
    await this.#ended;
    const left = this.script.tasks.slice(this.#claimed);
    const results = await Promise.all(left.map(({ acts }) => this.result(acts).catch(() => undefined)));
    return results.some((result) => result?.item === "steps");
  }
}

/** Questions with their answers, in the same order. */
export interface Reading {
  readonly questions: readonly Question[];
  readonly answers: readonly Answer[];
}

function questionsOf(item: FrameItem | undefined): readonly Question[] {
  if (item?.item === "read") return item.questions;
  return item?.item === "guard" ? item.expected.map(({ question }) => question) : [];
}

function defer(): Deferred {
  let resolve: Deferred["resolve"] = () => {};
  let reject: Deferred["reject"] = () => {};
  const promise = new Promise<ItemResult>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
