import type { Values } from "../../core/evaluate.ts";
import type { FactChange } from "../../core/events.ts";
import { factId, type FactPattern } from "../../core/fact.ts";
import { questionsAhead } from "./read-ahead.ts";
import { factChanges, shownValues } from "../task/fact-changes.ts";
import { type AttemptContext, knownNow, tasksAhead } from "../task/task-context.ts";
import { Forecast } from "./forecast.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import type { Performed } from "../task/perform-steps.ts";
import { learn } from "../host/read-facts.ts";
import { scriptOf } from "./forecast-frame.ts";
import { Stopped } from "../task/stopped.ts";
import { Misforeseen, type Tape, type TapedTask } from "./sent-frame.ts";

/** What became of a task's steps, and what reports say of the change. */
export interface Acted extends Performed {
  readonly changes: readonly FactChange[];
  /** What was read behind the steps, by fact id: the frame may be lost, and all knowledge with it, before it is looked at. */
  readonly held?: ReadonlyMap<string, unknown>;
}

/**
 * Takes a task's part from the tape that plays. Where none does, the coming tasks are foreseen and sent with it. Throws
 * Misforeseen where the tape holds other steps than the task's, Stopped where the host was told to stop before them.
 */
export async function takeFromTape(
  change: ForeseenChange,
  values: Values,
  patterns: readonly FactPattern[],
  context: AttemptContext,
): Promise<Acted> {
  const { host, deck, diff } = context;
  const tape = deck.tape ?? (await sendAhead(change, values, context));
  const part = await claim(tape, change, context);
  const shown = part.shown === undefined ? undefined : shownValues(await tape.reading(part.shown));
  const changes = factChanges(change.decision.facts, diff, shown);
  host.knowledge.forget(patterns);
  for (const { fact, value } of tape.kept) host.knowledge.learn(fact, value);
  for (const step of change.steps) context.onStep(step);
  const acted = await tape.acts(part, context.onOutput);
  if (acted.item !== "steps") throw new Stopped();
  const { results } = acted;
  if (acted.failed) {
    host.knowledge.forget(tape.script.kept.map(({ fact }) => factId(fact)));
    await deck.abandon();
    return { changes, results, failed: acted.failed.error, errors: new Map() };
  }
  const after = await tape.after(part);
  // What has joined a change that acted is done, and is decided on what was there before all the same.
  if (!after.held) host.knowledge.forget(tape.unkept.map(({ fact }) => factId(fact)));
  const errors = learn(after, host);
  const held = knownNow(change.facts, host);
  if (!after.held || tape.next === undefined) {
    await tape.ended();
    learn(await tape.reading(tape.script.ahead), host);
    if (after.held) deck.stop();
    else deck.surprise();
  }
  return { changes, results, failed: undefined, errors, held };
}

async function claim(tape: Tape, change: ForeseenChange, { deck }: AttemptContext): Promise<TapedTask> {
  try {
    return tape.claim(change.task.id, change.steps);
  } catch (error) {
    if (error instanceof Misforeseen) await deck.abandon();
    throw error;
  }
}

async function sendAhead(change: ForeseenChange, values: Values, context: AttemptContext): Promise<Tape> {
  const { host, deck, diff, signal, drivers, playHost, outputs, hostFor } = context;
  const forecast = new Forecast({
    knowledge: host.knowledge,
    playHost,
    outputs,
    drivers,
    signal,
    user: (await host.session(signal)).user,
    guess: !deck.surprised,
    isHere: (task) => hostFor(task) === host,
  });
  await forecast.from(change, values, context.coming(forecast.lookup));
  const next = tasksAhead(context, new Set(forecast.tasks));
  const ahead = questionsAhead(next, forecast.shadow, forecast.lookup, host.user);
  return deck.play(host, scriptOf(forecast, ahead, { diff, user: host.user }), signal);
}
