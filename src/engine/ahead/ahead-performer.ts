import type { Values } from "../../core/authoring/evaluate.ts";
import type { Fact, FactPattern } from "../../core/facts/fact.ts";
import type { Host } from "../host/host.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { PlannedTask } from "../plan/plan.ts";
import type { EarlySteps, PerformedTask, Performer } from "../task/performer.ts";
import type { AttemptContext } from "../task/task-context.ts";
import { questionsAhead } from "./read-ahead.ts";
import { ReadWindow, tasksAhead } from "./read-window.ts";
import { SentFrameTurn } from "./sent-frame-turn.ts";
import { takeResults } from "./send-ahead.ts";

/**
 * A performer that works ahead of the current task: it reads the facts of later tasks along with the current task's
 * facts, and sends the steps that later tasks will need along with the current task's steps. The events and the final
 * state of the host are the same as with `OneByOne`.
 */
export class AheadPerformer implements Performer<AttemptContext> {
  readonly #turn: SentFrameTurn;
  readonly #windows = new Map<string, ReadWindow>();
  #window = new ReadWindow();

  /** `warn` receives a message if a forecast proves wrong after its steps were sent. */
  constructor(warn: (text: string) => void) {
    this.#turn = new SentFrameTurn(warn);
  }

  get isBusy(): boolean {
    return this.#turn.frame !== undefined;
  }

  async begin(task: PlannedTask): Promise<void> {
    if (this.#turn.frame?.reach(task.id) === false) await this.#turn.leave();
    this.#window = this.#windows.get(task.target) ?? new ReadWindow();
    this.#windows.set(task.target, this.#window);
  }

  inTurn<T>(host: Host, act: () => Promise<T>): Promise<T> {
    return this.#turn.inTurn(host, act);
  }

  /**
   * If a frame was lost before it reported on the next task, that task is treated as begun, because only furrow's
   * journal on the host shows whether it has begun.
   */
  async hasBegunNext(): Promise<boolean> {
    const { frame, early } = this.#turn;
    if (early.titles.length > 0) return true;
    if (frame?.next === undefined) return false;
    const result = await frame.result(frame.next.stepsItem).catch(() => undefined);
    return result?.item !== "skipped";
  }

  questions(context: AttemptContext): readonly Fact[] {
    const { host, outputs, playHost, hostIsMissing } = context;
    if (hostIsMissing || this.isBusy) return [];
    return questionsAhead(tasksAhead(context, this.#window), host.knowledge, outputs.lookupFor(playHost), host.user);
  }

  found(match: "same" | "different"): void {
    if (match === "same") this.#window.grow();
    else this.#window.shrink();
  }

  perform(
    change: ForeseenChange,
    values: Values,
    patterns: readonly FactPattern[],
    context: AttemptContext,
  ): Promise<PerformedTask> {
    return takeResults(change, values, patterns, { context, turn: this.#turn, window: this.#window });
  }

  get performedEarly(): readonly string[] {
    return this.#turn.early.titles;
  }

  takeEarly(task: string): EarlySteps<AttemptContext> | undefined {
    return this.#turn.early.take(task);
  }

  abandon(): Promise<void> {
    return this.#turn.abandon();
  }

  leave(): Promise<void> {
    return this.#turn.leave();
  }
}
