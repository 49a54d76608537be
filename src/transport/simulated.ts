import { FurrowError } from "../core/errors.ts";
import { factId } from "../core/fact.ts";
import type { Frame, FrameItem, ItemResult, Session, StepOutput } from "../core/frame.ts";
import type { Step, StepResult } from "../core/step.ts";
import { absent } from "../core/symbols.ts";

/** What a step does to a simulated host: gives its result; throws to simulate a lost link. */
export type SimulatedStep = (step: Step, state: Map<string, unknown>) => StepResult;

/** Counters of what a simulated host was asked to do. */
export interface SimulatedCounts {
  frames: number;
  questions: number;
  steps: number;
}

/**
 * A host that exists only in memory: facts are answered from a map by fact id (`absent` where it has none), steps are
 * done by a function. Frames follow the rules of real ones: in order, ended by the first step that fails.
 */
export class SimulatedHost {
  readonly state: Map<string, unknown>;
  readonly counts: SimulatedCounts = { frames: 0, questions: 0, steps: 0 };
  readonly #act: SimulatedStep;

  constructor(state: ReadonlyMap<string, unknown>, act: SimulatedStep) {
    this.state = new Map(state);
    this.#act = act;
  }

  /** Opens a session of its root. */
  open(): Session {
    return {
      user: "root",
      frame: (frame, onOutput) => Promise.resolve().then(() => this.#frame(frame, onOutput)),
      fetch: () => Promise.reject(new FurrowError("E_STEP", { what: "a simulated host has no files to fetch" })),
      stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1, frames: this.counts.frames }),
      close: () => Promise.resolve(),
    };
  }

  #frame(frame: Frame, onOutput: (output: StepOutput) => void): ItemResult[] {
    this.counts.frames += 1;
    let ended = false;
    return frame.items.map((item): ItemResult => {
      if (ended) return { item: "skipped" };
      const result = this.#item(item, onOutput);
      ended = (result.item === "steps" && result.failed !== undefined) || (result.item === "guard" && !result.held);
      return result;
    });
  }

  #item(item: FrameItem, onOutput: (output: StepOutput) => void): ItemResult {
    if (item.item === "read") {
      this.counts.questions += item.questions.length;
      return { item: "read", answers: item.questions.map((question) => ({ value: this.#value(factId(question)) })) };
    }
    if (item.item === "guard") return { item: "guard", held: true, answers: [] };
    const results: StepResult[] = [];
    for (const [index, step] of item.steps.entries()) {
      this.counts.steps += 1;
      const result = this.#act(step, this.state);
      results.push(result);
      if (result.stdout !== "") onOutput({ task: item.task, step: index, stream: "stdout", text: result.stdout });
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

  #value(id: string): unknown {
    return structuredClone(this.state.get(id)) ?? absent;
  }
}
