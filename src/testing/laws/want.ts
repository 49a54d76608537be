import { UnknownValue } from "../../core/facts/compare.ts";
import { isFactList } from "../../core/facts/fact.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import { factsOf, tryTask, valuesAfter } from "../trial.ts";
import { fingerprint } from "./fingerprint.ts";
import { sayError, type Tried } from "./subject.ts";
import { faultOfSentence } from "./wording.ts";

/**
 * A want must bind only the task's own facts, be the same when computed twice, and be satisfied after it is applied. A
 * refusal must state its reason.
 */
export function wantLaws(trial: Tried): string[] {
  const { decision } = trial;
  const laws = "refusal" in decision ? refusalLaws(decision.refusal.reason) : [...surplus(trial), ...settles(trial)];
  return [...laws, ...pure(trial)].map((sentence) => `case "${trial.case.title}": ${sentence}`);
}

interface Reason {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

function refusalLaws({ code, message, hint }: Reason): string[] {
  const fault = hint === undefined ? "is missing" : faultOfSentence(hint.split("; ")[0] ?? "");
  return [
    ...(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(code) ? [] : [`the refusal's code is not in kebab-case: "${code}"`]),
    ...(message.trim() === "" ? ["the refusal has no message"] : []),
    ...(fault === undefined
      ? []
      : [`the hint of refusal "${code}" ${fault}${hint === undefined ? "" : `: "${hint}"`}`]),
  ];
}

function surplus({ decision, facts }: Tried): string[] {
  if ("refusal" in decision) return [];
  return Object.entries(decision.want).flatMap(([name, wanted]) => {
    const asked = facts[name];
    if (wanted === undefined) return [];
    if (asked === undefined) return [`the want binds "${name}", which is not a fact of the task`];
    const many = Array.isArray(wanted) ? wanted.length : undefined;
    if (!isFactList(asked) || many === undefined || many <= asked.length) return [];
    return [`the want binds ${many} elements of "${name}", which has ${asked.length}`];
  });
}

function settles(trial: Tried): string[] {
  const { module, params, decision } = trial;
  if ("refusal" in decision || decision.match === "same" || module.poll !== undefined) return [];
  const after = valuesAfter(trial);
  try {
    const again = tryTask(module, params, { ...trial.case.now, ...after });
    if ("refusal" in again.decision) {
      return [`it refuses ("${again.decision.refusal.reason.code}") the state that it has just set up`];
    }
    const open = again.decision.facts.filter(({ match, fact }) => match === "differs" && !isRan(fact));
    return open.map(
      ({ id, now, bound }) =>
        `even after the change, it still wants ${id} to be ${show(bound)}, but it is ${show(now)}`,
    );
  } catch (error) {
    return error instanceof UnknownValue
      ? []
      : [`it cannot handle the state that it has just set up: ${sayError(error)}`];
  }
}

function isRan(fact: object): boolean {
  return "kind" in fact && fact.kind === "ran";
}

function show(value: unknown): string {
  return printMarkers(fingerprint(value).slice(0, 200)).replaceAll("\u0000", "");
}

function pure(trial: Tried): string[] {
  const { module, params, values } = trial;
  const before = fingerprint({ params, values });
  const again = tryTask(module, params, trial.case.now);
  factsOf(module, params, trial.case.now);
  return [
    ...(fingerprint(again.decision) === fingerprint(trial.decision)
      ? []
      : ["the same values give different wants: a want must be pure"]),
    ...(fingerprint(again.steps) === fingerprint(trial.steps)
      ? []
      : ["the same change gives different steps: steps must be pure"]),
    ...(fingerprint({ params, values }) === before ? [] : ["its functions change their params or values"]),
  ];
}
