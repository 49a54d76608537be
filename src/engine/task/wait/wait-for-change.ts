import { isControllerFact, listFacts } from "../../../core/facts/fact.ts";
import { now } from "../../../core/world.ts";
import { pause } from "../pause.ts";
import type { AttemptContext, TaskFacts } from "../task-context.ts";

/** The shortest time between two checks, in milliseconds, however often the thing changes. */
const soonMs = 250;
/**
 * Milliseconds between two checks while a driver observes the thing. Only a check finds changes that the driver does
 * not observe, such as new events.
 */
const lateMs = 15_000;

/** The times of a wait, in milliseconds. */
interface Times {
  /** The time between two checks if nothing observes the thing. */
  readonly intervalMs: number;
  /** The time until the deadline. */
  readonly leftMs: number;
}

/**
 * Pauses a wait until its facts may have changed; if the facts cannot be observed, for the length of the interval.
 * Throws Stopped if the run is stopped, and AbortError if it is ended.
 */
export async function waitForChange(
  found: TaskFacts | undefined,
  { intervalMs, leftMs }: Times,
  context: AttemptContext,
): Promise<void> {
  const began = now();
  const over = new AbortController();
  const signals = { signal: context.signal, stop: AbortSignal.any([context.stop, over.signal]) };
  const until = (ms: number): Promise<void> => pause(Math.max(0, Math.min(ms, leftMs) - (now() - began)), signals);
  const observed = found && !context.simulation && (await observe(found, context));
  if (!observed) return until(intervalMs);
  const noticed = observed(AbortSignal.any([signals.signal, signals.stop])).then(
    () => until(Math.min(soonMs, intervalMs)),
    () => until(intervalMs),
  );
  const late = until(Math.max(lateMs, intervalMs));
  try {
    await Promise.race([noticed, late]);
  } finally {
    for (const rest of [noticed, late]) rest.catch(() => undefined);
    over.abort();
  }
}

type Observe = (signal: AbortSignal) => Promise<void>;

/** Returns a function that waits for the first change to any of the facts; undefined if a fact cannot be observed. */
async function observe({ facts, values }: TaskFacts, { drivers }: AttemptContext): Promise<Observe | undefined> {
  const all: Observe[] = [];
  for (const { name, index, fact } of listFacts(facts)) {
    const driver = isControllerFact(fact) ? await drivers(fact.driver) : undefined;
    if (driver?.changed === undefined || !isControllerFact(fact)) return undefined;
    const found = index === undefined ? values[name] : (values[name] as readonly unknown[])[index];
    all.push((signal) => driver.changed?.(fact.request, found, signal) ?? Promise.resolve());
  }
  if (all.length === 0) return undefined;
  return (signal) => Promise.race(all.map((begin) => begin(signal)));
}
