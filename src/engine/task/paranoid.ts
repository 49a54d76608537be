import { canonical, differences } from "../../core/facts/compare.ts";
import { FurrowError } from "../../core/errors.ts";
import { factId, type FactPattern, namesFact, type Question } from "../../core/facts/fact.ts";
import type { Answer } from "../../core/host/frame.ts";
import { kindOf } from "../../core/facts/kind.ts";
import type { OutputLookup } from "../../core/authoring/ref.ts";
import { printMarkers } from "../../core/secrets/secret.ts";
import { describeStep, type Step } from "../../core/host/step.ts";
import { absent, isRecord } from "../../core/facts/symbols.ts";
import type { Host } from "../host/host.ts";
import type { Planned } from "../plan/plan.ts";
import { allTasks, questionsOfAll } from "../plan/play-facts.ts";

/** Checks after each step of a task that the step changed only what the task names or declares. */
export interface Watch {
  /** Throws FurrowError E_UNDECLARED. */
  after(step: Step): Promise<void>;
}

/** A host's answers, by view (the key of a plain or secret fact). */
type Picture = ReadonlyMap<string, { readonly question: Question; readonly answer: Answer }>;

/** The number of rounds of questions: enough for facts whose stages build on each other. */
const rounds = 6;

/**
 * Checks what tasks declare: before a task's steps and after each of them, reads all facts that the play names. Nothing
 * is sent ahead, and a task's steps are sent one by one. Meant for task authors; it costs two round trips per step.
 */
export class Paranoia {
  readonly #plan: readonly Planned[];
  readonly #lookup: OutputLookup;

  /** @param lookup outputs so far, because params may be derived from them */
  constructor(plan: readonly Planned[], lookup: OutputLookup) {
    this.#plan = plan;
    this.#lookup = lookup;
  }

  /** Starts to watch a task. `may`: the facts that the task declares it may touch. */
  async watch(host: Host, may: readonly FactPattern[], signal: AbortSignal): Promise<Watch> {
    let before = await this.#look(host, signal);
    return {
      after: async (step) => {
        const after = await ask(
          [...before.values()].map(({ question }) => question),
          host,
          signal,
        );
        const touched = [...before]
          .filter(([view, { question, answer }]) => {
            const now = after.get(view);
            return now !== undefined && !namesFact(may, factId(question)) && !isSame(question, answer, now.answer);
          })
          .map(([view, was]) => ({ ...was, now: after.get(view)?.answer ?? was.answer }));
        before = after;
        if (touched.length === 0) return;
        host.knowledge.forgetAll();
        throw undeclared(step, touched, may);
      },
    };
  }

  /** All facts of the play's tasks on a host. Facts of later stages are read once those of earlier stages are known. */
  async #look(host: Host, signal: AbortSignal): Promise<Picture> {
    const tasks = allTasks(this.#plan, this.#lookup).filter(({ target }) => target === host.name);
    let picture: Picture = new Map();
    for (let round = 0; round < rounds; round += 1) {
      const known = picture;
      const valueOf = (view: string): unknown => {
        const answer = known.get(view)?.answer;
        return answer !== undefined && "value" in answer ? answer.value : undefined;
      };
      const questions = questionsOfAll(tasks, this.#lookup, valueOf);
      const open = [...questions].filter(
        ([view, { facets }]) => canonical(known.get(view)?.question.facets) !== canonical(facets),
      );
      if (open.length === 0) break;
      const answered = await ask(
        open.map(([, question]) => question),
        host,
        signal,
      );
      picture = new Map([...known, ...answered]);
    }
    return picture;
  }
}

async function ask(questions: readonly Question[], host: Host, signal: AbortSignal): Promise<Picture> {
  const sorted = questions.toSorted((a, b) => (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : 0));
  if (sorted.length === 0) return new Map();
  const [result] = await host.frame({ items: [{ item: "read", questions: sorted }] }, signal);
  const answers = result?.item === "read" ? result.answers : [];
  return new Map(
    sorted.flatMap((question, index) => {
      const answer = answers[index];
      return answer ? [[`${factId(question)}${question.secret === true ? "#secret" : ""}`, { question, answer }]] : [];
    }),
  );
}

function isSame(question: Question, a: Answer, b: Answer): boolean {
  if ("error" in a || "error" in b) return "error" in a && "error" in b;
  return canonical(steady(question, a.value)) === canonical(steady(question, b.value));
}

/** Returns a value without the parts that change by themselves. */
function steady(question: Question, value: unknown): unknown {
  const { volatile = [], unwatched = volatile, print } = kindOf(question.kind);
  const lines = print === undefined || value === absent ? value : print(value, question);
  if (!isRecord(lines)) return lines;
  return Object.fromEntries(Object.entries(lines).filter(([name]) => !unwatched.includes(name)));
}

interface Touched {
  readonly question: Question;
  readonly answer: Answer;
  readonly now: Answer;
}

function undeclared(step: Step, touched: readonly Touched[], may: readonly FactPattern[]): FurrowError {
  const ids = touched.map(({ question }) => factId(question));
  return new FurrowError("E_UNDECLARED", {
    what: `the step "${describeStep(step)}" changed ${ids.slice(0, 3).join(", ")}${ids.length > 3 ? ` and ${ids.length - 3} more` : ""}, which the task neither names nor declares`,
    current: describeChange(touched[0] as Touched),
    expected: `changes only to ${may.length === 0 ? "what is in its params" : [...new Set(may)].slice(0, 12).join(", ")}`,
    details: touched.slice(1, 12).map((one) => `${factId(one.question)} ${describeChange(one)}`),
    hint: `Add a pattern for this fact to the task module's card, disturbs: () => ["${ids[0]}"], or, for your own command, to the command's param \`disturbs\``,
  });
}

function describeChange({ question, answer, now }: Touched): string {
  if (question.secret === true) return "«secret»";
  if ("error" in answer || "error" in now) return "error" in now ? "can no longer be read" : "can be read now";
  const { volatile = [], unwatched = volatile } = kindOf(question.kind);
  return differences(answer.value, now.value)
    .filter(({ path }) => !unwatched.includes(path))
    .map(({ path, from, to }) => `${path === "" ? "" : `${path} `}${show(from)} → ${show(to)}`)
    .join(", ");
}

function show(value: unknown): string {
  if (value === absent) return "absent";
  const text = printMarkers(JSON.stringify(value) ?? "nothing");
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
