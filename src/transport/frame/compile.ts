import { FurrowError } from "../../core/errors.ts";
import type { Question } from "../../core/fact.ts";
import type { FrameItem, GuardItem, ReadItem, StepsItem } from "../../core/frame.ts";
import { kindOf, type Lines, type NumberedQuestion } from "../../core/kind.ts";
import { shellQuote } from "../../core/step.ts";
import { compileStep } from "./compile-step.ts";

/** A frame as text, with what its records will be numbered by. */
export interface CompiledFrame {
  readonly text: string;
  /** Questions by their number in the frame. */
  readonly questions: readonly { readonly item: number; readonly index: number; readonly question: Question }[];
}

/**
 * A frame as one compound command of a POSIX shell, parsed whole before any of it runs. Its answer is a stream of
 * records that begin with the nonce; it ends with `NONCE X`.
 */
export function compileFrame(items: readonly FrameItem[], nonce: string, streaming: boolean): CompiledFrame {
  const questions: CompiledFrame["questions"][number][] = [];
  const parts = items.map((item, at) => {
    switch (item.item) {
      case "read":
        return compileRead(item, at, questions);
      case "guard":
        return compileGuard(item, at, questions);
      case "steps":
        return compileSteps(item, at);
    }
  });
  const text = `{ _fn=${nonce}; _fl=${streaming ? 1 : 0}; while :; do\n${parts.join("\n")}\nbreak; done; printf '%s X\\n' "$_fn"; }\n`;
  return { text, questions };
}

type Numbered = CompiledFrame["questions"][number][];

function compileRead(item: ReadItem, at: number, questions: Numbered): string {
  const script = readScript(item.questions, at, questions);
  return `printf '%s R ${at}\\n' "$_fn"\n${script}\nprintf '\\n%s r ${at}\\n' "$_fn"`;
}

function readScript(asked: readonly Question[], at: number, questions: Numbered): string {
  const byKind = new Map<string, NumberedQuestion[]>();
  asked.forEach((question, index) => {
    const number = questions.length;
    questions.push({ item: at, index, question });
    byKind.set(question.kind, [...(byKind.get(question.kind) ?? []), { ...question, number }]);
  });
  return [...byKind].map(([name, list]) => kindScript(name, list)).join("\n");
}

function kindScript(name: string, questions: readonly NumberedQuestion[]): string {
  const kind = kindOf(name);
  const script = kind.read(questions);
  if (kind.deadlineSeconds === undefined) return `(\n${script}\n) </dev/null`;
  const late = questions.map(({ number }) => `${number} !no answer within ${kind.deadlineSeconds} s`).join("\n");
  // Through a pipe, not as an argument: the key of sealed contents may stand in it, and arguments are for all to read.
  const piped = `printf %s ${shellQuote(`{\n${script}\n} </dev/null`)} | timeout ${kind.deadlineSeconds} sh`;
  return `${piped}; [ $? -ne 124 ] || echo ${shellQuote(late)}`;
}

/** A guard compares on the host: only where it fails does it send what it saw, and the frame ends. */
function compileGuard(item: GuardItem, at: number, questions: Numbered): string {
  const first = questions.length;
  const script = readScript(
    item.expected.map(({ question }) => question),
    at,
    questions,
  );
  const volatile = [...new Set(item.expected.flatMap(({ question }) => kindOf(question.kind).volatile ?? []))];
  const filter = volatile.length === 0 ? "" : ` | grep -v -E ${shellQuote(`^[0-9]+ (${volatile.join("|")})=`)}`;
  const expected = item.expected.flatMap(({ lines }, index) => printLines(first + index, lines, volatile));
  // Kinds answer one section after the other, and one kind after the other: both sides are put into one order.
  expected.sort((a, b) => Buffer.compare(Buffer.from(a, "utf8"), Buffer.from(b, "utf8")));
  return `_g=$( {\n${script}\n}${filter} | LC_ALL=C sort ); if [ "$_g" = ${shellQuote(expected.join("\n"))} ]; then printf '%s G ${at} 1\\n' "$_fn"; else
printf '%s R ${at}\\n%s\\n%s r ${at}\\n%s G ${at} 0\\n' "$_fn" "$_g" "$_fn" "$_fn"; break; fi`;
}

function printLines(number: number, lines: Lines, volatile: readonly string[]): string[] {
  return Object.entries(lines)
    .filter(([name]) => !volatile.includes(name))
    .map(([name, value]) => `${number} ${name}=${value}`);
}

function compileSteps(item: StepsItem, at: number): string {
  return item.steps
    .map((step, index) => {
      const code = compileStep(step, item.timeoutSeconds);
      if (code === undefined) throw new FurrowError("E_BUG", { what: `a ${step.step} step cannot travel in a frame` });
      return `_fi='${at} ${index}'; ${code} || break`;
    })
    .join("\n");
}
