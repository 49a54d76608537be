import { type Failure, FurrowError } from "../errors.ts";
import { type Fact, type HostFact, isControllerFact, type Question } from "./fact.ts";
import type { Implied } from "./implied.ts";
import { absent, type KnownAfterApply, knownAfterApply } from "./symbols.ts";
import type { RealName, Target } from "./path-resolution.ts";

/**
 * The lines that a kind's script prints about one question, keyed by name. Values are canonical and contain no newline.
 */
export type Lines = Readonly<Record<string, string>>;

/** Lines of a value that may be a prediction: `knownAfterApply` for the line of an unknown part. */
export type PrintedLines = Readonly<Record<string, string | KnownAfterApply>>;

/** One question in a batch, with the number that the script must print before its answer. */
export interface NumberedQuestion extends Question {
  readonly number: number;
}

/** Returns the known value of a thing right before a reboot, given the id of its fact; the value may be predicted. */
export type BeforeBoot = (id: string) => unknown;

/** The context of a prediction. */
export interface PredictionContext {
  /** The user whose steps make the change. */
  readonly user: string;
  /** True if the kind may guess unknown parts, because a guard checks the guess. Check mode does not guess. */
  readonly guess?: boolean;
  /** The known value of the thing that {@link Kind.parent} names: for a file, its directory. */
  readonly parentValue?: unknown;
}

/**
 * A kind of fact: how one read-only POSIX sh script reads many keys, and how the script's lines become values. Every
 * kind must satisfy `parse(print(value)) = value`.
 */
export interface Kind<V = unknown> {
  readonly name: string;
  /** The meaning of a fact of this kind, in one sentence. */
  readonly summary: string;
  /** The available facets, each with a description of the data that it adds. */
  readonly facets: Readonly<Record<string, string>>;
  /**
   * The script that answers all questions. The script prints `NUMBER name=value` lines, in any order, and
   * `NUMBER !message` if a thing cannot be read. The script writes nothing to the host, reads no stdin, and runs in its
   * own subshell.
   */
  read(this: void, questions: readonly NumberedQuestion[]): string;
  /**
   * Shell functions that the scripts call. These functions are the same for all questions, so a frame with several
   * reads contains them only once. They are defined in the shell that runs the script, and no other kind may use their
   * names.
   */
  readonly functions?: string;
  /** The value from the lines of one question. Throws FurrowError E_FACT for unknown lines. */
  parse(this: void, lines: Lines, question: Question): V;
  /**
   * The lines of a value as the script would print them for this question: the inverse of `parse`. For a prediction,
   * the lines of unknown parts are `knownAfterApply` ({@link printPart}); `print` throws UnknownValue if it cannot tell
   * which lines the script would print. A kind without `print` cannot be used in a guard.
   */
  print?(this: void, value: V, question: Question): PrintedLines;
  /**
   * Converts a want to the facets that were asked for: if text is wanted but only its hash was read, returns the hash
   * of that text. Default: the want unchanged.
   */
  bind?(this: void, wanted: unknown, question: Question): unknown;
  /**
   * The error for a value that does not match the want after a task's steps, or for a thing that cannot be read; `said`
   * is the host's message. Default, also used if the function returns undefined: an error that names the fact.
   */
  failed?(this: void, key: string, found: { readonly value: V } | { readonly said: string }): Failure | undefined;
  /** Facets that a report needs to show a difference; read only if values differ. */
  readonly shown?: readonly string[];
  /**
   * True for an answer that only predicts what an action would do. A task may base its decision on the answer, but
   * cannot want it. The answer is not read again after the steps, and no guard checks it, so steps that rely on it must
   * check it themselves.
   */
  readonly advice?: boolean;
  /** Names of lines that change by themselves; guards ignore them. */
  readonly volatile?: readonly string[];
  /**
   * Lines of `volatile` that depend only on the clock, such as an age. A forecast keeps the old values of these lines.
   */
  readonly ageing?: readonly string[];
  /**
   * The parts of a thing of this kind once a change to another thing has brought it up to date (see {@link
   * Kind.renews}); used in forecasts.
   */
  readonly renewed?: Partial<V>;
  /**
   * Names of parts whose changes do not matter to tasks that watch the thing (`restartOn`). Default: those of
   * `volatile`.
   */
  readonly unwatched?: readonly string[];
  /**
   * Facets whose lines contain secret text and are therefore encrypted in a journal. Each such line has the name of its
   * facet and a value without a `~` prefix.
   */
  readonly revealing?: readonly string[];
  /** The same question, to be answered without the notes that furrow keeps on the host (`--verify`). */
  distrust?(this: void, question: Question): Question;
  /**
   * True if questions of this kind are never asked before their task's turn, because asking them runs the user's own
   * commands.
   */
  readonly neverAhead?: boolean;
  /**
   * True if the answer may depend on anything on the host, because it comes from a command that a user wrote. After any
   * change, such a question must be asked again, and check mode does not know the answer, unless {@link Question.reads}
   * says what it depends on.
   */
  readonly readsAnything?: boolean;
  /**
   * False if asking the question may change the host, because the question is a command that its author has not marked
   * `readOnly`. Check mode then does not ask the question, and its value is `knownAfterApply`. Default: true for every
   * question.
   */
  harmless?(this: void, question: Question): boolean;
  /** The time, in seconds, that one question may take on the host; default 20. */
  readonly deadlineSeconds?: number;
  /**
   * Predicts the value after `wanted` is applied, with unknown parts as `knownAfterApply`. `before` is
   * `knownAfterApply` if check mode does not know the current value. Default: the wanted keys replace those of the
   * current value.
   */
  predict?(this: void, before: V | KnownAfterApply, wanted: unknown, context: PredictionContext): V;
  /**
   * True if the two wants contradict each other even though they set no part in common. Example: the complete list of a
   * user's groups, and one additional group. Tasks that want both are refused before the run.
   */
  undoes?(this: void, wanted: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean;
  /** Ids of other things that a change to this thing may touch, e.g. everything below a removed directory. */
  touches?(this: void, key: string, from: V, to: V): readonly string[];
  /** Like `touches`, for an unknown current value; `to` is `knownAfterApply` if the future value is also unknown. */
  mayTouch?(this: void, key: string, to: V | KnownAfterApply): readonly string[];
  /**
   * Ids of other things whose values change when this thing changes, e.g. a unit when its file changes. A run reads
   * them again. Check mode does not change their values, because the tasks about them predict the difference
   * themselves.
   */
  renews?(this: void, key: string, from: V, to: V): readonly string[];
  /**
   * The effects that a change to this thing is certain to have on other things. Both check mode and a run rely on these
   * effects.
   */
  implies?(this: void, key: string, from: V, to: V): readonly Implied[];
  /**
   * Ids of other things that show this thing, e.g. the tree that contains a file. A task that declares that it touches
   * this thing also counts as touching the other things. `key` may be a pattern.
   */
  shownIn?(this: void, key: string): readonly string[];
  /**
   * Ids of other things that in rare cases also show this thing; after a change to this thing, a run reads the other
   * things again. `key` may be a pattern.
   */
  mayShowIn?(this: void, key: string): readonly string[];
  /**
   * The fact that shows when an absent thing may have been removed: the last change to the folder that would contain
   * it. The value of that fact is a record with a `changed` facet. The kind's `touches` must name the fact if the thing
   * appears or disappears.
   */
  absence?(this: void, key: string): HostFact<unknown>;
  /**
   * The key with every path in it replaced by its real name. Required for kinds whose keys contain paths: a fact is
   * about the thing that a path resolves to, so two names of one thing must give the same key. The function calls
   * `real` once for each path.
   */
  renamed?(this: void, key: string, real: RealName): string;
  /** The link target, if the value is a link; undefined if the key does not redirect the paths below the key. */
  linkTarget?(this: void, value: V): Target | undefined;
  /**
   * The targets of the links below the key according to this value, by the path of each link relative to the key.
   * Undefined if a change leaves the links as they are.
   */
  linksBelow?(this: void, value: V): Readonly<Record<string, string>> | undefined;
  /** True if a change redirects paths at or below the key. Default: true if the result of `linkTarget` differs. */
  reroutes?(this: void, from: V, to: V): boolean;
  /**
   * For a thing with several names (hard links): an identifier that is the same for all these names. Undefined if the
   * thing has only one name.
   */
  inode?(this: void, value: V): string | undefined;
  /** For a thing with several names: the value under another name, after the thing has changed under this name. */
  hardLinkValue?(this: void, other: V, from: V, to: V): V;
  /**
   * The value after a reboot, for check mode; `before` gives the values of other things, such as /etc/fstab for a
   * mount. Without this function, all things of this kind are unknown after a reboot.
   */
  afterBoot?(this: void, key: string, value: V, before: BeforeBoot): V | KnownAfterApply;
  /** The thing that must exist if this thing exists: for a file, the directory that contains it. */
  parent?(this: void, key: string): HostFact<unknown> | undefined;
  /**
   * The value for a thing of this kind if nothing is known except that it exists, e.g. the thing that {@link parent}
   * names.
   */
  readonly anything?: V;
  /** True if the value means that the thing exists. Default: it is not `absent`. */
  isThere?(this: void, value: V): boolean;
}

/** The line to print for one part of a value, or `knownAfterApply` if the part cannot be predicted. */
export function printPart<T extends object, K extends keyof T>(
  value: T,
  key: K,
  print: (part: T[K]) => string = String,
): string | KnownAfterApply {
  const part = Object.getOwnPropertyDescriptor(value, key)?.value as T[K] | KnownAfterApply;
  return part === knownAfterApply ? knownAfterApply : print(value[key]);
}

/** The script that answers questions of a kind, including the functions it calls. */
export function scriptOf(kind: Kind, questions: readonly NumberedQuestion[]): string {
  const script = kind.read(questions);
  return kind.functions === undefined ? script : `${kind.functions}\n${script}`;
}

const kinds = new Map<string, Kind>();

/** Registers a kind. Throws E_BUG if another kind has the same name. */
export function defineKind<V>(kind: Kind<V>): Kind<V> {
  const known = kinds.get(kind.name);
  if (known !== undefined && known !== (kind as Kind)) {
    throw new FurrowError("E_BUG", {
      what: `two fact kinds are named "${kind.name}"`,
      hint: "Rename one of them: a fact's id must identify one object",
    });
  }
  kinds.set(kind.name, kind);
  return kind;
}

/** The kind with this name. Throws E_BUG if the name is unknown. */
export function kindOf(name: string): Kind {
  const kind = kinds.get(name);
  if (kind === undefined) {
    throw new FurrowError("E_BUG", {
      what: `no fact kind is named "${name}"`,
      hint: "Import the module that defines the kind",
    });
  }
  return kind;
}

/** True if a kind has this name. */
export function isKind(name: string): boolean {
  return kinds.has(name);
}

/** All registered kinds, sorted by name. */
export function allKinds(): readonly Kind[] {
  return [...kinds.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/**
 * Returns the question about one key of a kind; `facets` are the facets beyond the kind's basic ones. Throws
 * FurrowError E_FACT if the key contains a line break, because a script could not answer it by name, or if the facets
 * are not a list.
 */
export function ask<V>(kind: Kind<V>, key: string, facets: readonly string[] = [], secret = false): HostFact<V> {
  if (/[\n\0]/.test(key)) {
    throw new FurrowError("E_FACT", {
      what: `the name of a fact contains a line break: ${kind.name}`,
      current: JSON.stringify(key),
      hint: "Give a name without a line break",
    });
  }
  const given: unknown = facets;
  if (!Array.isArray(given)) {
    throw new FurrowError("E_FACT", {
      what: `the facets of a fact are not a list: ${kind.name} ${key}`,
      current: JSON.stringify(given),
      expected: "a list of names",
      hint: 'Put the names into a list, like file("/etc/motd", ["text"])',
    });
  }
  const question = { kind: kind.name, key, facets: facets.toSorted() };
  return secret ? { ...question, secret } : question;
}

/** True if a value means that its thing exists, on the host or on the controller. */
export function isThere(fact: Fact, value: unknown): boolean {
  const there = isControllerFact(fact) ? undefined : kindOf(fact.kind).isThere;
  return there ? there(value) : value !== absent;
}

/** True for a question whose answer only predicts what an action would do (see {@link Kind.advice}). */
export function isAdvice(fact: Fact): boolean {
  return !isControllerFact(fact) && kinds.get(fact.kind)?.advice === true;
}

/** True for a question whose answer may depend on anything on the host (see {@link Kind.readsAnything}). */
export function readsAnything(fact: Fact): fact is HostFact<unknown> {
  return !isControllerFact(fact) && kinds.get(fact.kind)?.readsAnything === true;
}

/** True for a question whose answer contains secret text. */
export function reveals(question: Question): boolean {
  const { revealing = [] } = kindOf(question.kind);
  return question.facets.some((facet) => revealing.includes(facet));
}
