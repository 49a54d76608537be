import { listFacts } from "../../core/facts/fact.ts";
import { describeStep, type Step } from "../../core/host/step.ts";
import { tryTask, valuesAfter } from "../trial.ts";
import { sayError, type Tried } from "./subject.ts";

/** Steps must be data and must match the case, and every change must have a step, even if it is the only change. */
export function stepLaws(trial: Tried): string[] {
  const { decision, steps, module } = trial;
  const laws = [
    ...steps.flatMap(dataLaws),
    ...(steps.some(({ step }) => step === "reboot") && module.card.reboots !== true ? [unsaidReboot] : []),
    ...("refusal" in decision || module.poll !== undefined ? [] : eachChange(trial)),
    ...expectation(trial),
  ];
  return laws.map((sentence) => `case "${trial.case.title}": ${sentence}`);
}

/**
 * The sentence for a missing `reboots` flag: check mode predicts the state after a boot only if the card has the flag.
 */
const unsaidReboot = "a step reboots the host: set reboots: true on the card";

function dataLaws(step: Step): string[] {
  try {
    const there = JSON.stringify(structuredClone(step));
    const same = there === JSON.stringify(step) && isPlain(step);
    return same ? [] : [`the step "${describeStep(step)}" is not plain data, and would not survive being sent`];
  } catch (error) {
    return [`the step "${describeStep(step)}" is not plain data: ${sayError(error)}`];
  }
}

/** True for JSON data that contains no values that JSON.stringify would omit or write as null. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object") return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype && Object.values(value).every((part) => part === undefined || isPlain(part));
}

function eachChange(trial: Tried): string[] {
  const { decision, module, params } = trial;
  if ("refusal" in decision || decision.match === "same") return [];
  if (trial.steps.length === 0)
    return [`${differing(trial).join(", ")} is not in the desired state, but no step would change it`];
  if (differing(trial).length < 2) return [];
  return differing(trial).flatMap((name) => {
    try {
      const alone = tryTask(module, params, { ...trial.case.now, ...valuesAfter(trial, [name]) });
      if ("refusal" in alone.decision || alone.decision.match === "same" || alone.steps.length > 0) return [];
      return [`if only "${name}" is not in the desired state, no step would change it`];
    } catch {
      // Because the other facts are only predicted here, the task may have to read the host first.
      return [];
    }
  });
}

/** The names of the facts that differ from the want. */
export function differing({ decision, facts }: Tried): string[] {
  if ("refusal" in decision) return [];
  const names = listFacts(facts).map(({ name }) => name);
  return [...new Set(names.filter((_, at) => decision.facts[at]?.match === "differs"))];
}

function expectation({ case: { refusal, steps: expected, now }, decision, steps, facts }: Tried): string[] {
  const unused = Object.keys(now).filter((name) => !(name in facts));
  const code = "refusal" in decision ? decision.refusal.reason.code : undefined;
  const said = steps.map(describeStep);
  return [
    ...(code === refusal ? [] : [`the task ${sayRefusal(code)}, but the case ${sayRefusal(refusal)}`]),
    ...(JSON.stringify(said) === JSON.stringify(expected)
      ? []
      : [`the steps are ${JSON.stringify(said)}, but the case expects ${JSON.stringify(expected)}`]),
    ...unused.map((name) => `\`now\` has a value for "${name}", which is not a fact of the task`),
  ];
}

function sayRefusal(code: string | undefined): string {
  return code === undefined ? "does not refuse" : `refuses with "${code}"`;
}
