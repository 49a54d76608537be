/** The phantom property that carries a fact's value type; never present at run time. */
declare const valueType: unique symbol;

/** A question to a host, as data: which kind of thing, which thing, and which of its facets. */
export interface Question {
  readonly kind: string;
  /** Identifies the object within its kind: `/etc/fstab`, `nginx.service`. */
  readonly key: string;
  /** Names of the facets asked for, sorted; the engine reads the union of the facets that all tasks ask for. */
  readonly facets: readonly string[];
  /** True if only a keyed hash of the content may leave the host. */
  readonly secret?: boolean;
  /** True if the task only reads the fact and never changes the thing; see {@link onlyRead}. */
  readonly onlyRead?: boolean;
  /** The parts on which a refusal of the task depends; see {@link mayRefuse}. */
  readonly mayRefuse?: "all" | readonly string[];
  /**
   * The facts that the result of a user's command depends on, as declared by its author; undefined means anything on
   * the host. Only for kinds with `readsAnything`.
   */
  readonly reads?: readonly FactPattern[];
}

/** A typed question about a host. */
export interface HostFact<T> extends Question {
  readonly [valueType]?: T;
}

/**
 * Declares that a task only reads a fact and never wants it to change: the directory that it writes a file into, the
 * user who will own the file, the source on the controller. The fact then stays known in check mode even if the task's
 * want is unknown.
 */
export function onlyRead<T>(fact: HostFact<T>): HostFact<T>;
export function onlyRead<T>(fact: ControllerFact<T>): ControllerFact<T>;
export function onlyRead<T>(fact: Fact<T>): Fact<T> {
  return { ...fact, onlyRead: true };
}

/**
 * Declares that a task may refuse because of a fact, or because of these parts of it. While the fact is unknown, a task
 * that would change something is reported as undecided in check mode, because the run may refuse the task.
 */
export function mayRefuse<T>(fact: HostFact<T>, parts?: readonly PartOf<T>[]): HostFact<T> {
  return { ...fact, mayRefuse: parts ?? "all" };
}

type PartOf<T> = T extends symbol ? never : keyof T & string;

/** JSON data, as sent to a driver. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A typed question that the controller answers through a driver: an HTTP answer, a local file, a cloud's API. */
export interface ControllerFact<T> {
  readonly driver: string;
  readonly request: Json;
  /** True if the task only reads the fact and never changes the thing; see {@link onlyRead}. */
  readonly onlyRead?: boolean;
  readonly [valueType]?: T;
}

/** A typed question. */
export type Fact<T = unknown> = HostFact<T> | ControllerFact<T>;

/** The facts of a task, keyed by the task's own names. A list asks the same question about several things. */
export type Facts = Readonly<Record<string, Fact | readonly Fact[]>>;

/**
 * The id of the object that a fact is about: `file:/etc/fstab`. Two facts with the same id are views of the same
 * object.
 */
export function factId(fact: Fact): string {
  if (!("driver" in fact)) return `${fact.kind}:${fact.key}`;
  const known = controllerIds.get(fact);
  if (known !== undefined) return known;
  const id = `${fact.driver}:${JSON.stringify(fact.request)}`;
  controllerIds.set(fact, id);
  return id;
}

/** Cached ids of controller facts: a request may be large, and the engine needs its id many times. */
const controllerIds = new WeakMap<Fact, string>();

/** True for a fact that the controller answers. */
export function isControllerFact(fact: Fact): fact is ControllerFact<unknown> {
  return "driver" in fact;
}

/** All facts in a record, with lists flattened, each with its name and index. */
export function listFacts(facts: Facts): { readonly name: string; readonly index?: number; readonly fact: Fact }[] {
  const list: { readonly name: string; readonly index?: number; readonly fact: Fact }[] = [];
  // Called many times for each task, so it avoids intermediate lists.
  for (const name of Object.keys(facts)) {
    const value = facts[name] as Fact | readonly Fact[];
    if (isFactList(value)) value.forEach((fact, index) => list.push({ name, index, fact }));
    else list.push({ name, fact: value });
  }
  return list;
}

/** True for a list of facts. */
export function isFactList(value: Fact | readonly Fact[]): value is readonly Fact[] {
  return Array.isArray(value);
}

/** The values of facts: read or predicted. */
export type Now<F> = {
  readonly [K in keyof F]: NowOf<Exclude<F[K], undefined>>;
};

type NowOf<A> = A extends Fact<infer T> ? T : A extends readonly Fact<infer T>[] ? readonly T[] : never;

/**
 * A pattern that matches facts by their id: `unit:*`, `file:/etc/**`, `user:rancher`. `*` matches anything without a
 * slash, `**` matches anything, `[*]` matches a star, and `everything` matches all ids. Text that is not a pattern,
 * such as an id or a path, becomes a part of a pattern only through {@link exactly}.
 */
export type FactPattern = string;

/** The pattern that matches this text and nothing else. The text is an id, or a part of one such as a path. */
export function exactly(text: string): FactPattern {
  return text.includes("*") ? text.replaceAll("*", "[*]") : text;
}

/** The text that a pattern without wildcards matches: the inverse of {@link exactly}. */
export function literal(pattern: FactPattern): string {
  return pattern.includes("[*]") ? pattern.replaceAll("[*]", "*") : pattern;
}

/** The position of the first wildcard in a pattern; -1 if it has none. A star in brackets is not a wildcard. */
export function wildcardIn(pattern: FactPattern): number {
  let star = pattern.indexOf("*");
  while (star > 0 && pattern[star - 1] === "[" && pattern[star + 1] === "]") star = pattern.indexOf("*", star + 1);
  return star;
}

const compiled = new Map<FactPattern, RegExp>();

/**
 * True if the patterns match this fact id. A pattern that begins with `!` excludes ids that earlier patterns matched.
 */
export function namesFact(patterns: readonly FactPattern[], id: string): boolean {
  let named = false;
  for (const pattern of patterns) {
    const exclude = pattern.startsWith("!");
    if (matches(exclude ? pattern.slice(1) : pattern, id)) named = !exclude;
  }
  return named;
}

function matches(pattern: FactPattern, id: string): boolean {
  if (pattern === "everything") return true;
  if (wildcardIn(pattern) < 0) return literal(pattern) === id;
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const source = pattern
      .split(/(\[\*\]|\*\*|\*)/)
      .map((part) =>
        part === "**" ? ".*" : part === "*" ? "[^/]*" : literal(part).replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&"),
      )
      .join("");
    expression = new RegExp(`^${source}$`, "s");
    compiled.set(pattern, expression);
  }
  return expression.test(id);
}
