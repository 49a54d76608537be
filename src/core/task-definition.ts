import type { z } from "zod";
import type { Change, Wanted } from "./compare.ts";
import type { Fact, FactPattern, Facts, Now } from "./fact.ts";
import type { Refusal } from "./refusal.ts";
import type { Step, StepResult } from "./step.ts";

/** What a task module says about itself; help, reference and errors are made from it. */
export interface Card<P extends z.ZodType> {
  readonly name: string;
  /** One sentence that begins with a verb. */
  readonly summary: string;
  /** A strict object, or a union of such; every param described. */
  readonly params: P;
  readonly examples: readonly z.input<P>[];
  /** How a call is named in output; default: the task's name and its first param. */
  readonly title?: (params: z.output<P>) => string;
  /** What check mode cannot tell about this task, in a sentence. */
  readonly cannotPredict?: string;
  /**
   * Facts that the steps may already bring to where a later task wants them: a package's scripts start its service. In check
   * mode `now` has the values of the task's facts, by their names, as far as they are known.
   */
  readonly mayProvide?: (params: z.output<P>, now?: Readonly<Record<string, unknown>>) => readonly FactPattern[];
  /** Things that the steps may take away where its author allows it: no other task of the play may want them there. */
  readonly mayTakeAway?: (params: z.output<P>) => readonly Fact[];
  /**
   * Paths that the steps bring while no fact of the task wants them, `/srv/app/**` for anything below a directory: no other
   * task of the play may remove them.
   */
  readonly brings?: (params: z.output<P>) => readonly string[];
  /** Facts beside its own that the steps touch. Default: none where every step names its path, else `everything`. */
  readonly disturbs?: (params: z.output<P>) => readonly FactPattern[];
  /**
   * Things of which a host has one for one owner, such as a user number: a name of the thing, and whose it is to be. Two
   * tasks of a play that give one to different owners are refused before the run.
   */
  readonly takes?: (params: z.output<P>) => Readonly<Record<string, string>>;
  /** The steps boot the host again: check mode then foresees what is left after a boot. */
  readonly reboots?: boolean;
}

/** What the facts of a task must become; a key left out is not bound. */
export type WantOf<F> = {
  readonly [K in keyof F]?: WantedOf<Exclude<F[K], undefined>> | undefined;
};

type WantedOf<A> =
  A extends Fact<infer T> ? Wanted<T> : A extends readonly Fact<infer T>[] ? readonly (Wanted<T> | undefined)[] : never;

/** The facts that are not as wanted, each with `from` and `to`; a list has undefined where an element is right. */
export type ChangesOf<F> = {
  readonly [K in keyof F]?: ChangeOf<Exclude<F[K], undefined>>;
};

type ChangeOf<A> =
  A extends Fact<infer T> ? Change<T> : A extends readonly Fact<infer T>[] ? readonly (Change<T> | undefined)[] : never;

/** What `steps` may look at. */
export interface StepContext<F> {
  readonly change: ChangesOf<F>;
  readonly now: Now<F>;
  readonly want: WantOf<F>;
}

/** Steps, with gaps and lists for convenience; order is the order of performance. */
export type StepList = readonly (Step | StepList | false | undefined | null | "")[];

/** How a wait asks again. */
export interface Poll {
  /** Seconds between two looks. */
  readonly intervalSeconds: number;
  /** Seconds after which the wait has failed. */
  readonly deadlineSeconds: number;
  /** How many looks in a row must be right; default 1. */
  readonly consecutive?: number;
  /** What is waited for: `https://10.0.0.1/ping to answer 200`. */
  readonly waitsFor: string;
}

/** A task module with its types taken off: what the engine works with. */
export interface TaskDefinition {
  readonly card: Card<z.ZodType>;
  readonly stages: readonly ((params: never, now: never) => Facts)[];
  readonly want: (params: never, now: never) => Readonly<Record<string, unknown>> | Refusal;
  readonly steps: (params: never, context: never) => StepList;
  readonly outputs?: (params: never, now: never, results: readonly StepResult[] | undefined) => unknown;
  readonly notes?: (params: never, now: never, results: readonly StepResult[] | undefined) => readonly string[];
  readonly poll?: (params: never) => Poll;
}
