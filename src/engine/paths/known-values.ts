import type { Fact } from "../../core/fact.ts";
import type { Implied } from "../../core/implied.ts";

/** A value as it is known. */
export interface Known {
  readonly fact: Fact;
  readonly value: unknown;
  /** Facets the value has; undefined means all there are, as in a prediction. */
  readonly facets: ReadonlySet<string> | undefined;
  /** The task whose prediction this is. */
  readonly by: string | undefined;
}

/** A value with its place in the order of all that was learnt and forgotten. */
export interface Dated extends Known {
  readonly at: number;
  /** The number of the controller's last change before. */
  readonly controllerAt: number;
}

/** A task that may already have brought facts to where a later task wants them: check mode cannot tell. */
export interface Cloud {
  readonly by: string;
  /** True where the task may only bring a fact about: what is right already stays right. */
  readonly provides: boolean;
}

/** What a task's change makes of other things, in check mode. */
export interface Consequence {
  readonly implied: Implied;
  readonly by: string;
  /** The change may not come. */
  readonly perhaps: boolean;
}

/** A fact's value as far as it is known, and which task it depends on if it was not read from the host. */
export interface Lookup {
  readonly value: unknown;
  readonly by: string | undefined;
}
