import type { z } from "zod";
import type { Change, Wanted } from "../facts/compare.ts";
import type { Fact, FactPattern, Facts, Now } from "../facts/fact.ts";
import type { Refusal } from "./refusal.ts";
import type { Step, StepResult } from "../host/step.ts";

/** The description of a task module; help, reference and errors are generated from it. */
export interface Card<P extends z.ZodType> {
  readonly name: string;
  /** One sentence that begins with a verb. */
  readonly summary: string;
  /** A strict object schema, or a union of these; every param has a description. */
  readonly params: P;
  readonly examples: readonly z.input<P>[];
  /** The title of a call in output; default: the task's name and its first param. */
  readonly title?: (params: z.output<P>) => string;
  /** A description of what check mode cannot know about this task; completes "Check mode cannot tell: ". */
  readonly cannotPredict?: string;
  /**
   * Facts that the steps may already set to the values that a later task wants: a package's scripts may start the
   * package's service. In check mode, `now` contains the known values of the task's facts, keyed by name.
   */
  readonly mayProvide?: (params: z.output<P>, now?: Readonly<Record<string, unknown>>) => readonly FactPattern[];
  /**
   * Ids of facts, besides the task's own, about things that exist once the task has run, such as a package's program.
   * `mayProvide` must match them too. In check mode, a later task that only needs such a thing is not undecided.
   */
  readonly certainlyProvides?: (params: z.output<P>) => readonly string[];
  /**
   * Facts that the steps may change unpredictably, whatever their current values. In check mode, a later task that
   * wants one of them is _undecided_, even if the fact matches now.
   */
  readonly mayAlter?: (params: z.output<P>) => readonly FactPattern[];
  /**
   * True if the steps change nothing at all. Check mode then performs them too, so that the task's output is known, and
   * the task is _ok_ instead of _changed_.
   */
  readonly readsOnly?: (params: z.output<P>) => boolean;
  /**
   * For a task that `readsOnly`: what its steps read. Undefined means that they may read anything, so check mode does
   * not perform them after a change.
   */
  readonly reads?: (params: z.output<P>) => readonly FactPattern[] | undefined;
  /** True if the output of the steps is secret: no report shows it, and `outputs` receives it as secrets. */
  readonly secretOutput?: (params: z.output<P>) => boolean;
  /**
   * Things that the steps may remove if the playbook's author allows it. No other task in the play may want these
   * things to be present.
   */
  readonly mayTakeAway?: (params: z.output<P>) => readonly Fact[];
  /**
   * Paths that the steps create although the task's want does not name them; `/srv/app/**` covers everything below a
   * directory. No other task in the play may remove them.
   */
  readonly brings?: (params: z.output<P>) => readonly string[];
  /**
   * Facts, besides the task's own, that the steps may change. Default: none if every step names its path, otherwise
   * `everything`.
   */
  readonly disturbs?: (params: z.output<P>) => readonly FactPattern[];
  /**
   * Things that only one owner on a host can have, such as a user ID: the name of each thing and its owner. Two tasks
   * in a play that assign one thing to different owners are refused before the run.
   */
  readonly takes?: (params: z.output<P>) => Readonly<Record<string, string>>;
  /**
   * Things that the task manages completely: it removes whatever it does not list. Two tasks in a play that manage one
   * thing in different ways are refused. `now`: the known values of the task's facts, keyed by name; undefined before
   * the run.
   */
  readonly keeps?: (params: z.output<P>, now?: Readonly<Record<string, unknown>>) => readonly Kept[];
  /**
   * The ids of the things that the task changes, if it changes nothing else directly; `now` as for `keeps`. After such
   * a task, check mode still evaluates a wait that is `about` other things. Undefined means that it may change
   * anything.
   */
  readonly changesOnly?: (
    params: z.output<P>,
    now?: Readonly<Record<string, unknown>>,
  ) => readonly string[] | undefined;
  /**
   * For a task that acts on a cloud's API and not on a host: the driver that its facts and steps use, such as `ec2`.
   * That driver's `permissions` function returns the permissions that its calls need.
   */
  readonly service?: string;
  /** True if the steps reboot the host. Check mode then predicts the values that remain after the reboot. */
  readonly reboots?: boolean;
}

/** A thing that a task manages completely. */
export interface Kept {
  /** Identifies the thing; not shown in messages. */
  readonly id: string;
  /** The thing's name in messages: `ConfigMap shop/web`. */
  readonly name: string;
  /** The state in which the task keeps the thing, as JSON data. */
  readonly as: unknown;
  /** The place in a file that the task reads: `shop.yaml, line 12 (document 2)`. */
  readonly place?: string;
}

/** The values that a task wants for its facts. A missing key means that the task accepts any value of that fact. */
export type WantOf<F> = {
  readonly [K in keyof F]?: WantedOf<Exclude<F[K], undefined>> | undefined;
};

type WantedOf<A> =
  A extends Fact<infer T> ? Wanted<T> : A extends readonly Fact<infer T>[] ? readonly (Wanted<T> | undefined)[] : never;

/**
 * The facts that differ from the want, each with `from` and `to`. A list has undefined for each element that matches
 * the want.
 */
export type ChangesOf<F> = {
  readonly [K in keyof F]?: ChangeOf<Exclude<F[K], undefined>>;
};

type ChangeOf<A> =
  A extends Fact<infer T> ? Change<T> : A extends readonly Fact<infer T>[] ? readonly (Change<T> | undefined)[] : never;

/** What `steps` receives. */
export interface StepContext<F> {
  readonly change: ChangesOf<F>;
  readonly now: Now<F>;
  readonly want: WantOf<F>;
}

/** Steps in order; nested lists are flattened, and false, null, undefined and "" are ignored. */
export type StepList = readonly (Step | StepList | false | undefined | null | "")[];

/** How a wait polls. */
export interface Poll {
  /** Seconds between two checks. */
  readonly intervalSeconds: number;
  /** Seconds after which the wait fails. */
  readonly deadlineSeconds: number;
  /** The number of consecutive checks that must find the wanted values; default 1. */
  readonly consecutive?: number;
  /** The condition that the task waits for: `https://10.0.0.1/ping to answer 200`. */
  readonly waitsFor: string;
  /**
   * The ids of the things that the task waits for, as in `changesOnly`. After earlier changes to other things, check
   * mode still tests whether the wait is over. By default, it tests this only if nothing has been changed before.
   */
  readonly about?: readonly string[];
}

/** A task module without its types, as the engine uses it. */
export interface TaskDefinition {
  readonly card: Card<z.ZodType>;
  readonly stages: readonly ((params: never, now: never) => Facts)[];
  readonly want: (params: never, now: never) => Readonly<Record<string, unknown>> | Refusal;
  readonly steps: (params: never, context: never) => StepList;
  /** True if there are no steps, whatever the params and facts: the task reports or refuses, and changes nothing. */
  readonly neverActs?: boolean;
  readonly outputs?: (params: never, now: never, results: readonly StepResult[] | undefined) => unknown;
  readonly notes?: (params: never, now: never, results: readonly StepResult[] | undefined) => readonly string[];
  readonly poll?: (params: never) => Poll;
}
