import { createHash } from "node:crypto";
import { z } from "zod";
import type { TaskCall } from "./call.ts";
import { canonical, passable, sameData, UnknownValue } from "./compare.ts";
import { decide } from "./evaluate.ts";
import { type Fact, factId, type Facts, type HostFact, isControllerFact, isFactList, listFacts } from "./fact.ts";
import { kindOf } from "./kind.ts";
import { parseParams } from "./params.ts";
import { ranKind } from "./ran.ts";
import { FurrowError } from "./errors.ts";
import { currentSealKey } from "./secret.ts";
import { absent, isRecord, knownAfterApply } from "./symbols.ts";

/**
 * The facet by which a kind tells when a thing last changed, in microseconds since the epoch by the host's clock: what
 * lets a restart be owed or not where nothing was noted. In a prediction of a change it is {@link changedLater}.
 */
export const changedFacet = "changed";

/** Later than any moment a host can tell: when a thing changes that is predicted to change. */
export const changedLater = Number.MAX_SAFE_INTEGER;

/**
 * True where a prediction says that a thing is to change. What else will be seen of that then, only its host can tell: in a
 * plan whose steps are performed this throws UnknownValue.
 */
export function isToChange(changed: number | undefined): boolean {
  if (changed !== changedLater) return false;
  passable<unknown>(knownAfterApply, changedFacet);
  return true;
}

/** A param that names other tasks of the playbook: `restartOn: [conf]`. */
export const watched = (): z.ZodType<readonly TaskCall[], readonly TaskCall[]> =>
  z.array(
    z.custom<TaskCall>(
      (value) => typeof value === "object" && value !== null && "node" in value && value.node === "task",
      {
        error: ({ input }) =>
          typeof input === "object" && input !== null && "node" in input
            ? "single tasks: a role, a block or a task such as package that is a list of tasks cannot be watched"
            : "a task of this playbook, kept in a variable: const conf = file({ … })",
      },
    ),
  );

interface WatchedCall {
  readonly call: TaskCall;
  readonly params: unknown;
  /** Those of its first stage, with the facet that tells of changes where the kind has it. */
  readonly facts: Facts;
}

function ask(call: TaskCall): WatchedCall {
  const { card, stages } = call.module;
  // Check mode cannot know its params: whatever it names is not knowable either.
  if (call.input === knownAfterApply) return { call, params: undefined, facts: {} };
  const parsed = parseParams(card.params, call.input, () => undefined, { task: card.name });
  if (!("params" in parsed)) {
    throw new FurrowError("E_PARAMS", {
      what: `a watched ${card.name} task has params that are only known after another task has run`,
      hint: "Watch a task whose params are known when the playbook is read",
    });
  }
  const { params } = parsed;
  const facts = stages[0]?.(params as never, {} as never) ?? {};
  const dated = Object.entries(facts)
    .filter((entry) => entry[1] !== undefined)
    .map(([name, asked]) => [name, isFactList(asked) ? asked.map(withChanged) : withChanged(asked)]);
  return { call, params, facts: Object.fromEntries(dated) as Facts };
}

function withChanged(fact: Fact): Fact {
  if (isControllerFact(fact) || fact.kind === ranKind || !(changedFacet in kindOf(fact.kind).facets)) return fact;
  return { ...fact, facets: [...new Set([...fact.facets, changedFacet])].toSorted() };
}

/** The facts that the watched tasks look at, in order; their values are what {@link watchedThings} judges. */
export function watchedFacts(calls: readonly TaskCall[]): Fact[] {
  return calls.flatMap((call) => listFacts(ask(call).facts).map(({ fact }) => fact));
}

/** What tells when those of the watched facts went that are not there, in order; for the next stage of facts. */
export function absenceFacts(calls: readonly TaskCall[], values: readonly unknown[]): Fact[] {
  const raw = unguarded(values);
  return watchedFacts(calls).flatMap((fact, index) => absenceOf(fact, raw[index]) ?? []);
}

function absenceOf(fact: Fact, value: unknown): HostFact<unknown> | undefined {
  if (value !== absent || isControllerFact(fact) || fact.kind === ranKind) return undefined;
  return kindOf(fact.kind).absence?.(fact.key);
}

/** A thing of the host that a watched task sets, as it is or as it is predicted. */
export interface WatchedThing {
  readonly id: string;
  /** The digest of each part by its dotted path; `presence` says whether the thing is there, `value` is one that is no record. */
  readonly parts: Readonly<Record<string, string>>;
  /** True where a part that the watched task binds is not knowable yet. */
  readonly open: boolean;
  /** When it last changed, in microseconds since the epoch; undefined where nothing tells. */
  readonly changed?: number | undefined;
}

/**
 * What the watched tasks set: of all facts they look at, those that their wants bind. `values` as
 * {@link watchedFacts} asked for them, `absences` as {@link absenceFacts}.
 */
export function watchedThings(
  calls: readonly TaskCall[],
  values: readonly unknown[],
  absences: readonly unknown[] = [],
): WatchedThing[] {
  const raw = unguarded(values);
  const gone = unguarded(absences);
  return calls.flatMap((call) => {
    const asked = ask(call);
    const list = listFacts(asked.facts).map((listed) => {
      const value: unknown = raw.shift();
      const absence: unknown = absenceOf(listed.fact, value) === undefined ? undefined : gone.shift();
      return { ...listed, value, absence };
    });
    const wants = wantsOf(asked, list);
    return list.flatMap(({ fact, value, absence }, index) => {
      if (isControllerFact(fact) || fact.kind === ranKind) return [];
      const wanted = wants === undefined ? value : wants[index];
      return wanted === undefined ? [] : [thing(fact, value, wanted, absence, list)];
    });
  });
}

type Valued = ReturnType<typeof listFacts>[number] & { readonly value: unknown };

/** What the task wants of each of its facts; undefined where it refuses or cannot tell, and all of them count. */
function wantsOf({ call, params, facts }: WatchedCall, list: readonly Valued[]): unknown[] | undefined {
  const values: Record<string, unknown> = {};
  for (const { name, index, value } of list) {
    if (index === undefined) values[name] = value;
    else values[name] = [...((values[name] as unknown[] | undefined) ?? []), value];
  }
  try {
    const decision = decide(call.module, params, facts, values);
    return "refusal" in decision ? undefined : decision.facts.map(({ bound }) => bound);
  } catch (error) {
    // A task with a second stage may trip over what it did not get: then everything it looks at counts.
    if (error instanceof UnknownValue || error instanceof TypeError) return undefined;
    throw error;
  }
}

function thing(
  fact: HostFact<unknown>,
  value: unknown,
  wanted: unknown,
  absence: unknown,
  list: readonly Valued[],
): WatchedThing {
  const parts: Record<string, string> = {};
  let open = value === knownAfterApply;
  const visit = (part: unknown, bound: unknown, path: string): void => {
    if (passable(part, path) === knownAfterApply) open ||= bound !== undefined && bound !== knownAfterApply;
    else if (isRecord(part)) {
      for (const [key, inner] of Object.entries(part)) {
        if (path !== "" || !leftOut(fact, key)) {
          visit(inner, isRecord(bound) ? bound[key] : undefined, path === "" ? key : `${path}.${key}`);
        }
      }
    } else if (part !== absent) parts[path === "" ? "value" : path] = digest(part, fact.secret === true);
  };
  visit(value, wanted, "");
  if (value !== knownAfterApply) parts["presence"] = value === absent ? "absent" : "present";
  // In check mode a thing that is foreseen to go leaves its folder unknown: it changes later.
  const own = absence === knownAfterApply ? changedLater : changedIn(value === absent ? absence : value);
  const changed = own === undefined ? setAtBoot(fact, value, list) : own;
  return {
    id: factId(fact),
    parts,
    open,
    get changed() {
      const known = passable(changed, changedFacet);
      return typeof known === "number" ? known : undefined;
    },
  };
}

function changedIn(value: unknown): unknown {
  return isRecord(value) ? value[changedFacet] : undefined;
}

/**
 * When a thing without a date of its own came to be as it is, where each boot sets it from files that the same task looks
 * at (a kernel parameter and its sysctl.d file): the last change of those files. Undefined where they do not set this value.
 */
function setAtBoot(fact: HostFact<unknown>, value: unknown, list: readonly Valued[]): unknown {
  const law = kindOf(fact.kind).afterBoot;
  if (law === undefined || value === knownAfterApply || value === absent) return undefined;
  // A law that looks at nothing else says that the thing is kept, and not when it was set.
  if (
    sameData(
      law(fact.key, value, () => undefined),
      value,
    )
  )
    return undefined;
  const dates: unknown[] = [];
  const left = law(fact.key, value, (id) => {
    const found = list.find((listed) => factId(listed.fact) === id)?.value;
    if (isRecord(found)) dates.push(changedIn(found));
    return found;
  });
  if (!sameData(left, value) || dates.length === 0 || dates.some((date) => typeof date !== "number")) return undefined;
  return Math.max(...(dates as number[]));
}

/** Parts that were not asked for (a prediction has them all), that change by themselves, or that must not be told. */
function leftOut(fact: HostFact<unknown>, key: string): boolean {
  const { facets, volatile = [], unwatched = volatile } = kindOf(fact.kind);
  if (key === "seal") return fact.secret !== true;
  return unwatched.includes(key) || (key in facets && (fact.secret === true || !fact.facets.includes(key)));
}

/**
 * Short plain values stand for themselves, so that people see what a restart is owed for; the rest by hash. Parts of
 * secret things are always hashed, and say under which key they were sealed: under another they cannot be compared.
 */
function digest(value: unknown, secret: boolean): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const short = hash(canonical(value)).slice(0, 32);
  if (secret) return `${hash(`key ${currentSealKey()}`).slice(0, 8)}:${short}`;
  const plain = String(value);
  return typeof value !== "object" && /^[\w./@+-]{1,64}$/.test(plain) ? plain : short;
}

/** The values behind the guard that throws at unknown parts. */
function unguarded(values: readonly unknown[]): unknown[] {
  return Array.from(values.keys(), (index) =>
    passable(Object.getOwnPropertyDescriptor(values, index)?.value as unknown, String(index)),
  );
}
