import { guardUnknown } from "./compare.ts";
import { FurrowError } from "../errors.ts";
import type { Question } from "./fact.ts";
import type { Expectation } from "../host/frame.ts";
import { kindOf, type Lines } from "./kind.ts";
import { isRecord, knownAfterApply } from "./symbols.ts";
import { changedFacet, changedLater } from "./watched.ts";

/**
 * A guard's expectation for a fact with this value, which may have unknown parts. Throws UnknownValue if the kind
 * cannot tell which lines it would print, and FurrowError E_BUG if the kind cannot print at all.
 */
export function expectationOf(question: Question, value: unknown): Expectation {
  if (value === knownAfterApply) return { question, lines: {}, open: ["*"] };
  const { print } = kindOf(question.kind);
  if (!print) throw new FurrowError("E_BUG", { what: `the kind ${question.kind} cannot be used in a guard` });
  const lines: Record<string, string> = {};
  const open: string[] = [];
  // The time of a predicted change is unknown.
  const later = isRecord(value) && value[changedFacet] === changedLater;
  for (const [name, line] of Object.entries(print(guardUnknown(value), question))) {
    if (line === knownAfterApply || (later && name === changedFacet)) open.push(name);
    else lines[name] = line;
  }
  return { question, lines, open };
}

/** The lines that the kind prints for a value that was read. */
export function linesOf(question: Question, value: unknown): Lines {
  const lines = Object.entries(kindOf(question.kind).print?.(value, question) ?? {});
  return Object.fromEntries(lines.flatMap(([name, line]) => (line === knownAfterApply ? [] : [[name, line]])));
}
