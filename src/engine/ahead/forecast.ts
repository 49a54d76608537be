import { differences, holdsUnknown, match, merge, strictly, UnknownValue } from "../../core/compare.ts";
import type { DriverLookup } from "../../core/driver.ts";
import { askStages, collect, decide, stepsOf, type Values } from "../../core/evaluate.ts";
import {
  type Fact,
  factId,
  type FactPattern,
  type Facts,
  isControllerFact,
  listFacts,
  namesFact,
  type Question,
} from "../../core/fact.ts";
import { withImplied } from "../../core/implied.ts";
import { kindOf } from "../../core/kind.ts";
import { parseParams } from "../../core/params.ts";
import { predictionOf } from "../../core/prediction.ts";
import { type OutputLookup, Ref } from "../../core/ref.ts";
import { isRecord, knownAfterApply } from "../../core/symbols.ts";
import { Unshown } from "../../core/unshown.ts";
import { changedFacet } from "../../core/watched.ts";
import { accountOf } from "../plan/become-account.ts";
import { isRan } from "../../core/ran.ts";
import type { Border } from "../plan/coming-tasks.ts";
import type { ForeseenChange, Wanting } from "../plan/foreseen-change.ts";
import { type Effects, effectsOf, forgotten } from "../task/effects.ts";
import type { Knowledge } from "../host/knowledge.ts";
import { Joint } from "./joint-work.ts";
import { known, outputOf, Outputs, unknownResults } from "../plan/outputs.ts";
import { groundOf } from "../plan/parent-directories.ts";
import { inFrame } from "../../core/step.ts";
import { type PlannedTask, whereOf } from "../plan/plan.ts";
import { PredictedHost } from "./predicted-host.ts";
import { holdStanding } from "../task/user-rights.ts";
import type { Kept } from "./sent-frame.ts";

/** What a forecast is made from, beside the task it begins with. */
export interface ForecastSetting {
  readonly knowledge: Knowledge;
  readonly playHost: string;
  readonly outputs: Outputs;
  readonly drivers: DriverLookup;
  readonly signal: AbortSignal;
  /** The user at whose privilege steps run where a task names none. */
  readonly user: string;
  /** Whether kinds may guess what nobody knows. */
  readonly guess: boolean;
  /** True where a task acts on the same host, with the same privilege. */
  readonly isHere: (task: PlannedTask) => boolean;
}

/** Thrown where nothing more can be foreseen. */
class End extends Unshown {}

/**
 * Foresees a run from one task on: goes through the coming tasks as check mode does, on a predicted of what is known, until
 * something can be told only once the host, or somebody else, has been asked.
 */
export class Forecast {
  readonly predicted: PredictedHost;
  readonly changes: ForeseenChange[] = [];
  /** The ids of all tasks foreseen, in order. */
  readonly tasks: string[] = [];
  readonly #setting: ForecastSetting;
  readonly #outputs: Outputs;
  readonly #joint = new Joint();
  /** What the changes so far may touch. */
  readonly #touched: FactPattern[] = [];

  constructor(setting: ForecastSetting) {
    this.#setting = setting;
    this.predicted = new PredictedHost(setting.knowledge);
    this.#outputs = new Outputs(setting.outputs);
  }

  /** The changes whose work the change with this number does with its own. */
  joined(number: number): readonly ForeseenChange[] {
    return this.#joint.after(number);
  }

  /** The values that no guard holds: advice, and the facts of changes that join an earlier one. */
  kept(): Kept[] {
    return this.#joint.kept();
  }

  /** What outputs are foreseen to be. */
  get lookup(): OutputLookup {
    return this.#outputs.lookupFor(this.#setting.playHost);
  }

  /** Begins with a task that is decided, and goes on as far as can be foreseen. */
  async from(first: ForeseenChange, values: Values, coming: Iterable<PlannedTask | Border>): Promise<void> {
    let goesOn = strictly(() => this.#change(first, values));
    for (const task of coming) {
      if (!goesOn || task === "border") return;
      try {
        goesOn = await this.#task(task);
      } catch {
        // Unknown, refused or failing: what becomes of this task only its turn can tell.
        return;
      }
    }
  }

  /** True where the plan may go on behind the task. Throws where the task cannot be foreseen. */
  async #task(task: PlannedTask): Promise<boolean> {
    const { module } = task.call;
    if (!this.#setting.isHere(task) || module.poll) throw new End();
    if (!strictly(() => this.#isWanted(task))) {
      this.tasks.push(task.id);
      return true;
    }
    const params = strictly(() => this.#params(task));
    const account = accountOf(task, this.#setting.user);
    // Missing or unknown: what becomes of the task only its turn can tell.
    if (account !== undefined && !isRecord(this.predicted.lookup(account)?.value)) throw new End();
    const facts = await this.#ask(task, params);
    return strictly(() => {
      const values = this.#values(facts);
      const decision = decide(module, params, facts, values);
      if ("refusal" in decision) throw new End();
      if (decision.match === "same") return this.#leave(task, params, facts, values);
      if (decision.match === "unknown" || decision.facts.some(isOpen)) throw new End();
      const steps = stepsOf(module, params, facts, values, decision);
      if (steps.length === 0 || !steps.every(inFrame)) throw new End();
      const ground = groundOf(task, this.#setting.user, facts);
      if (ground.some((fact) => this.predicted.lookup(fact) === undefined)) throw new End();
      holdStanding(task, this.#setting.user, decision.facts, steps, (fact) => this.predicted.lookup(fact));
      return this.#change({ task, params, facts, decision, steps }, values);
    });
  }

  #isWanted(task: PlannedTask): boolean {
    return task.when.every((condition) => {
      const value = condition instanceof Ref ? condition.resolve(this.lookup) : condition;
      if (value === knownAfterApply) throw new UnknownValue("when");
      return value === true;
    });
  }

  #params(task: PlannedTask): unknown {
    if ("params" in task.parsed) return task.parsed.params;
    const { call } = task;
    const parsed = parseParams(call.module.card.params, call.input, this.lookup, whereOf(call));
    if (!("params" in parsed)) throw new End();
    return parsed.params;
  }

  /** The facts of a task, stage by stage; files of this machine are read. */
  async #ask(task: PlannedTask, params: unknown): Promise<Facts> {
    const stages = askStages(task.call.module, params);
    let stage = strictly(() => stages.next());
    while (stage.done !== true) {
      for (const { fact } of listFacts(stage.value)) {
        if (isRan(fact) || this.predicted.lookup(fact) !== undefined) continue;
        if (!isControllerFact(fact)) throw new End();
        await this.#readHere(fact);
      }
      const asked = stage.value;
      stage = strictly(() => stages.next(this.#values(asked)));
    }
    return stage.value;
  }

  async #readHere(fact: Extract<Fact, { driver: string }>): Promise<void> {
    const driver = await this.#setting.drivers(fact.driver);
    const shows = driver.ahead?.(fact.request);
    if (shows === undefined || shows.some((id) => namesFact(this.#touched, id))) throw new End();
    this.predicted.learn(fact, await driver.read(fact.request, this.#setting.signal));
  }

  #values(facts: Facts): Values {
    return collect(facts, (fact) => (isRan(fact) ? false : this.predicted.lookup(fact)?.value));
  }

  #leave(task: PlannedTask, params: unknown, facts: Facts, values: Values): boolean {
    this.predicted.hold(this.predicted.holdsFor(this.#asked(task, facts)));
    this.tasks.push(task.id);
    this.#joint.pass(facts);
    this.#putOut(task, params, values, false);
    return true;
  }

  #change(change: ForeseenChange, values: Values): boolean {
    const { task, params, facts, decision, steps } = change;
    const { predicted } = this;
    const asked = [...this.#asked(task, facts), ...groundOf(task, this.#setting.user, facts)];
    // The first task needs no guard, its facts were just read; what one joins has done its work before a guard could look.
    // A guess that only a look behind the first of the joint work could confirm is no base for work that is done by then.
    const joins = this.#joint.joins(change, this.tasks.length) && predicted.canHold(asked, this.#joint.first);
    if (this.changes.length > 0) predicted.hold(predicted.holdsFor(asked, joins ? this.#joint.first : undefined));
    const number = this.changes.push(change) - 1;
    this.tasks.push(task.id);
    this.#joint.add(change, this.tasks.length, joins);
    const effects = effectsOf(task, params, steps, decision.facts, predicted.names);
    this.#touched.push(...forgotten(effects));
    predicted.disturb(number, effects, new Set(asked.map(({ kind }) => kind)));
    const user = task.become ?? this.#setting.user;
    let converges = true;
    for (const { fact, id, now, wanted, bound, match: matched } of decision.facts) {
      if (isRan(fact) || isControllerFact(fact)) continue;
      const context = { user, guess: this.#setting.guess };
      const kept = renewedBy(effects, fact, datedAnew(now));
      const between = withImplied(id, kept, effects.implied);
      const held = between === kept ? kept : predictionOf(fact, between, wanted, context);
      const value = matched === "same" ? held : predictionOf(fact, now, wanted, context);
      predicted.foresee(number, fact, value);
      converges &&= match(value, bound) !== "differs";
    }
    const holds = known(() => predicted.holdsFor(asked));
    if (holds !== knownAfterApply) predicted.hold(holds);
    this.#putOut(task, params, { ...values, ...this.#values(facts) }, true);
    return converges && holds !== knownAfterApply && task.call.options.until === undefined;
  }

  /** What the task builds on: its facts, and the account it becomes. */
  #asked(task: PlannedTask, facts: Facts): HostFactOf[] {
    const account = accountOf(task, this.#setting.user);
    return [...hostFacts(facts), ...(account ? [account] : [])];
  }

  #putOut(task: PlannedTask, params: unknown, values: Values, changed: boolean): void {
    const value = outputOf(task.call.module, params, values, changed ? unknownResults : undefined);
    this.#outputs.set(task.call, this.#setting.playHost, { value, changed });
  }
}

type HostFactOf = Extract<Fact, { kind: string }>;

function hostFacts(facts: Facts): HostFactOf[] {
  return listFacts(facts).flatMap(({ fact }) => (isRan(fact) || isControllerFact(fact) ? [] : [fact]));
}

/** A thing that a task looks at and that its change makes new: the package index before an installation. */
function renewedBy({ renewed }: Effects, fact: Question, value: unknown): unknown {
  return namesFact(renewed, factId(fact)) ? merge(value, kindOf(fact.kind).renewed) : value;
}

/** A thing that a task names and leaves as it is: a directory changes its date when something is put into it. */
function datedAnew(value: unknown): unknown {
  return isRecord(value) && changedFacet in value ? { ...value, [changedFacet]: knownAfterApply } : value;
}

/** True where what differs, differs in a part that is not knowable: it might not. */
function isOpen({ now, bound, match: matched }: Wanting["facts"][number]): boolean {
  return matched !== "same" && differences(now, bound).some(({ from }) => holdsUnknown(from));
}
