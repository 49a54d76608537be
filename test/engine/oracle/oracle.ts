import { guardUnknown, match, UnknownValue } from "../../../src/core/facts/compare.ts";
import { type FurrowError, isFurrowError } from "../../../src/core/errors.ts";
import { askStages, type Bound, collect, decide, stepsOf, type Values } from "../../../src/core/authoring/evaluate.ts";
import { type Fact, factId, isControllerFact, type Question } from "../../../src/core/facts/fact.ts";
import type { Frame, Session } from "../../../src/core/host/frame.ts";
import { kindOf } from "../../../src/core/facts/kind.ts";
import { parseParams } from "../../../src/core/params/params.ts";
import { Ref } from "../../../src/core/authoring/ref.ts";
import { describeStep, type Step, type StepResult } from "../../../src/core/host/step.ts";
import { absent, knownAfterApply } from "../../../src/core/facts/symbols.ts";
import type { Planned, PlannedGroup, PlannedTask } from "../../../src/engine/plan/plan.ts";
import {
  codeError,
  describe,
  Failed,
  type Happening,
  isRan,
  known,
  listOf,
  never,
  nobodyKnows,
  valueOf,
} from "./oracle-terms.ts";
import type { OracleSetting } from "./oracle-setting.ts";
import { Overlay } from "./oracle-overlay.ts";

/**
 * The naive executor: executes one task at a time, reads nothing ahead, and remembers nothing between tasks. The
 * naive executor defines the sequential semantics; the engine may differ from it only in cost.
 */
export class Oracle {
  readonly happenings: Happening[] = [];
  /** Steps, their output and the ends of tasks, in order. */
  readonly said: string[] = [];
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #mode: "check" | "apply";
  readonly #outputs = new Map<object, { value: unknown; changed: unknown }>();
  /** In check mode: the changes that earlier tasks would have made to facts, newest last. */
  readonly #overlay = new Overlay();

  readonly #setting: OracleSetting;

  constructor(sessions: ReadonlyMap<string, Session>, mode: "check" | "apply", setting: OracleSetting = {}) {
    this.#sessions = sessions;
    this.#mode = mode;
    this.#setting = setting;
  }

  /** Runs a plan. Returns true if the host reached the end of the plan. */
  async run(plan: readonly Planned[]): Promise<boolean> {
    try {
      for (const node of plan) await this.#node(node);
      return true;
    } catch (error) {
      if (error instanceof Failed) return false;
      throw error;
    }
  }

  async #node(node: Planned): Promise<void> {
    if (node.node === "task") return this.#task(node);
    if (node.node !== "group") return;
    if (node.kind !== "once" || !this.#setting.once) return this.#group(node);
    return this.#setting.once(node, () => this.#group(node));
  }

  async #group(group: PlannedGroup): Promise<void> {
    try {
      for (const node of group.children) await this.#node(node);
    } catch (error) {
      if (!(error instanceof Failed) || !group.rescue) throw error;
      for (const node of group.rescue) await this.#node(node);
    } finally {
      for (const node of group.always ?? []) await this.#node(node);
    }
  }

  async #task(task: PlannedTask): Promise<void> {
    const lookup = (source: object): unknown => this.#outputs.get(source);
    for (const when of task.when) {
      const value = when instanceof Ref ? when.resolve(lookup) : when;
      if (value === knownAfterApply) {
        this.#foreseeNeither(task);
        return this.#unknown(task);
      }
      if (value !== true) return this.#note(task, "skipped");
    }
    const retries = task.call.options.retries;
    const times = this.#mode === "check" ? 0 : typeof retries === "object" ? retries.times : (retries ?? 0);
    for (let tried = 0; ; tried += 1) {
      try {
        const parsed = parseParams(task.call.module.card.params, task.call.input, lookup, {});
        if (!("params" in parsed)) {
          if (parsed.waitsFor.length > 0) throw Object.assign(new Failed(), { code: "E_PARAMS" });
          this.#foreseeNeither(task);
          return this.#unknown(task);
        }
        await this.#once(task, parsed.params);
        return;
      } catch (error) {
        if (!isFurrowError(error) && !(error instanceof Failed)) throw error;
        if (tried < times && isFurrowError(error)) continue;
        this.#note(task, "failed", [], [], (error as FurrowError).code);
        if (task.call.options.ignoreFailure === true) return;
        throw new Failed();
      }
    }
  }

  /**
   * Marks the output and the facts of a task as unknown, because the task might not run or its params are unknown. Only
   * `set` receives outputs as params here, as v or w.
   */
  #foreseeNeither(task: PlannedTask): void {
    const params = "params" in task.parsed ? task.parsed.params : task.call.input;
    const first = askStages(task.call.module, params).next().value;
    for (const { fact } of listOf(first).filter((asked) => !isRan(asked.fact) && asked.fact.onlyRead !== true))
      this.#overlay.put(task.target, (id) => id === factId(fact), knownAfterApply);
    this.#cloud(task, params);
  }

  #unknown(task: PlannedTask): void {
    this.#outputs.set(task.call, { value: knownAfterApply, changed: knownAfterApply });
    this.#note(task, "undecided");
  }

  #note(
    task: PlannedTask,
    outcome: string,
    changes: string[] = [],
    notes: readonly string[] = [],
    error?: string,
  ): void {
    this.said.push(`${task.id} ${outcome}`);
    this.happenings.push({ id: task.id, outcome, changes, notes, ...(error !== undefined && { error }) });
  }

  async #once(task: PlannedTask, params: unknown): Promise<void> {
    const { module } = task.call;
    if (module.poll) return this.#wait(task, params);
    let facts = {};
    let values: Values = {};
    let decision;
    try {
      const stages = askStages(module, params);
      let stage = stages.next();
      while (stage.done !== true) {
        facts = stage.value;
        values = await this.#read(task.target, stage.value);
        stage = stages.next(values);
      }
      decision = decide(module, params, facts, values);
    } catch (error) {
      if (!(error instanceof UnknownValue)) throw error;
      const right = await this.#rightAlready(task, params);
      if (right) return this.#finish(task, params, "ok", [], right, undefined);
      for (const { fact } of listOf(facts).filter((asked) => isRan(asked.fact) || asked.fact.onlyRead !== true))
        this.#overlay.put(task.target, (id) => id === factId(fact), knownAfterApply);
      this.#cloud(task, params);
      this.#finish(task, params, "undecided", [], await this.#read(task.target, facts), undefined);
      return;
    }
    if ("refusal" in decision) throw codeError("E_REFUSED");
    if (decision.match === "same") return this.#finish(task, params, "ok", [], values, undefined);
    const changes = decision.facts.flatMap(describe);
    if (this.#mode === "check") {
      const right = decision.match === "unknown" ? await this.#rightAlready(task, params) : undefined;
      if (right) return this.#finish(task, params, "ok", [], right, undefined);
      for (const { fact, now, wanted, match: matched } of decision.facts) {
        if (wanted === undefined || matched === "same" || isRan(fact)) continue;
        this.#overlay.predict(task.target, fact as Question, now, wanted);
      }
      this.#cloud(task, params, decision.facts);
      const certain = decision.match === "differs";
      if (certain) this.#overlay.act(task.target, decision.facts);
      const after = await this.#read(task.target, facts);
      return this.#finish(task, params, certain ? "changed" : "undecided", certain ? changes : [], after, "unknown");
    }
    const results = await this.#perform(task, stepsOf(module, params, facts, values, decision));
    const after = await this.#read(task.target, facts);
    for (const { fact, bound } of decision.facts) {
      if (!isRan(fact) && bound !== undefined && match(valueOf(facts, after, fact), bound) !== "same")
        throw codeError("E_NOT_CONVERGED");
    }
    this.#finish(task, params, "changed", changes, after, results);
  }

  #cloud({ target, call }: PlannedTask, params: unknown, facts: readonly Bound[] = []): void {
    this.#overlay.sideEffects(target, call.module.card, params, facts);
  }

  /**
   * In check mode: the task's values if its wants are already satisfied, whatever earlier tasks may provide; otherwise
   * undefined.
   */
  async #rightAlready(task: PlannedTask, params: unknown): Promise<Values | undefined> {
    try {
      const stages = askStages(task.call.module, params);
      let values: Values = {};
      let stage = stages.next();
      while (stage.done !== true) {
        values = await this.#read(task.target, stage.value, true);
        stage = stages.next(values);
      }
      const decision = decide(task.call.module, params, stage.value, values);
      if ("refusal" in decision || decision.match !== "same") return undefined;
      const open = decision.facts.some(({ id, now }) => now === absent && this.#overlay.isCloudy(task.target, id));
      return open ? undefined : values;
    } catch (error) {
      if (error instanceof UnknownValue) return undefined;
      throw error;
    }
  }

  async #wait(task: PlannedTask, params: unknown): Promise<void> {
    if (this.#mode === "check") return this.#finish(task, params, "ok", [], {}, undefined);
    const stages = askStages(task.call.module, params);
    const first = stages.next();
    const facts = first.value;
    const values = await this.#read(task.target, facts);
    const decision = decide(task.call.module, params, facts, values);
    if ("refusal" in decision || decision.match !== "same") throw codeError("E_WAIT");
    this.#finish(task, params, "ok", [], values, undefined);
  }

  #finish(
    task: PlannedTask,
    params: unknown,
    outcome: string,
    changes: string[],
    values: Values,
    results: readonly StepResult[] | "unknown" | undefined,
  ): void {
    const { module } = task.call;
    const guarded = guardUnknown(values) as never;
    const value = known(() =>
      module.outputs?.(params as never, guarded, results === "unknown" ? nobodyKnows : results),
    );
    this.#outputs.set(task.call, { value, changed: outcome === "undecided" ? knownAfterApply : outcome === "changed" });
    const notes = known(
      () => module.notes?.(params as never, guarded, results === "unknown" ? undefined : results) ?? [],
    );
    this.#note(task, outcome, changes, notes === knownAfterApply ? [] : (notes as string[]));
  }

  async #read(host: string, facts: Parameters<typeof collect>[0], beneath = false): Promise<Values> {
    const values = new Map<Fact, unknown>();
    for (const { fact } of listOf(facts)) values.set(fact, await this.#value(host, fact, beneath));
    return collect(facts, (fact) => values.get(fact));
  }

  async #value(host: string, fact: Fact, beneath: boolean): Promise<unknown> {
    if (isControllerFact(fact)) return this.#setting.controller?.read(fact.driver, fact.request);
    if (isRan(fact)) return this.#overlay.hasActed(host, fact);
    const foreseen = this.#overlay.find(host, fact, beneath);
    if (foreseen) return foreseen.value;
    if (this.#mode === "check" && kindOf(fact.kind).harmless?.(fact) === false) return knownAfterApply;
    const [result] = await this.#send(host, { items: [{ item: "read", questions: [fact] }] });
    if (result?.item !== "read" || result.answers[0] === undefined) throw new Error("no answer");
    if ("error" in result.answers[0]) throw result.answers[0].error;
    return result.answers[0].value;
  }

  async #perform(task: PlannedTask, steps: readonly Step[]): Promise<readonly StepResult[]> {
    const results: StepResult[] = [];
    for (const step of steps) this.said.push(`${task.id} begins ${describeStep(step)}`);
    for (const step of steps) {
      if (step.step === "call" || step.step === "fetch")
        results.push(...(this.#setting.controller?.act(task.target, step) ?? []));
      if (step.step === "call" || step.step === "fetch") continue;
      const [result] = await this.#send(task.target, { items: [{ item: "steps", task: task.id, steps: [step] }] });
      if (result?.item !== "steps") throw new Error("no answer");
      if (result.failed) throw result.failed.error;
      results.push(...result.results);
    }
    return results;
  }

  async #send(host: string, frame: Frame): ReturnType<Session["frame"]> {
    const session = this.#sessions.get(host);
    if (!session) throw new Error(`no host ${host}`);
    return session.frame(frame, { output: ({ task, text }) => void this.said.push(`${task} prints ${text}`) }, never);
  }
}
