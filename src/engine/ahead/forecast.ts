import { differences, holdsUnknown, match, merge, inStrictMode, UnknownValue } from "../../core/facts/compare.ts";
import type { DriverLookup } from "../../core/host/driver.ts";
import { askStages, collect, decide, stepsOf, type Values } from "../../core/authoring/evaluate.ts";
import {
  type Fact,
  factId,
  type FactPattern,
  type Facts,
  isControllerFact,
  listFacts,
  namesFact,
  type Question,
} from "../../core/facts/fact.ts";
import { withImplied } from "../../core/facts/implied.ts";
import { isAdvice, kindOf } from "../../core/facts/kind.ts";
import { parseParams } from "../../core/params/params.ts";
import { predictionOf } from "../../core/facts/prediction.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import { ControlFlowError } from "../../core/control-flow-error.ts";
import { changedFacet } from "../../core/facts/watched.ts";
import { accountOf } from "../plan/become-account.ts";
import { isRan } from "../../core/facts/ran.ts";
import { reasonToSkip } from "../plan/condition.ts";
import type { ForecastEnd } from "../plan/upcoming-tasks.ts";
import type { ForeseenChange, WantDecision } from "../plan/foreseen-change.ts";
import { type Effects, effectsOf, toReadAgain } from "../task/effects.ts";
import type { Knowledge } from "../host/knowledge.ts";
import type { NamedConflicts } from "../host/named-conflicts.ts";
import { JointChanges } from "./joint-changes.ts";
import { known, outputOf, Outputs, unknownResults } from "../plan/outputs.ts";
import { parentDirectoriesOf } from "../plan/parent-directories.ts";
import { inFrame, type Step } from "../../core/host/step.ts";
import { type PlannedTask, whereOf } from "../plan/plan.ts";
import { PredictedHost } from "./predicted-host.ts";
import { refuseOwnLink } from "../paths/own-link.ts";
import { onlyReads } from "../task/reading-steps.ts";
import { requireRights } from "../task/rights/user-rights.ts";
import type { UnguardedValue } from "./sent-frame.ts";

/** The context of a forecast, apart from its first task. */
export interface ForecastSetting {
  readonly knowledge: Knowledge;
  readonly playHost: string;
  readonly outputs: Outputs;
  readonly drivers: DriverLookup;
  readonly signal: AbortSignal;
  /** The user for the steps of a task that names no user. */
  readonly user: string;
  /** The same user, if it is known without an open session. Only then does a task know the user when its turn comes. */
  readonly knownUser: string | undefined;
  /** Whether kinds may guess unknown values. */
  readonly guess: boolean;
  /** True if a task with this decision must act alone, because its change is confirmed over a new connection. */
  readonly isGuarded?: ((facts: WantDecision["facts"], steps: readonly Step[]) => boolean) | undefined;
  /** True if a task acts on the same host with the same privilege. */
  readonly isHere: (task: PlannedTask) => boolean;
  /** Refuses tasks that would undo each other. */
  readonly conflicts: NamedConflicts | undefined;
}

/** Thrown when nothing more can be forecast. */
class CannotForecast extends ControlFlowError {}

/**
 * Forecasts a run from one task onward. Goes through the upcoming tasks as check mode does, on a predicted copy of the
 * host's known values. Ends at the first task that cannot be decided without asking the host or an outside system.
 */
export class Forecast {
  readonly predicted: PredictedHost;
  readonly changes: ForeseenChange[] = [];
  /** The ids of all forecast tasks, in order. */
  readonly tasks: string[] = [];
  readonly #setting: ForecastSetting;
  readonly #outputs: Outputs;
  readonly #conflicts: NamedConflicts | undefined;
  readonly #joint = new JointChanges();
  /** Patterns of the facts that the changes so far may touch. */
  readonly #touched: FactPattern[] = [];

  constructor(setting: ForecastSetting) {
    this.#setting = setting;
    this.predicted = new PredictedHost(setting.knowledge);
    this.#outputs = new Outputs(setting.outputs);
    this.#conflicts = setting.conflicts?.copy(setting.knowledge.names, this.predicted.names);
  }

  /** The changes whose work is done together with the change that has this number (see `JointWork`). */
  joined(number: number): readonly ForeseenChange[] {
    return this.#joint.after(number);
  }

  /** The values that no guard checks: advice, and the facts of changes that join an earlier change. */
  unguardedValues(): UnguardedValue[] {
    return this.#joint.unguardedValues();
  }

  /** Looks up outputs in the forecast. */
  get lookup(): OutputLookup {
    return this.#outputs.lookupFor(this.#setting.playHost);
  }

  /** Starts with a task that is already decided, and continues for as long as tasks can be forecast. */
  async from(first: ForeseenChange, values: Values, upcoming: Iterable<PlannedTask | ForecastEnd>): Promise<void> {
    let goesOn = inStrictMode(() => this.#change(first, values));
    for (const task of upcoming) {
      if (!goesOn || task === "border") return;
      try {
        goesOn = await this.#task(task);
      } catch {
        // The value is unknown, or the task refuses or fails: the result is known only when the task's turn comes.
        return;
      }
    }
  }

  /** Returns true if the forecast may continue after the task. Throws if the task cannot be forecast. */
  async #task(task: PlannedTask): Promise<boolean> {
    const { module } = task.call;
    if (!this.#setting.isHere(task) || module.poll) throw new CannotForecast();
    if (!inStrictMode(() => this.#isWanted(task))) {
      this.tasks.push(task.id);
      return true;
    }
    const params = inStrictMode(() => this.#params(task));
    const account = accountOf(task, this.#setting.knownUser);
    // The account is missing or unknown: the result is known only when the task's turn comes.
    if (account !== undefined && !isRecord(this.predicted.lookup(account)?.value)) throw new CannotForecast();
    const facts = await this.#ask(task, params);
    // When its turn comes, the task asks about the directories above its files even if it changes nothing.
    if (this.#asked(task, facts).some((fact) => this.predicted.lookup(fact) === undefined)) throw new CannotForecast();
    return inStrictMode(() => {
      const values = this.#values(facts);
      this.#conflicts?.refuse(this.predicted.names, task);
      this.#conflicts?.refuseKeeper(task, params, values);
      const decision = decide(module, params, facts, values);
      if ("refusal" in decision) throw new CannotForecast();
      if (decision.match === "same") return this.#unchanged(task, params, facts, values);
      if (decision.match === "unknown" || decision.facts.some(isOpen)) throw new CannotForecast();
      refuseOwnLink(decision.facts, this.predicted.names);
      const steps = stepsOf(module, params, facts, values, decision);
      if (steps.length === 0 || !steps.every(inFrame)) throw new CannotForecast();
      if (this.#setting.isGuarded?.(decision.facts, steps) === true) throw new CannotForecast();
      requireRights(task, this.#setting.knownUser, decision.facts, steps, (fact) => this.predicted.lookup(fact));
      return this.#change({ task, params, facts, decision, steps }, values);
    });
  }

  #isWanted(task: PlannedTask): boolean {
    const reason = reasonToSkip(task, this.lookup);
    if (reason === "unknown") throw new UnknownValue("when");
    return reason === undefined;
  }

  #params(task: PlannedTask): unknown {
    if ("params" in task.parsed) return task.parsed.params;
    const { call } = task;
    const parsed = parseParams(call.module.card.params, call.input, this.lookup, whereOf(call));
    if (!("params" in parsed)) throw new CannotForecast();
    return parsed.params;
  }

  /** Collects the facts of a task, stage by stage. Also reads local files on the controller. */
  async #ask(task: PlannedTask, params: unknown): Promise<Facts> {
    const stages = askStages(task.call.module, params);
    let stage = inStrictMode(() => stages.next());
    while (stage.done !== true) {
      for (const { fact } of listFacts(stage.value)) {
        if (isRan(fact) || this.predicted.lookup(fact) !== undefined) continue;
        if (!isControllerFact(fact)) throw new CannotForecast();
        await this.#readHere(fact);
      }
      const asked = stage.value;
      stage = inStrictMode(() => stages.next(this.#values(asked)));
    }
    return stage.value;
  }

  async #readHere(fact: Extract<Fact, { driver: string }>): Promise<void> {
    const driver = await this.#setting.drivers(fact.driver);
    const shows = driver.ahead?.(fact.request);
    if (shows === undefined || shows.some((id) => namesFact(this.#touched, id))) throw new CannotForecast();
    this.predicted.learn(fact, await driver.read(fact.request, this.#setting.signal));
  }

  #values(facts: Facts): Values {
    return collect(facts, (fact) => (isRan(fact) ? false : this.predicted.lookup(fact)?.value));
  }

  /** Records a task that changes nothing. Returns true if the forecast may continue after it. */
  #unchanged(task: PlannedTask, params: unknown, facts: Facts, values: Values): boolean {
    // A task's steps check the task's advice themselves. If the task has no steps, the advice must be certain.
    if (!this.predicted.areCertain(hostFacts(facts).filter(isAdvice))) throw new CannotForecast();
    this.predicted.addChecks(this.predicted.checksFor(this.#asked(task, facts)));
    this.tasks.push(task.id);
    this.#joint.pass(facts);
    this.#putOut(task, params, values, { acts: false });
    return task.call.options.until === undefined;
  }

  /** Records a task that changes something. Returns true if the forecast may continue after it. */
  #change(change: ForeseenChange, values: Values): boolean {
    const { task, params, facts, decision, steps } = change;
    const { predicted } = this;
    const asked = this.#asked(task, facts);
    // The first task needs no guard: its facts were just read. A change that joins an earlier change runs together with
    // it, before any later guard could check anything. So a joining change must not rely on a guess that only a later
    // guard would confirm.
    const joins = this.#joint.joins(change, this.tasks.length) && predicted.canCheck(asked, this.#joint.first);
    if (this.changes.length > 0) predicted.addChecks(predicted.checksFor(asked, joins ? this.#joint.first : undefined));
    const number = this.changes.push(change) - 1;
    this.tasks.push(task.id);
    this.#joint.add(change, this.tasks.length, joins);
    const effects = effectsOf(task, params, steps, decision.facts, predicted.names);
    this.#touched.push(...toReadAgain(effects));
    predicted.noteChange(number, effects, new Set(asked.map(({ kind }) => kind)));
    const user = task.become ?? this.#setting.user;
    let converges = true;
    for (const { fact, id, now, wanted, bound, match: matched } of decision.facts) {
      if (isRan(fact) || isControllerFact(fact)) continue;
      const context = { user, guess: this.#setting.guess };
      const kept = renewedBy(effects, fact, withUnknownDate(now));
      const between = withImplied(id, kept, effects.implied);
      const held = between === kept ? kept : predictionOf(fact, between, wanted, context);
      const value = matched === "same" ? held : predictionOf(fact, now, wanted, context);
      predicted.predict(number, fact, value);
      converges &&= match(value, bound) !== "differs";
    }
    const checks = known(() => predicted.checksFor(asked));
    if (checks !== knownAfterApply) predicted.addChecks(checks);
    this.#putOut(task, params, { ...values, ...this.#values(facts) }, { acts: true });
    return converges && checks !== knownAfterApply && task.call.options.until === undefined;
  }

  /**
   * Everything on the host that the task asks about when its turn comes: its own facts, the account of its become user,
   * and the directories above its files.
   */
  #asked(task: PlannedTask, facts: Facts): HostFactOf[] {
    const account = accountOf(task, this.#setting.knownUser);
    return [
      ...hostFacts(facts),
      ...(account ? [account] : []),
      ...parentDirectoriesOf(task, this.#setting.knownUser, facts),
    ];
  }

  /** `acts`: whether the task performs steps. Steps that only read do not count as a change. */
  #putOut(task: PlannedTask, params: unknown, values: Values, { acts }: { readonly acts: boolean }): void {
    const value = outputOf(task.call.module, params, values, acts ? unknownResults : undefined);
    this.#outputs.set(task.call, this.#setting.playHost, { value, changed: acts && !onlyReads(task, params) });
  }
}

type HostFactOf = Extract<Fact, { kind: string }>;

function hostFacts(facts: Facts): HostFactOf[] {
  return listFacts(facts).flatMap(({ fact }) => (isRan(fact) || isControllerFact(fact) ? [] : [fact]));
}

/**
 * Applies the effect of a change to a fact that the change brings up to date, e.g. the package index, which an
 * installation refreshes.
 */
function renewedBy({ renewed }: Effects, fact: Question, value: unknown): unknown {
  return namesFact(renewed, factId(fact)) ? merge(value, kindOf(fact.kind).renewed) : value;
}

/**
 * Marks the time of a thing's last change as unknown. A task may name a thing without changing it, but a directory's
 * time changes when an entry is added to the directory.
 */
function withUnknownDate(value: unknown): unknown {
  return isRecord(value) && changedFacet in value ? { ...value, [changedFacet]: knownAfterApply } : value;
}

/** True if a part that differs has an unknown current value, so it may turn out to match the want. */
function isOpen({ now, bound, match: matched }: WantDecision["facts"][number]): boolean {
  return matched !== "same" && differences(now, bound).some(({ from }) => holdsUnknown(from));
}
