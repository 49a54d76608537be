import { definitionOf } from "../core/authoring/task.ts";
import type { Case } from "./case.ts";
import { cardLaws } from "./laws/card.ts";
import { coverageLaws } from "./laws/coverage.ts";
import { factLaws } from "./laws/facts.ts";
import { secretLaws } from "./laws/secrets.ts";
import { stepLaws } from "./laws/steps.ts";
import { sayError, type Subject, type Tried, tryCases } from "./laws/subject.ts";
import { unknownLaws } from "./laws/unknown.ts";
import { waitLaws } from "./laws/waits.ts";
import { wantLaws } from "./laws/want.ts";

/** Options for additional checks against the contract. */
export interface ContractOptions {
  /** The task's folder, such as `file-line`; the task's name must be derived from it. */
  readonly folder?: string;
}

/**
 * Checks a task module and its table of cases against the contract for tasks, without a host. Returns the broken laws,
 * each as a sentence; empty if none is broken. `expect(contractOf(motd, cases)).toEqual([])` is a complete test.
 */
export function contractOf(module: unknown, cases: readonly Case[], options: ContractOptions = {}): string[] {
  const definition = definitionOf(module);
  if (definition === undefined) return ["this is not a task module: create it with task()"];
  const subject: Subject = { module: definition, folder: options.folder, cases };
  const { tried, broken } = tryCases(subject);
  const all = [
    ...cardLaws(subject),
    ...broken,
    ...coverageLaws(subject, tried),
    ...guarded("facts", () => factLaws(subject, tried)),
    ...tried.flatMap(caseLaws),
  ];
  return [...new Set(all)];
}

function caseLaws(trial: Tried): string[] {
  const laws = {
    wants: wantLaws,
    steps: stepLaws,
    waits: waitLaws,
    "unknown values": unknownLaws,
    secrets: secretLaws,
  };
  return Object.entries(laws).flatMap(([name, law]) =>
    guarded(`${name} (case "${trial.case.title}")`, () => law(trial)),
  );
}

/** Checks a law. If a task throws while a law is checked, it breaks that law. */
function guarded(what: string, law: () => string[]): string[] {
  try {
    return law();
  } catch (error) {
    return [`the laws of ${what} cannot be checked: ${sayError(error)}`];
  }
}
