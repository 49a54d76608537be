import { FurrowError } from "../core/errors.ts";
import { linesOf } from "../core/facts/expectation.ts";
import { factId, type Question } from "../core/facts/fact.ts";
import type { Answer, Expectation, Frame, FrameItem, FrameListener, ItemResult, Session } from "../core/host/frame.ts";
import { kindOf, type Lines } from "../core/facts/kind.ts";
import type { Step, StepResult } from "../core/host/step.ts";
import { absent, isRecord } from "../core/facts/symbols.ts";

/** Applies a step to a simulated host and returns its result. Throws to simulate a lost link. */
export type SimulatedStep = (step: Step, state: Map<string, unknown>) => StepResult;

/** Counters of the requests to a simulated host. */
export interface SimulatedCounts {
  frames: number;
  questions: number;
  steps: number;
  /** Number of failed guards. */
  surprises: number;
}

/**
 * A host that exists only in memory. A map from fact ids to values answers facts (`absent` for an unknown id), and a
 * function performs steps. Frames follow the rules of real ones: items run in order, and the first failed step ends the
 * frame.
 */
export class SimulatedHost {
  readonly state: Map<string, unknown>;
  readonly counts: SimulatedCounts = { frames: 0, questions: 0, steps: 0, surprises: 0 };
  readonly #act: SimulatedStep;
  readonly #prompt: boolean;

  /** If `prompt` is true, the host answers immediately. This is for callers that do nothing else while they wait. */
  constructor(state: ReadonlyMap<string, unknown>, act: SimulatedStep, prompt = false) {
    this.state = new Map(state);
    this.#act = act;
    this.#prompt = prompt;
  }

  /** Opens a session as root. `stop` is aborted when no further task of a frame may begin. */
  open(stop?: AbortSignal): Session {
    return {
      user: "root",
      frame: (frame, listener) => this.#frame(frame, listener, stop),
      fetch: () => Promise.reject(new FurrowError("E_STEP", { what: "a simulated host has no files to fetch" })),
      stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1, frames: this.counts.frames }),
      close: () => Promise.resolve(),
    };
  }

  async #frame({ items }: Frame, listener: FrameListener, stop: AbortSignal | undefined): Promise<ItemResult[]> {
    this.counts.frames += 1;
    const results: ItemResult[] = [];
    let ended: "failed" | "guarded" | undefined;
    for (const [index, item] of items.entries()) {
      // Sometimes wait, so that the listener runs first; sometimes do not, so that the host gets ahead of it.
      if (!this.#prompt && index % 3 === 0) await new Promise(setImmediate);
      const further = item.item === "steps" && items.slice(0, index).some((before) => before.item === "steps");
      if (further && stop?.aborted === true) ended ??= "failed";
      const always = item.item === "read" && item.always === true && ended !== "failed";
      if (ended !== undefined && !always) {
        results.push({ item: "skipped" });
        continue;
      }
      const result = this.#item(item, listener);
      results.push(result);
      listener.item?.(index, result);
      if (result.item === "steps" && result.failed) ended = "failed";
      if (result.item === "guard" && !result.held) {
        this.counts.surprises += 1;
        ended = "guarded";
      }
    }
    return results;
  }

  #item(item: FrameItem, listener: FrameListener): ItemResult {
    if (item.item === "read") return { item: "read", answers: this.#answers(item.questions) };
    if (item.item === "guard") {
      const answers = this.#answers(item.expected.map(({ question }) => question));
      const held = item.expected.every((expectation) => this.#holds(expectation));
      return { item: "guard", held, answers };
    }
    const results: StepResult[] = [];
    for (const [index, step] of item.steps.entries()) {
      this.counts.steps += 1;
      const result = this.#act(step, this.state);
      results.push(result);
      if (result.stdout !== "")
        listener.output({ task: item.task, step: index, stream: "stdout", text: result.stdout });
      if (result.exitCode !== 0) {
        const error = new FurrowError("E_STEP", {
          what: "a simulated step failed",
          current: `exit code ${result.exitCode}`,
        });
        return { item: "steps", results, failed: { index, error } };
      }
    }
    return { item: "steps", results };
  }

  #answers(questions: readonly Question[]): Answer[] {
    this.counts.questions += questions.length;
    return questions.map((question) => ({ value: this.#value(factId(question)) }));
  }

  /** True if all lines are as expected. Ignores volatile and open lines, as a real host does. */
  #holds({ question, lines, open = [] }: Expectation): boolean {
    const { volatile = [] } = kindOf(question.kind);
    if (open.includes("*")) return true;
    const looked = (all: Lines): string =>
      Object.entries(all)
        .filter(([name]) => !open.includes(name) && !volatile.includes(name))
        .map(([name, value]) => `${name}=${value}`)
        .toSorted()
        .join("\n");
    return looked(linesOf(question, this.#value(factId(question)))) === looked(lines);
  }

  #value(id: string): unknown {
    return copyOf(this.state.get(id)) ?? absent;
  }
}

/** Copies plain data, so that callers cannot change the host's data. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(value)) copy[name] = copyOf(part);
  return copy;
}
