import { FurrowError } from "./errors.ts";
import { type Fact, type HostFact, isControllerFact, type Question } from "./fact.ts";
import type { Implied } from "./implied.ts";
import { absent, type KnownAfterApply, knownAfterApply } from "./symbols.ts";
import type { RealName, Target } from "./way.ts";

/** What a kind's script prints about one question, by name: canonical, one line each, no newline in a value. */
export type Lines = Readonly<Record<string, string>>;

/** Lines of a value that may be a prediction: `knownAfterApply` for a line of a part that is not knowable yet. */
export type PrintedLines = Readonly<Record<string, string | KnownAfterApply>>;

/** One question of a batch with the number under which the script must answer it. */
export interface NumberedQuestion extends Question {
  readonly number: number;
}

/** The record or text known of a thing right before a boot, by the id of its fact, also if it is only foreseen. */
export type BeforeBoot = (id: string) => unknown;

/** What a prediction may build on. */
export interface PredictionContext {
  /** The user whose steps make the change. */
  readonly user: string;
  /** True where a guess will do for what nobody can know: a guard holds it. Check mode does not guess. */
  readonly guess?: boolean;
  /** What is known of the thing that {@link Kind.around} names: of the directory that a file is in. */
  readonly around?: unknown;
}

/**
 * A kind of fact: how many keys are read with one read-only POSIX-sh script, and how its lines become a value.
 * Law: `parse(print(value)) = value`.
 */
export interface Kind<V = unknown> {
  readonly name: string;
  /** What one such fact tells, in a sentence. */
  readonly summary: string;
  /** The facets that may be asked for, and what each adds. */
  readonly facets: Readonly<Record<string, string>>;
  /**
   * The script that answers all questions. It prints `NUMBER name=value` lines, in any order, and `NUMBER !message`
   * where a thing cannot be read. It writes nothing to the host, reads no stdin, and runs in a subshell of its own.
   */
  read(this: void, questions: readonly NumberedQuestion[]): string;
  /**
   * Shell functions that its scripts call, the same for all questions: a frame that asks often carries them once. They are
   * defined where the script runs, and their names are its own.
   */
  readonly functions?: string;
  /** The value of the lines of one question. Throws FurrowError E_FACT on lines it does not know. */
  parse(this: void, lines: Lines, question: Question): V;
  /**
   * The lines of a value as the script would print them for this question: the inverse of `parse`. Of a prediction it
   * gives lines of unknown parts as `knownAfterApply` ({@link printPart}), or throws UnknownValue where it cannot tell
   * which lines there will be. A kind without it cannot stand in a guard.
   */
  print?(this: void, value: V, question: Question): PrintedLines;
  /**
   * A want in terms of what was asked: where a text is wanted and only its hash was read, the hash of the text.
   * Default: the want as it is.
   */
  bind?(this: void, wanted: unknown, question: Question): unknown;
  /** Facets that a report needs to show a difference, read only when there is one. */
  readonly shown?: readonly string[];
  /**
   * True for an answer about what would happen, on which a task decides and which nothing is to become: it is not read
   * again after the steps, and no guard holds it. Steps that build on it must look for themselves.
   */
  readonly advice?: boolean;
  /** Names of lines that change by themselves; guards leave them out. */
  readonly volatile?: readonly string[];
  /** Those of `volatile` that move with the clock alone, like an age: what is planned ahead takes them as they were. */
  readonly ageing?: readonly string[];
  /** Parts that a thing of this kind has once something that `renews` it has changed, for what is planned ahead. */
  readonly renewed?: Partial<V>;
  /** Names of parts that do not count for who watches a thing (`restartOn`); default: those of `volatile`. */
  readonly unwatched?: readonly string[];
  /**
   * Facets whose lines hold the text of something secret: into a journal they are written enciphered. A line has the name
   * of its facet, and a value without `~` in front.
   */
  readonly revealing?: readonly string[];
  /** The same question, to be answered without what furrow itself has noted on the host: `--verify`. */
  distrust?(this: void, question: Question): Question;
  /** Questions of this kind are never read before their task's turn (the user's own commands). */
  readonly neverAhead?: boolean;
  /**
   * False where asking may change the host, because the question is a command that its author has not marked
   * `readOnly`: check mode does not ask it and takes its value as `knownAfterApply`. Default: true for every question.
   */
  harmless?(this: void, question: Question): boolean;
  /** Seconds one question may take on the host; default 20. */
  readonly deadlineSeconds?: number;
  /**
   * What the value becomes when `wanted` is brought about, parts that cannot be known as `knownAfterApply`; `before`
   * is that itself where check mode knows nothing. Default: the wanted keys over those that were there.
   */
  predict?(this: void, before: V | KnownAfterApply, wanted: unknown, context: PredictionContext): V;
  /**
   * Whether a thing that is as `wanted` cannot be as `other` wants it, where the two share no part: a list of all groups of
   * a user, and one more group. Tasks that want both are refused before the run.
   */
  undoes?(this: void, wanted: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean;
  /** Ids of other things that a change of this one may touch: what is below a directory that goes. */
  touches?(this: void, key: string, from: V, to: V): readonly string[];
  /** The same where nobody knows what is there, or what it will be; `to` is `knownAfterApply` in the second case. */
  mayTouch?(this: void, key: string, to: V | KnownAfterApply): readonly string[];
  /**
   * Ids of things that show differently once this one has changed, while the tasks about them foresee that by
   * themselves: a unit and its file. A run reads them again; check mode leaves them as they are.
   */
  renews?(this: void, key: string, from: V, to: V): readonly string[];
  /** What follows from a change of this one for other things, for certain: check mode builds on it as a run does. */
  implies?(this: void, key: string, from: V, to: V): readonly Implied[];
  /**
   * Ids of other things in which this one shows: a file in the tree above it. Whoever says that he touches the one
   * touches the others. `key` may be a pattern.
   */
  shownIn?(this: void, key: string): readonly string[];
  /** Ids of other things in which this one may show, and seldom does: a run reads them again. `key` may be a pattern. */
  mayShowIn?(this: void, key: string): readonly string[];
  /**
   * What tells when a thing that is not there may have gone: the last change of the folder it would be in. Its value is
   * a record with `changed`, as the facet of that name. The kind's `touches` must name it where presence changes.
   */
  absence?(this: void, key: string): HostFact<unknown>;
  /**
   * The key with every path in it replaced by its real name. A kind whose keys name paths must have it: facts are about
   * the thing that a path leads to, and two names of one thing must give one key. It calls `real` once for each path.
   */
  renamed?(this: void, key: string, real: RealName): string;
  /** The target of the link that a value says is at the key; undefined where names below the key lead nowhere else. */
  leads?(this: void, value: V): Target | undefined;
  /** All links below the key once it has a value, target by path below it; undefined where they stay as they were. */
  linksBelow?(this: void, value: V): Readonly<Record<string, string>> | undefined;
  /** Whether a change makes names at or below the key lead elsewhere; default: where `leads` differs. */
  reroutes?(this: void, from: V, to: V): boolean;
  /** What a thing of several names (a hard link) has in common under all of them; undefined where it has one name. */
  inode?(this: void, value: V): string | undefined;
  /** What another name of such a thing shows once this one has changed from one value to another. */
  twin?(this: void, other: V, from: V, to: V): V;
  /**
   * What a boot makes of a value, for check mode; `before` tells of other things, such as /etc/fstab for a mount. Without this
   * nobody can tell what is left of things of this kind.
   */
  afterBoot?(this: void, key: string, value: V, before: BeforeBoot): V | KnownAfterApply;
  /** What is there for certain where a thing of this kind is there: the directory around a file. */
  around?(this: void, key: string): HostFact<unknown> | undefined;
  /** A thing of this kind of which nothing is known but that it is there, as what {@link around} gives. */
  readonly anything?: V;
  /** Whether a value says that the thing is there; default: it is not `absent`. */
  isThere?(this: void, value: V): boolean;
}

/** The line of one part of a value: `knownAfterApply` where a prediction leaves the part open. */
export function printPart<T extends object, K extends keyof T>(
  value: T,
  key: K,
  print: (part: T[K]) => string = String,
): string | KnownAfterApply {
  const part = Object.getOwnPropertyDescriptor(value, key)?.value as T[K] | KnownAfterApply;
  return part === knownAfterApply ? knownAfterApply : print(value[key]);
}

/** The script that answers questions of a kind, with the functions it calls. */
export function scriptOf(kind: Kind, questions: readonly NumberedQuestion[]): string {
  const script = kind.read(questions);
  return kind.functions === undefined ? script : `${kind.functions}\n${script}`;
}

const kinds = new Map<string, Kind>();

/** Makes a kind known to furrow. Throws E_BUG where another kind has the name. */
export function defineKind<V>(kind: Kind<V>): Kind<V> {
  const known = kinds.get(kind.name);
  if (known !== undefined && known !== (kind as Kind)) {
    throw new FurrowError("E_BUG", {
      what: `two fact kinds are named "${kind.name}"`,
      hint: "Rename one of them: a fact's id must name one real thing",
    });
  }
  kinds.set(kind.name, kind);
  return kind;
}

/** The kind with this name. Throws E_BUG where there is none. */
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

/** True where a kind has this name. */
export function isKind(name: string): boolean {
  return kinds.has(name);
}

/** All kinds known so far, by name. */
export function allKinds(): readonly Kind[] {
  return [...kinds.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}

/**
 * Asks a kind about one key; `facets` beyond the kind's basic ones. Throws FurrowError E_FACT where the key is not one
 * line: a script could not answer it by name.
 */
export function ask<V>(kind: Kind<V>, key: string, facets: readonly string[] = [], secret = false): HostFact<V> {
  if (/[\n\0]/.test(key)) {
    throw new FurrowError("E_FACT", {
      what: `a ${kind.name} cannot be asked about by a name of several lines`,
      current: JSON.stringify(key),
      hint: "Give a name without a line break",
    });
  }
  const question = { kind: kind.name, key, facets: facets.toSorted() };
  return secret ? { ...question, secret } : question;
}

/** Whether a value says that its thing exists on the host, or on the controller. */
export function isThere(fact: Fact, value: unknown): boolean {
  const there = isControllerFact(fact) ? undefined : kindOf(fact.kind).isThere;
  return there ? there(value) : value !== absent;
}

/** True for a question about what would happen: it serves its task's decision alone. */
export function isAdvice(fact: Fact): boolean {
  return !isControllerFact(fact) && kinds.get(fact.kind)?.advice === true;
}

/** True for a question whose answer holds the text of something secret. */
export function reveals(question: Question): boolean {
  const { revealing = [] } = kindOf(question.kind);
  return question.facets.some((facet) => revealing.includes(facet));
}
