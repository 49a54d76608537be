import { type Fact, factId, isControllerFact } from "../../core/facts/fact.ts";
import type { Implied } from "../../core/facts/implied.ts";

/** A known value of a fact. */
export interface Known {
  readonly fact: Fact;
  readonly value: unknown;
  /** Facets that the value has; undefined means all of them, as in a prediction. */
  readonly facets: ReadonlySet<string> | undefined;
  /** The task that predicted this value. */
  readonly by: string | undefined;
}

/** True if a known value has all facets that a fact asks for. */
export function covers(known: Known, fact: Fact): boolean {
  return isControllerFact(fact) || known.facets === undefined || fact.facets.every((facet) => known.facets?.has(facet));
}

/** When a value was recorded: its position among all events of the run (values that were learned or forgotten). */
export interface Stamp {
  readonly at: number;
  /** The time at which the value was recorded, in milliseconds. */
  readonly recordedAt: number;
  /** The number of controller changes when the value was recorded. */
  readonly controllerAt: number;
}

/** A value, and when it was recorded. */
export interface TimedValue extends Known, Stamp {}

/**
 * A task that may already have set some facts to the values that a later task wants; check mode cannot tell whether it
 * has.
 */
export interface Uncertainty {
  readonly by: string;
  /** True if the task can only provide a fact: a fact that already has the wanted value stays the same. */
  readonly provides: boolean;
  /** The ids of things that exist after the task. */
  readonly certainly?: ReadonlySet<string>;
}

/** The implications of a task's change for other facts, in check mode. */
export interface Consequence {
  readonly implied: Implied;
  readonly by: string;
  /** True if it is unknown whether the change happens. */
  readonly isUncertain: boolean;
}

/** The known value of a fact, and the task that the value depends on if it was not read from the host. */
export interface Lookup {
  readonly value: unknown;
  readonly by: string | undefined;
}

/** The key under which a value is stored. The secret view of a thing has a different key from its plain view. */
export function viewOf(fact: Fact): string {
  return isSecretView(fact) ? `${factId(fact)}#secret` : factId(fact);
}

/** True if only a hash of the fact's value leaves the host. */
export function isSecretView(fact: Fact): boolean {
  return !isControllerFact(fact) && fact.secret === true;
}
