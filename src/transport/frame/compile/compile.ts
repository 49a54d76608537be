import { FurrowError } from "../../../core/errors.ts";
import type { Question } from "../../../core/facts/fact.ts";
import type { FrameItem, ReadItem, StepsItem } from "../../../core/host/frame.ts";
import { kindOf, type NumberedQuestion, reveals, scriptOf } from "../../../core/facts/kind.ts";
import { printMarkers } from "../../../core/secrets/secret.ts";
import { shellQuote, type Step } from "../../../core/host/step.ts";
import { batchesOf } from "./batch.ts";
import { compileBatch } from "./batch-script.ts";
import { compileStep } from "./compile-step.ts";
import { clockFunction } from "./clock.ts";
import { compileTogether, runsOf } from "./make-together.ts";
import { compileGuard } from "./guard.ts";
import { hiddenNames, hideFunctions } from "./hidden-lines.ts";

/** Questions of a frame, indexed by the number under which the host answers them. */
export type NumberedQuestions = readonly {
  readonly item: number;
  readonly index: number;
  readonly question: Question;
}[];

/** A frame as shell text, with its numbered questions. */
export interface CompiledFrame {
  readonly text: string;
  readonly questions: NumberedQuestions;
}

/** The questions of a frame, in the order of their numbers. */
export function questionsOf(items: readonly FrameItem[]): NumberedQuestions {
  return items.flatMap((item, at) => {
    if (item.item === "steps") return [];
    const asked = item.item === "read" ? item.questions : item.expected.map(({ question }) => question);
    return asked.map((question, index) => ({ item: at, index, question }));
  });
}

/** Options for compiling a frame. */
export interface CompileOptions {
  /**
   * The item whose first steps an earlier frame has performed. The item's remaining steps do not announce the task
   * again.
   */
  readonly continued?: number | undefined;
  /** The key that encrypts lines with secret text. Without a key, such lines are sent as plain text. */
  readonly hideKey?: string | undefined;
  /** True if the frame runs in a runner: the frame then ends if it cannot write to its journal. */
  readonly journal?: boolean;
  /** True to print the host's time after each item. */
  readonly timed?: boolean;
}

/**
 * Compiles a frame into one compound command for a POSIX shell, which parses all of it before it runs any of it. The
 * answer is a stream of records; each record begins with the nonce, and the last one is `NONCE X`.
 */
export function compileFrame(items: readonly FrameItem[], nonce: string, options: CompileOptions = {}): CompiledFrame {
  const questions: Numbered = [];
  const { hideKey } = options;
  const hides = hideKey !== undefined;
  const compile = (item: FrameItem, at: number): string => {
    switch (item.item) {
      case "read":
        return compileRead(item, at, questions, hides, options.journal === true);
      case "guard": {
        const first = questions.length;
        const asked = item.expected.map(({ question }) => question);
        return compileGuard(item, at, readScript(asked, at, questions, hides), first);
      }
      case "steps":
        return compileSteps(item, at, options.continued === at);
    }
  };
  const tell = (where: string | number): string => (options.timed === true ? `\n_fti ${where}` : "");
  const parts = items.map(compile).map((part, at) => (part === "" ? "" : part + tell(at)));
  const isAlways = (_: string, at: number): boolean => isAlwaysRead(items[at]);
  const always = parts
    .filter((part, at) => part !== "" && isAlways(part, at))
    .map((part) => `if [ -z "$_fz" ]; then\n${part}\nfi\n`);
  const inOrder = parts.filter((part, at) => part !== "" && !isAlways(part, at));
  const clock = options.timed === true ? `${clockFunction}\n` : "";
  const hide = hides ? `${hideFunctions.trim()}\n_fhk=${hideKey}\n` : "";
  const text = `{ ${clock}${hide}_fn=${nonce}; _fz=\n${kindFunctions(questions)}while :; do\n${inOrder.join("\n")}\nbreak; done\n${always.join("")}${tell("e").trim()}\nprintf '%s X\\n' "$_fn"${options.journal === true ? " || exit 74" : ""}; }\n`;
  return { text, questions };
}

function isAlwaysRead(item: FrameItem | undefined): boolean {
  return item?.item === "read" && item.always === true;
}

type Numbered = NumberedQuestions[number][];

function compileRead(item: ReadItem, at: number, questions: Numbered, hides: boolean, journal: boolean): string {
  if (item.questions.length === 0) return "";
  const script = readScript(item.questions, at, questions, hides);
  // A write error within a script goes unnoticed: if the disk is full, lines of its answer may be missing.
  const whole = (text: string): string => (journal ? `{ ${text}; } || exit 74` : text);
  const end = `printf '\\n%s r ${at}\\n' "$_fn"`;
  return `printf '%s R ${at}\\n' "$_fn"\n${script}\n${whole(journal ? `_frm && ${end}` : end)}`;
}

function readScript(asked: readonly Question[], at: number, questions: Numbered, hides: boolean): string {
  const numbered = asked.map((question, index): NumberedQuestion => {
    const number = questions.length;
    questions.push({ item: at, index, question });
    return { ...question, number };
  });
  const isHidden = (question: Question): boolean => hides && reveals(question);
  const byKind = Map.groupBy(numbered, (question) => (isHidden(question) ? `${question.kind} hidden` : question.kind));
  return [...byKind]
    .map(([group, list]) => {
      const [kind = "", hidden] = group.split(" ");
      const script = kindScript(kind, list);
      return hidden === undefined ? script : `{ ${script}\n} | _fhd ${shellQuote(hiddenNames(kind).join(" "))}`;
    })
    .join("\n");
}

function kindScript(name: string, questions: readonly NumberedQuestion[]): string {
  const kind = kindOf(name);
  if (kind.deadlineSeconds === undefined) {
    const define = kind.functions === undefined ? "" : `${functionsName(name)}\n`;
    return `(\n${define}${kind.read(questions)}\n) </dev/null`;
  }
  const script = scriptOf(kind, questions);
  const late = questions.map(({ number }) => `${number} !no answer within ${kind.deadlineSeconds} s`).join("\n");
  // Use a pipe, not an argument: the script may contain the key of sealed content, and every user can read arguments.
  const piped = `printf %s ${shellQuote(`{\n${script}\n} </dev/null`)} | timeout ${kind.deadlineSeconds} sh`;
  return `${piped}; [ $? -ne 124 ] || echo ${shellQuote(late)}`;
}

function functionsName(kind: string): string {
  return `_fk_${kind}`;
}

/**
 * The shell functions of the kinds in these questions. Each kind's functions are defined inside a wrapper function, so
 * kinds cannot clash.
 */
function kindFunctions(numbered: Numbered): string {
  const names = new Set(numbered.map(({ question }) => question.kind));
  const kinds = [...names].map(kindOf).filter(({ deadlineSeconds }) => deadlineSeconds === undefined);
  return kinds
    .flatMap(({ name, functions }) =>
      functions === undefined ? [] : [`${functionsName(name)}() {\n${functions}\n}\n`],
    )
    .join("");
}

function compileSteps(item: StepsItem, at: number, continued: boolean): string {
  const border = continued ? [] : [`_ftk ${at} ${shellQuote(taskTitle(item))} || break`];
  const one = (step: Step, index: number): string => {
    const code = compileStep(step, item.timeoutSeconds);
    if (code === undefined) throw new FurrowError("E_BUG", { what: `a ${step.step} step cannot be sent in a frame` });
    return `_fi='${at} ${index}'; ${code} || { _fz=1; break; }`;
  };
  const between = (from: number, to: number): string[] =>
    runsOf(item.steps.slice(from, to)).flatMap((part) => {
      const run = { ...part, first: part.first + from };
      return run.together ? [compileTogether(run, at)] : run.steps.map((step, index) => one(step, run.first + index));
    });
  const steps: string[] = [];
  let done = 0;
  for (const batch of batchesOf(item.steps)) {
    steps.push(...between(done, batch.first), compileBatch(batch, at));
    done = batch.first + batch.entries.length;
  }
  return [...border, ...steps, ...between(done, item.steps.length), "_fts ok"].join("\n");
}

/**
 * The task's title as one printable line without secrets. The host stores it for a later run, which reports it if this
 * run was cut off.
 */
function taskTitle({ title, task }: StepsItem): string {
  const text = printMarkers(title ?? task).replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, " ");
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
