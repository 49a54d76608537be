import { FurrowError } from "../../core/errors.ts";
import type { Question } from "../../core/fact.ts";
import type { FrameItem, ReadItem, StepsItem } from "../../core/frame.ts";
import { kindOf, type NumberedQuestion } from "../../core/kind.ts";
import { shellQuote } from "../../core/step.ts";
import { compileStep } from "./compile-step.ts";
import { compileGuard } from "./guard.ts";

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
  const compile = (item: FrameItem, at: number): string => {
    switch (item.item) {
      case "read":
        return compileRead(item, at, questions);
      case "guard": {
        const first = questions.length;
        const asked = item.expected.map(({ question }) => question);
        return compileGuard(item, at, readScript(asked, at, questions), first);
      }
      case "steps":
        return compileSteps(item, at);
    }
  };
  const parts = items.map(compile);
  const isAlways = (_: string, at: number): boolean => isAlwaysRead(items[at]);
  const always = parts.filter(isAlways).map((part) => `if [ -z "$_fz" ]; then\n${part}\nfi\n`);
  const inOrder = parts.filter((part, at) => part !== "" && !isAlways(part, at));
  const text = `{ _fn=${nonce}; _fl=${streaming ? 1 : 0}; _fz=; while :; do\n${inOrder.join("\n")}\nbreak; done\n${always.join("")}printf '%s X\\n' "$_fn"; }\n`;
  return { text, questions };
}

function isAlwaysRead(item: FrameItem | undefined): boolean {
  return item?.item === "read" && item.always === true;
}

type Numbered = CompiledFrame["questions"][number][];

function compileRead(item: ReadItem, at: number, questions: Numbered): string {
  if (item.questions.length === 0) return "";
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

function compileSteps(item: StepsItem, at: number): string {
  return item.steps
    .map((step, index) => {
      const code = compileStep(step, item.timeoutSeconds);
      if (code === undefined) throw new FurrowError("E_BUG", { what: `a ${step.step} step cannot travel in a frame` });
      return `_fi='${at} ${index}'; ${code} || { _fz=1; break; }`;
    })
    .join("\n");
}
