import { guardUnknown } from "./compare.ts";
import { FurrowError } from "./errors.ts";
import type { Question } from "./fact.ts";
import type { Expectation } from "./frame.ts";
import { kindOf, type Lines } from "./kind.ts";
import { isRecord, knownAfterApply } from "./symbols.ts";
import { changedFacet, changedLater } from "./watched.ts";

/**
 * What a guard expects of a fact with this value, parts of which may not be knowable yet. Throws UnknownValue where the
 * kind cannot tell its lines, and FurrowError E_BUG where it cannot print at all.
 */
export function expectationOf(question: Question, value: unknown): Expectation {
  if (value === knownAfterApply) return { question, lines: {}, open: ["*"] };
  const { print } = kindOf(question.kind);
  if (!print) throw new FurrowError("E_BUG", { what: `the kind ${question.kind} cannot stand in a guard` });
  const lines: Record<string, string> = {};
  const open: string[] = [];
  // What is predicted to change, changes at a moment that nobody knows.
  const later = isRecord(value) && value[changedFacet] === changedLater;
  for (const [name, line] of Object.entries(print(guardUnknown(value), question))) {
    if (line === knownAfterApply || (later && name === changedFacet)) open.push(name);
    else lines[name] = line;
  }
  return { question, lines, open };
}

/** The lines of a value that was read. */
export function linesOf(question: Question, value: unknown): Lines {
  const lines = Object.entries(kindOf(question.kind).print?.(value, question) ?? {});
  return Object.fromEntries(lines.flatMap(([name, line]) => (line === knownAfterApply ? [] : [[name, line]])));
}
