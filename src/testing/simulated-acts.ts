import { type Failure, FurrowError, isFurrowError } from "../core/errors.ts";
import type { Bound } from "../core/authoring/evaluate.ts";
import { factId, isControllerFact, type Json, type Question } from "../core/facts/fact.ts";
import type { Answer, Frame, FrameItem, FrameListener, ItemResult, Session } from "../core/host/frame.ts";
import { predictionOf } from "../core/facts/prediction.ts";
import { describeStep, type RunStep, type Step, type StepResult } from "../core/host/step.ts";
import type { Poll } from "../core/authoring/task-definition.ts";
import type { Simulation } from "../engine/plan/simulation.ts";
import { hostHttpKind } from "../facts/network/host-http.ts";
import { plausible } from "./plausible.ts";
import type { SimulatedThings } from "./simulated-world.ts";

const word = "simulated";
const done: StepResult = { exitCode: 0, stdout: "", stderr: "" };

/** A task's steps while they are sent to a host, with the facts that they change. */
interface Order {
  readonly steps: readonly Step[];
  readonly facts: readonly Bound[];
}

/**
 * Performs steps on simulated hosts. The engine sends placeholder steps that refer to an order. An order contains a
 * task's real steps, and the facts that they change. After the last step of an order, the values that the task wants
 * become the host's state.
 */
export class SimulatedActs implements Simulation {
  /** The values that tasks have changed on the controller, by fact id. */
  readonly controller = new Map<string, unknown>();
  readonly #places: ReadonlyMap<string, SimulatedThings>;
  readonly #perform: (step: Step, host: string) => Partial<StepResult> | undefined;
  readonly #web: ((request: Json) => unknown) | undefined;
  readonly #orders: Order[] = [];
  #microseconds = 1_000_000;

  constructor(
    places: ReadonlyMap<string, SimulatedThings>,
    perform: (step: Step, host: string) => Partial<StepResult> | undefined,
    web?: (request: Json) => unknown,
  ) {
    this.#places = places;
    this.#perform = perform;
    this.#web = web;
  }

  steps(_host: string, facts: readonly Bound[], steps: readonly Step[]): readonly Step[] {
    const order = this.#orders.push({ facts, steps }) - 1;
    return steps.map((step, at): RunStep => ({
      step: "run",
      argv: [word, String(order), String(at)],
      label: describeStep(step),
      ...(step.user !== undefined && { user: step.user }),
    }));
  }

  poll(poll: Poll): Poll {
    return { ...poll, intervalSeconds: 0.001, deadlineSeconds: 0, consecutive: 1 };
  }

  unmet({ waitsFor }: Poll): Failure {
    return {
      what: `a simulation does not wait, but a task waits for ${waitsFor}`,
      hint: "Make it true before the wait: in the test's state, in comesWith or with a driver",
    };
  }

  /** Opens a session on a simulated host. */
  open(host: string): Session {
    let frames = 0;
    const no = new FurrowError("E_STEP", { what: "a simulated host has no files to fetch" });
    return {
      user: "root",
      frame: async (frame, listener) => {
        frames += 1;
        return this.#frame(host, frame, listener);
      },
      fetch: () => Promise.reject(no),
      stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 1, frames }),
      close: () => Promise.resolve(),
    };
  }

  async #frame(host: string, frame: Frame, listener: FrameListener): Promise<ItemResult[]> {
    let ended = false;
    const results: ItemResult[] = [];
    for (const [index, item] of frame.items.entries()) {
      const result: ItemResult = ended ? { item: "skipped" } : await this.#item(host, item, listener);
      results.push(result);
      if (ended) continue;
      listener.item?.(index, result);
      ended = result.item === "steps" && result.failed !== undefined;
    }
    return results;
  }

  async #item(host: string, item: FrameItem, listener: FrameListener): Promise<ItemResult> {
    const things = this.#places.get(host);
    if (things === undefined) throw new FurrowError("E_UNREACHABLE", { what: `no host "${host}" is simulated` });
    if (item.item === "read") {
      const values = item.questions.map((question) => this.#value(things, question));
      return { item: "read", answers: (await Promise.all(values)).map(answerOf) };
    }
    if (item.item === "guard") return { item: "guard", held: true, answers: [] };
    const results: StepResult[] = [];
    for (const [index, step] of item.steps.entries()) {
      const { result, ok } = this.#step(host, things, step);
      results.push(result);
      for (const stream of ["stdout", "stderr"] as const) {
        if (result[stream] !== "") listener.output({ task: item.task, step: index, stream, text: result[stream] });
      }
      if (!ok) return { item: "steps", results, failed: { index, error: failed(step, result) } };
    }
    return { item: "steps", results };
  }

  /** The value of a fact. The test answers web requests from a host as it answers those from the controller. */
  async #value(things: SimulatedThings, question: Question): Promise<unknown> {
    if (question.kind !== hostHttpKind.name || this.#web === undefined || things.given(question) !== undefined) {
      return things.value(question);
    }
    return plausible(question, await this.#web(JSON.parse(question.key) as Json), 0);
  }

  #step(host: string, things: SimulatedThings, sent: Step): { readonly result: StepResult; readonly ok: boolean } {
    const [first, order = "", at = ""] = sent.step === "run" ? sent.argv : [];
    const known = first === word ? this.#orders[Number(order)] : undefined;
    const step = known?.steps[Number(at)];
    if (known === undefined || step === undefined) return { result: done, ok: true };
    const result = { ...done, ...this.#perform(step, host) };
    const ok = ((step.step === "run" && step.okExit) || [0]).includes(result.exitCode);
    if (ok && Number(at) === known.steps.length - 1) this.#become(things, known.facts, sent.user ?? "root");
    return { result, ok };
  }

  #become(things: SimulatedThings, facts: readonly Bound[], user: string): void {
    this.#microseconds += 1_000_000;
    things.become(facts, user, this.#microseconds);
    for (const { fact, now, wanted } of facts) {
      if (isControllerFact(fact) && wanted !== undefined) {
        this.controller.set(factId(fact), predictionOf(fact, now, wanted, { user }));
      }
    }
  }
}

function answerOf(value: unknown): Answer {
  return isFurrowError(value) ? { error: value } : { value };
}

function failed(step: Step, { exitCode, stderr }: StepResult): FurrowError {
  return new FurrowError("E_STEP", {
    what: `"${describeStep(step)}" failed`,
    current: `exit code ${exitCode}`,
    ...(stderr !== "" && { details: [stderr.trimEnd()] }),
  });
}
