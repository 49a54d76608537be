import type { RefusalReason } from "../../core/authoring/refusal.ts";
import type { Providers } from "../host/providers.ts";
import { UnknownValue } from "../../core/facts/compare.ts";
import { FurrowError, isFurrowError } from "../../core/errors.ts";
import { askStages, decide, type Decision, stepsOf, type Values } from "../../core/authoring/evaluate.ts";
import { type Fact, factId, type Facts, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { kindOf } from "../../core/facts/kind.ts";
import type { Step } from "../../core/host/step.ts";
import { absent, knownAfterApply } from "../../core/facts/symbols.ts";
import { accountOf, requireAccount } from "../plan/become-account.ts";
import { isRan } from "../../core/facts/ran.ts";
import { applyChange } from "./apply-steps.ts";
import { alreadyOk } from "./check-mode-already-ok.ts";
import { type AttemptContext, type AttemptResult, knownNow, type TaskFacts, valuesNow } from "./task-context.ts";
import type { WantDecision } from "../plan/foreseen-change.ts";
import { predictChange, predictUnknown } from "./check-mode.ts";
import { doubtOf } from "./undecided/unknown-facts.ts";
import { parentDirectoriesOf } from "../plan/parent-directories.ts";
import type { PlannedTask } from "../plan/plan.ts";
import { type ReadErrors, readFacts } from "../host/read-facts.ts";
import { rightsAhead } from "./rights/asked-rights.ts";
import { foreseeRights } from "./rights/foreseen-rights.ts";
import { onlyReads, performReading } from "./reading-steps.ts";
import { rehearseSteps } from "./rights/rehearse-steps.ts";
import { resolveReads } from "./resolve-reads.ts";
import { refuseOwnLink } from "../paths/own-link.ts";
import { takeEarly } from "./results/take-early.ts";
import { requireRights } from "./rights/user-rights.ts";
import { WrongForecast } from "./performer.ts";

/** One attempt at a task: reads and decides; in a run, also acts and verifies. Throws FurrowError. */
export async function decideTask(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
): Promise<AttemptResult> {
  try {
    return await decideOnce(planned, params, context);
  } catch (error) {
    // The steps sent ahead differ from the steps that the task needs: decide the task again from the current state.
    if (error instanceof WrongForecast) return decideOnce(planned, params, context);
    throw error;
  }
}

async function decideOnce(planned: PlannedTask, params: unknown, context: AttemptContext): Promise<AttemptResult> {
  const { module } = planned.call;
  const asked: { facts: Facts } = { facts: {} };
  let taskFacts: TaskFacts;
  let decision: Decision;
  try {
    taskFacts = await readTaskFacts(planned, params, context, asked);
    context.conflicts?.refuse(context.host.knowledge.names, planned);
    context.conflicts?.refuseKeeper(planned, params, taskFacts.values);
    decision = decide(module, params, taskFacts.facts, taskFacts.values);
  } catch (error) {
    if (!(error instanceof UnknownValue)) throw error;
    context.conflicts?.refuseKeeper(planned, params, valuesNow(asked.facts, context.host));
    const right = context.hostIsMissing ? undefined : await alreadyOk(planned, params, context);
    return right ?? predictUnknown(planned, params, asked.facts, context);
  }
  const { facts, values } = taskFacts;
  if ("refusal" in decision) {
    // A retry must read the facts again, because the reason for the refusal may no longer exist.
    if (context.mode === "apply") context.host.knowledge.forgetFacts(listFacts(facts).map(({ fact }) => fact));
    throw refused(decision.refusal.reason, context.host.knowledge.providers);
  }
  if (decision.match === "same") {
    context.performer.found("same");
    const early = context.mode === "apply" ? await takeEarly(planned, undefined, decision.facts, context) : undefined;
    if (early === undefined || onlyReads(planned, params)) {
      return { outcome: "ok", changes: [], values, results: early?.results };
    }
    return { outcome: "changed", changes: early.changes, values, results: early.results };
  }
  refuseOwnLink(decision.facts, context.host.knowledge.names);
  if (context.mode === "check") {
    const right =
      decision.match === "unknown" && !context.hostIsMissing ? await alreadyOk(planned, params, context) : undefined;
    if (right !== undefined) return right;
    const foreseen = (): readonly Step[] | undefined => foreseenSteps(planned, params, taskFacts, decision);
    const likely = (): readonly Step[] => foreseen() ?? [];
    requireUserRights(planned, decision, likely, context);
    const doubt = context.hostIsMissing ? undefined : doubtOf(decision.facts, context.host);
    const dependsOn = (await foreseeRights(planned, params, decision, likely, context)) ?? doubt;
    if (onlyReads(planned, params)) return performReading(planned, params, taskFacts, decision, dependsOn, context);
    const notes = await rehearseSteps(decision.facts, likely, context);
    const guard = (await context.confirm?.foresee(planned, decision.facts, likely(), context)) ?? [];
    const predicted = await predictChange(planned, params, taskFacts, decision, foreseen, context);
    const change = { ...predicted, notes: [...notes, ...guard] };
    if (dependsOn === undefined || change.outcome !== "changed") return change;
    return { ...change, outcome: "undecided", changes: [], intends: change.changes, dependsOn };
  }
  const steps = stepsOf(module, params, facts, values, decision);
  requireUserRights(planned, decision, () => steps, context);
  const done = await applyChange(planned, params, taskFacts, decision, steps, context);
  return onlyReads(planned, params) ? { ...done, outcome: "ok", changes: [] } : done;
}

/** The steps that check mode predicts; undefined if they depend on an unknown value. */
function foreseenSteps(
  planned: PlannedTask,
  params: unknown,
  taskFacts: TaskFacts,
  decision: WantDecision,
): readonly Step[] | undefined {
  if (decision.match === "unknown") return undefined;
  try {
    return stepsOf(planned.call.module, params, taskFacts.facts, taskFacts.values, decision);
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    throw error;
  }
}

/**
 * Throws E_REFUSED if the task acts as a user who is not allowed to perform its steps. Check mode and a run do exactly
 * the same here.
 */
function requireUserRights(
  planned: PlannedTask,
  decision: WantDecision,
  steps: () => readonly Step[],
  { host, hostIsMissing, simulation }: AttemptContext,
): void {
  if (hostIsMissing || simulation || accountOf(planned, host.user) === undefined) return;
  requireRights(planned, host.user, decision.facts, steps(), (fact) => host.knowledge.lookup(fact));
}

function refused({ code, message, missing, ...rest }: RefusalReason, providers: Providers): FurrowError {
  const hint = providers.hint(rest.hint, missing);
  return new FurrowError("E_REFUSED", {
    what: message,
    details: [`refused: ${code}`],
    ...rest,
    ...(hint !== undefined && { hint }),
  });
}

/**
 * Reads the facts of a task, stage by stage, and the facts of later tasks in the same frames. If furrow cannot switch
 * to the task's user, this fails even if nothing remains to be read. Check mode and a run do exactly the same here.
 */
export async function readTaskFacts(
  planned: PlannedTask,
  params: unknown,
  context: AttemptContext,
  asked: { facts: Facts } = { facts: {} },
): Promise<TaskFacts> {
  const { host, performer } = context;
  const account = context.simulation || context.hostIsMissing ? undefined : accountOf(planned, host.user);
  const stages = askStages(planned.call.module, params);
  // Values that were known before the controller was asked. If the running frame is lost in the meantime, everything
  // known about the host is lost too.
  let held: ReadonlyMap<string, unknown> = new Map();
  let values: Values = {};
  let stage = stages.next();
  while (stage.done !== true) {
    asked.facts = stage.value;
    await resolveReads(planned, params, stage.value, context);
    if (context.mode === "check") markUnasked(stage.value, host, context.hostIsMissing);
    const ground = account ? [account, ...parentDirectoriesOf(planned, host.user, stage.value)] : [];
    const open = ground.filter((fact) => !isRan(fact) && host.knowledge.lookup(fact) === undefined);
    values = valuesNow(stage.value, host, held, open);
    if (open.length > 0) {
      if (performer.isBusy && !open.every(isControllerFact)) {
        await performer.abandon();
        throw new WrongForecast(planned.id);
      }
      if (performer.isBusy) held = new Map([...held, ...knownNow(stage.value, host)]);
      const asked = [...open, ...performer.questions(context), ...(context.confirm?.questions(context) ?? [])];
      const rights = context.mode === "check" && !context.simulation ? rightsAhead(asked, host) : [];
      const errors = await asUser(planned, open, context, () =>
        readFacts([...asked, ...rights], host, context.drivers, context.signal),
      );
      const failed = open.map((fact) => errors.get(factId(fact))).find(Boolean);
      if (failed) throw failed;
    }
    await context.confirm?.see(context);
    if (account) requireAccount(account, host.knowledge.lookup(account)?.value);
    if (open.length > 0) values = valuesNow(stage.value, host, held);
    stage = stages.next(values);
  }
  const all = listFacts(stage.value);
  // A task that has only controller facts also acts only on the controller: do not contact its host.
  const isElsewhere = all.length > 0 && all.every(({ fact }) => isControllerFact(fact));
  const needsProof = planned.become !== undefined || (context.mode === "check" && !isElsewhere);
  if (needsProof && !context.hostIsMissing && !performer.isBusy) {
    await asUser(planned, [], context, async () => {
      await host.ensureShell(context.signal);
      return new Map();
    });
    // Includes the facts that other tasks learned in the meantime.
    values = valuesNow(stage.value, host, held);
  }
  return { facts: stage.value, values };
}

/**
 * Asks the host as the task's user. In check mode, an earlier task may create that user; in that case, the requested
 * facts are unknown.
 */
async function asUser(
  { become }: PlannedTask,
  open: readonly Fact[],
  { host, mode }: AttemptContext,
  act: () => Promise<ReadErrors>,
): Promise<ReadErrors> {
  try {
    return await act();
  } catch (error) {
    const account = { kind: "user", key: become ?? "", facets: [] };
    const foreseen = mode === "check" && become !== undefined ? host.knowledge.lookup(account) : undefined;
    const isToBe = foreseen?.by !== undefined && foreseen.value !== absent;
    if (!isToBe || !isFurrowError(error) || error.code !== "E_BECOME") throw error;
    for (const fact of open) host.knowledge.predict(fact, knownAfterApply, foreseen.by);
    return new Map();
  }
}

/**
 * In check mode, a command that its author has not marked `readOnly` is not run, because it may change the host. Its
 * result is therefore unknown. A host that does not exist yet is not contacted.
 */
function markUnasked(facts: Facts, host: AttemptContext["host"], hostIsMissing: boolean): void {
  for (const { fact } of listFacts(facts)) {
    if (isRan(fact) || isControllerFact(fact)) continue;
    const known = host.knowledge.lookup(fact);
    const isUnasked = kindOf(fact.kind).harmless?.(fact) === false;
    if (known !== undefined && !(isUnasked && known.value === knownAfterApply)) continue;
    if (hostIsMissing) host.knowledge.predict(fact, knownAfterApply, "a host that does not exist yet");
    else if (isUnasked) host.knowledge.learn(fact, knownAfterApply);
  }
}
