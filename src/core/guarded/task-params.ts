import type { TaskDefinition } from "../authoring/task-definition.ts";
import { guardParams } from "./role-params.ts";

type Card = TaskDefinition["card"];

/** A function whose first argument is a task's params. */
type OfParams = (params: never, ...more: readonly never[]) => unknown;

/**
 * The card of a task that a user wrote. The task's functions receive guarded params: reading an unknown one throws
 * FurrowError E_PLAYBOOK.
 */
export function guardCard(card: Card): Card {
  const named = { ...card } as Record<string, unknown>;
  for (const name of [
    "title",
    "mayProvide",
    "certainlyProvides",
    "mayAlter",
    "mayTakeAway",
    "brings",
    "disturbs",
    "takes",
    "keeps",
    "changesOnly",
  ] satisfies (keyof Card)[]) {
    const own = card[name];
    if (typeof own === "function") named[name] = guardFunction(card, own as OfParams);
  }
  return named as unknown as Card;
}

/**
 * The steps of a task that a user wrote: like {@link guardFunction}, but the result contains plain copies of params,
 * because a step is plain data that can be cloned.
 */
export function guardSteps<T extends OfParams>(card: Card, own: T): T {
  const guardedSteps = guardFunction(card, own);
  return ((...args: readonly never[]) => plainCopy(guardedSteps(...(args as [never])))) as T;
}

/** A copy of plain data without guards. Everything else, such as a secret or bytes, stays the same object. */
function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainCopy(part)]));
}

/** Wraps a function of a task that a user wrote, such as `want`, so that it receives guarded params. */
export function guardFunction<T extends OfParams | undefined>(card: Card, own: T): T {
  if (own === undefined) return own;
  const guard = (params: unknown): never => guardParams(card.params, params, `the task ${card.name}`) as never;
  return ((params: never, ...more: readonly never[]) => own(guard(params), ...more)) as T;
}
