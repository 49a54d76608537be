import { guardUnknown } from "./compare.ts";
import { FurrowError } from "./errors.ts";
import type { Question } from "./fact.ts";
import type { Expectation } from "./frame.ts";
import { kindOf, type Lines } from "./kind.ts";
import { knownAfterApply } from "./symbols.ts";

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
  for (const [name, line] of Object.entries(print(guardUnknown(value), question))) {
    if (line === knownAfterApply) open.push(name);
    else lines[name] = line;
  }
  return { question, lines, open };
}

/** The lines of a value that was read, or of a prediction with no open parts: those that its kind would print. */
export function linesOf(question: Question, value: unknown): Lines {
  return kindOf(question.kind).print === undefined ? {} : expectationOf(question, value).lines;
}
