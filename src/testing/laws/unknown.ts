import { guardUnknown, UnknownValue } from "../../core/facts/compare.ts";
import { isControllerFact, listFacts } from "../../core/facts/fact.ts";
import { ranKind } from "../../core/facts/ran.ts";
import type { StepResult } from "../../core/host/step.ts";
import { isRecord, knownAfterApply } from "../../core/facts/symbols.ts";
import type { Values } from "../../core/authoring/evaluate.ts";
import { tryTask } from "../trial.ts";
import { sayError, type Tried } from "./subject.ts";

/**
 * In check mode, a task may receive values that are not known yet. UnknownValue stops code that reads such a value. A
 * function that throws anything else, or that uses the symbol itself as a value, has a bug that appears only in check
 * mode.
 */
export function unknownLaws(trial: Tried): string[] {
  const { module, params, case: own } = trial;
  const broken = variants(trial).flatMap(({ what, values }) => {
    const guarded = guardUnknown(values) as never;
    const { outputs, notes } = module;
    return [
      fault("decide", what, () => tryTask(module, params, { ...own.now, ...values })),
      outputs && fault("outputs", what, () => outputs(params as never, guarded, unknownResults)),
      outputs && fault("outputs", what, () => outputs(params as never, guarded, undefined)),
      notes && fault("notes", what, () => notes(params as never, guarded, undefined)),
    ];
  });
  return [...new Set(broken.filter((sentence) => sentence !== undefined))].map(
    (sentence) => `case "${own.title}": ${sentence}`,
  );
}

interface Variant {
  readonly what: string;
  readonly values: Values;
}

/** The values with each fact unknown, with each part of each record unknown, and with all facts unknown. */
function variants({ values, facts }: Tried): Variant[] {
  const names = [
    ...new Set(
      listFacts(facts)
        .filter(({ fact }) => isControllerFact(fact) || fact.kind !== ranKind)
        .map(({ name }) => name),
    ),
  ];
  const hide = (name: string): unknown => {
    const value = values[name];
    return Array.isArray(facts[name]) ? (value as unknown[]).map(() => knownAfterApply) : knownAfterApply;
  };
  const parts = (name: string): Variant[] => {
    const value = values[name];
    if (!isRecord(value)) return [];
    return Object.keys(value).map((part) => ({
      what: `${part} of ${name}`,
      values: { ...values, [name]: { ...value, [part]: knownAfterApply } },
    }));
  };
  return [
    ...names.map((name) => ({ what: name, values: { ...values, [name]: hide(name) } })),
    ...names.flatMap(parts),
    { what: "everything", values: { ...values, ...Object.fromEntries(names.map((name) => [name, hide(name)])) } },
  ];
}

function fault(link: string, what: string, act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof UnknownValue) return undefined;
    return `if ${what} is not known yet, ${link} throws ${sayError(error)}`;
  }
}

const unknownResults = new Proxy([] as readonly StepResult[], {
  get(): never {
    throw new UnknownValue("results");
  },
});
