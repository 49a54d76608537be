import { type Fact, factId, isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { parseInput } from "../../core/params/params.ts";
import { redactor } from "../../core/secrets/redact.ts";
import { isSecret, Secret, secretOf } from "../../core/secrets/secret.ts";
import { describeStep, type Step } from "../../core/host/step.ts";
import { isNamedTask } from "../../core/facts/symbols.ts";
import { tryTask } from "../trial.ts";
import { titleLaws } from "./card.ts";
import { sayError, type Tried } from "./subject.ts";

const planted = "Pl4nted+Secret/of=the'contract";
const blacken = redactor([{ name: "planted", value: planted }]);

/**
 * Puts a secret into every param that accepts one, and checks that the secret does not leak. Names, titles, arguments,
 * paths, notes and refusals must not contain it. Steps must not contain its bare value, which is inserted into stdin,
 * environment and content only when a step is performed.
 */
export function secretLaws(trial: Tried): string[] {
  const { module } = trial;
  const input = withSecrets(module.card.params, trial.case.call.input);
  if (input === undefined) return [];
  try {
    const params = parseInput(module.card.params, input, {});
    const { facts, decision, steps, values } = tryTask(module, params, trial.case.now);
    const texts: (readonly [string, string])[] = [
      ...listFacts(facts).map(({ fact }) => ["a fact's id", nameOf(fact)] as const),
      ...steps.flatMap(openTexts),
      ...("refusal" in decision
        ? Object.values(decision.refusal.reason).map((text) => ["the refusal", String(text)] as const)
        : []),
      ...(module.notes?.(params as never, values as never, undefined) ?? []).map((note) => ["a note", note] as const),
      ...(module.poll ? [["what is waited for", module.poll(params as never).waitsFor] as const] : []),
    ];
    return [
      ...titleLaws(module.card, params),
      ...texts.flatMap(([what, text]) => (isSecret(text) ? [`${what} contains a secret`] : [])),
      ...texts.flatMap(([what, text]) => (blacken(text) === text ? [] : [`${what} shows a secret's value`])),
      ...steps.flatMap((step) =>
        blacken(JSON.stringify(step)) === JSON.stringify(step)
          ? []
          : [`the step "${step.step}" contains a secret's bare value: build the text with templates or mapTexts`],
      ),
    ].map((sentence) => `case "${trial.case.title}", with secret params: ${sentence}`);
  } catch (error) {
    return [`case "${trial.case.title}" cannot be checked with secret params: ${sayError(error)}`];
  }
}

function nameOf(fact: Fact): string {
  // A driver receives its request in this process, and only the driver's name is printed.
  return isControllerFact(fact) ? fact.driver : factId(fact);
}

/** The parts of a step that are printed or that any user on the host can see. */
function openTexts(step: Step): (readonly [string, string])[] {
  const parts = { ...step, stdin: undefined, env: undefined, text: undefined, request: undefined };
  return [
    ["a step's description", describeStep(step)],
    ["a step's arguments, paths or label", JSON.stringify(parts)],
    ["the name of an environment variable", step.step === "run" ? Object.keys(step.env ?? {}).join(" ") : ""],
  ];
}

/** The input with a secret in every place where the params accept one; undefined if they accept none. */
function withSecrets(schema: Tried["module"]["card"]["params"], input: unknown): unknown {
  let made = input;
  let found = false;
  for (const path of textPaths(input)) {
    const candidate = put(made, path, secretOf(planted, "planted"));
    if (!accepts(schema, candidate)) continue;
    made = candidate;
    found = true;
  }
  return found ? made : undefined;
}

function accepts(schema: Tried["module"]["card"]["params"], input: unknown): boolean {
  try {
    parseInput(schema, input, {});
    return true;
  } catch {
    return false;
  }
}

function textPaths(value: unknown): string[][] {
  if (typeof value === "string" || value instanceof Secret) return [[]];
  if (typeof value !== "object" || value === null || isNamedTask(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => textPaths(part).map((path) => [key, ...path]));
}

function put(value: unknown, [key, ...rest]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  const parts = value as Record<string, unknown>;
  const part = put(parts[key], rest, leaf);
  return Array.isArray(value)
    ? value.map((old: unknown, at) => (String(at) === key ? part : old))
    : { ...parts, [key]: part };
}
