import { sameData } from "../../core/facts/compare.ts";
import { factId, type Fact, type Question } from "../../core/facts/fact.ts";
import type { FrameItem, ItemResult, StepOutput } from "../../core/host/frame.ts";
import type { Step } from "../../core/host/step.ts";
import type { Host } from "../host/host.ts";
import type { Reading } from "../host/questions.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { labelOf } from "../plan/plan.ts";
import { WrongForecast } from "../task/performer.ts";

/** A task whose steps were sent ahead: the change, and the indexes of its items in the frame. */
export interface SentTask {
  /** The task's id in its plan. */
  readonly task: string;
  readonly change: ForeseenChange;
  /** Index of the item that reads the old content for a report, if any. */
  readonly shown: number | undefined;
  /** Index of the item that contains the task's steps. */
  readonly stepsItem: number;
  /** Index of the guard or read item after the task's steps; undefined if there is nothing to read. */
  readonly after: number | undefined;
}

/** A frame to send ahead, with a table of the items of each task. */
export interface ForecastFrame {
  readonly items: readonly FrameItem[];
  readonly tasks: readonly SentTask[];
  /** Ids of all forecast tasks, in order, including those that will change nothing. */
  readonly forecastTasks: readonly string[];
  /**
   * Values that the forecast based its decisions on, but that no guard checks. These values count as known until the
   * tasks concerned have had their turn.
   */
  readonly unguarded: readonly UnguardedValue[];
  /** Index of the final item, which reads facts of later tasks. */
  readonly ahead: number | undefined;
}

/** A value that no guard checks, and the frame's tasks for which it counts as known. */
export interface UnguardedValue {
  readonly fact: Fact;
  readonly value: unknown;
  /** The number of tasks that must have taken their results before the value counts as known. */
  readonly from: number;
  /** The position in the frame of the task whose decision was based on this value. */
  readonly until: number;
}

interface Deferred {
  readonly promise: Promise<ItemResult>;
  readonly resolve: (result: ItemResult) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A frame that performs the steps of several tasks while the engine decides these tasks one by one, each in its turn.
 * Each task takes its results from this object. Reports and learned values are the same as if each task's steps were
 * sent in its turn.
 */
export class SentFrame {
  readonly forecast: ForecastFrame;
  readonly #items: readonly Deferred[];
  readonly #outputs = new Map<string, StepOutput[]>();
  readonly #ended: Promise<void>;
  #listener: { readonly task: string; readonly output: (output: StepOutput) => void } | undefined;
  #reached = 0;
  #claimed = 0;

  /** Sends the forecast. */
  constructor(host: Host, forecast: ForecastFrame, signal: AbortSignal) {
    this.forecast = forecast;
    this.#items = forecast.items.map(() => defer());
    const listener = {
      output: (output: StepOutput): void => this.#hear(output),
      item: (index: number, result: ItemResult): void => this.#items[index]?.resolve(result),
    };
    this.#ended = host.frame({ items: forecast.items }, signal, listener).then(
      (results) => results.forEach((result, index) => this.#items[index]?.resolve(result)),
      (error: unknown) => this.#items.forEach(({ reject }) => reject(error as Error)),
    );
  }

  #hear(output: StepOutput): void {
    if (this.#listener?.task === output.task) this.#listener.output(output);
    else this.#outputs.set(output.task, [...(this.#outputs.get(output.task) ?? []), output]);
  }

  /** The task that takes its results next; undefined once all results are taken. */
  get next(): SentTask | undefined {
    return this.forecast.tasks[this.#claimed];
  }

  /**
   * Values that count as known for tasks that have not taken their results yet. If a fact has several values, the value
   * for the nearest task is last.
   */
  get unguardedNow(): readonly UnguardedValue[] {
    return this.forecast.unguarded
      .filter(({ from, until }) => from <= this.#claimed && until >= this.#claimed)
      .toReversed();
  }

  /** Values that counted as known only for tasks whose steps did not run. */
  get unguardedOfTasksNotRun(): readonly UnguardedValue[] {
    const done = new Set(this.unguardedNow.filter(({ from }) => from > 0).map(({ fact }) => factId(fact)));
    return this.forecast.unguarded.filter(({ fact }) => !done.has(factId(fact)));
  }

  /**
   * Records that it is a task's turn. Returns false if the forecast does not contain the task, or if an earlier task
   * did not take its results.
   */
  reach(task: string): boolean {
    const at = this.forecast.forecastTasks.indexOf(task, this.#reached);
    const passed = this.forecast.forecastTasks.slice(this.#reached, at);
    if (at < 0 || (this.next !== undefined && passed.includes(this.next.task))) return false;
    this.#reached = at + 1;
    return true;
  }

  /**
   * Takes the next part of the frame for a task with these steps. Throws WrongForecast if the part contains different
   * steps.
   */
  claim(task: string, steps: readonly Step[]): SentTask {
    const { next } = this;
    if (next?.task !== task || !sameData(next.change.steps, steps)) throw new WrongForecast(task);
    this.#claimed += 1;
    return next;
  }

  /** The result of an item; rejects if the frame was lost before the item ran. */
  async result(index: number): Promise<ItemResult> {
    const item = this.#items[index];
    return item === undefined ? { item: "skipped" } : item.promise;
  }

  /**
   * The result of a task's steps. `output` receives the steps' output, including output that arrived before this call.
   */
  async stepsResult(part: SentTask, output: (output: StepOutput) => void): Promise<ItemResult> {
    for (const early of this.#outputs.get(part.task) ?? []) output(early);
    this.#outputs.delete(part.task);
    this.#listener = { task: part.task, output };
    try {
      return await this.result(part.stepsItem);
    } finally {
      this.#listener = undefined;
    }
  }

  /** The questions after a task's steps, and their answers; empty if the frame ended before them. */
  async readingAfter(part: SentTask): Promise<Reading & { readonly held: boolean }> {
    const nothing = { questions: [], answers: [], held: true };
    if (part.after === undefined) return nothing;
    const result = await this.result(part.after);
    if (result.item !== "guard") return { ...(await this.reading(part.after)), held: true };
    return { questions: questionsOf(this.forecast.items[part.after]), answers: result.answers, held: result.held };
  }

  /** The questions of an item that only reads, and their answers. */
  async reading(index: number | undefined): Promise<Reading> {
    const result = index === undefined ? undefined : await this.result(index);
    if (index === undefined || result?.item !== "read") return { questions: [], answers: [] };
    return { questions: questionsOf(this.forecast.items[index]), answers: result.answers };
  }

  /** Resolves when the frame has ended, successfully or not. */
  async ended(): Promise<void> {
    return this.#ended;
  }

  /** The parts that were performed although no task took their results. Waits for the end of the frame. */
  async untaken(): Promise<readonly SentTask[]> {
    await this.#ended;
    const left = this.forecast.tasks.slice(this.#claimed);
    const results = await Promise.all(left.map(({ stepsItem }) => this.result(stepsItem).catch(() => undefined)));
    return left.filter((_, at) => results[at]?.item === "steps");
  }
}

/** The title of a task whose steps were sent ahead. */
export function titleOf({ change: { task } }: SentTask): string {
  return labelOf(task, task.target).title;
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
