import type { Values } from "../../core/authoring/evaluate.ts";
import { exactly, factId, type FactPattern } from "../../core/facts/fact.ts";
import { questionsAhead } from "./read-ahead.ts";
import { factChanges, shownValues } from "../task/fact-changes.ts";
import { type AttemptContext, knownNow } from "../task/task-context.ts";
import { type ReadWindow, tasksAhead } from "./read-window.ts";
import type { SentFrameTurn } from "./sent-frame-turn.ts";
import { type PerformedTask, WrongForecast } from "../task/performer.ts";
import { Forecast } from "./forecast.ts";
import type { ForeseenChange } from "../plan/foreseen-change.ts";
import { learn } from "../host/read-facts.ts";
import { forecastFrame } from "./forecast-frame.ts";
import { Stopped } from "../task/stopped.ts";
import type { SentFrame, SentTask } from "./sent-frame.ts";

/** The context needed to take a task's results, whether or not its steps were sent ahead. */
export interface TakeSetting {
  readonly context: AttemptContext;
  readonly turn: SentFrameTurn;
  readonly window: ReadWindow;
}

/**
 * Takes a task's results from the frame that was sent. If none was sent, forecasts the upcoming tasks and sends them
 * together with this one. Throws WrongForecast if the frame contains different steps for the task, and Stopped if the
 * host was told to stop before these steps.
 */
export async function takeResults(
  change: ForeseenChange,
  values: Values,
  patterns: readonly FactPattern[],
  setting: TakeSetting,
): Promise<PerformedTask> {
  const { context, turn } = setting;
  const { host, diff } = context;
  const frame = turn.frame ?? (await sendAhead(change, values, setting));
  const part = await claim(frame, change, turn);
  const shown = part.shown === undefined ? undefined : shownValues(await frame.reading(part.shown));
  const changes = factChanges(change.decision.facts, diff, shown);
  host.knowledge.forget(patterns);
  for (const { fact, value } of frame.unguardedNow) host.knowledge.learn(fact, value);
  for (const step of change.steps) context.onStep(step);
  const acted = await frame.stepsResult(part, context.onOutput);
  if (acted.item !== "steps") throw new Stopped();
  const { results } = acted;
  if (acted.failed) {
    host.knowledge.forget(frame.forecast.unguarded.map(({ fact }) => exactly(factId(fact))));
    await turn.abandon();
    return { changes, results, failed: acted.failed.error, errors: new Map() };
  }
  const after = await frame.readingAfter(part);
  // A later task may have joined its work to this change. The joined work is done, but the later task's decision was
  // based on the earlier values.
  if (!after.held) host.knowledge.forget(frame.unguardedOfTasksNotRun.map(({ fact }) => exactly(factId(fact))));
  const errors = learn(after, host);
  const held = knownNow(change.facts, host);
  if (!after.held || frame.next === undefined) {
    await frame.ended();
    learn(await frame.reading(frame.forecast.ahead), host);
    if (after.held) turn.stop();
    else turn.guardFailed();
  }
  return { changes, results, failed: undefined, errors, held };
}

async function claim(frame: SentFrame, change: ForeseenChange, turn: SentFrameTurn): Promise<SentTask> {
  try {
    return frame.claim(change.task.id, change.steps);
  } catch (error) {
    if (error instanceof WrongForecast) await turn.abandon();
    throw error;
  }
}

async function sendAhead(
  change: ForeseenChange,
  values: Values,
  { context, turn, window }: TakeSetting,
): Promise<SentFrame> {
  const { host, diff, signal, drivers, playHost, outputs, hostFor, confirm, conflicts } = context;
  const forecast = new Forecast({
    knowledge: host.knowledge,
    playHost,
    outputs,
    drivers,
    signal,
    user: (await host.session(signal)).user,
    knownUser: host.user,
    guess: !turn.hasGuardFailed,
    isGuarded: confirm && ((facts, steps) => confirm.waysOf(facts, steps, host) !== undefined),
    isHere: (task) => hostFor(task) === host,
    conflicts,
  });
  await forecast.from(change, values, context.upcoming(forecast.lookup));
  const next = tasksAhead(context, window, new Set(forecast.tasks));
  const ahead = questionsAhead(next, forecast.predicted, forecast.lookup, host.user);
  return turn.send(host, forecastFrame(forecast, ahead, { diff, user: host.user }), signal);
}
