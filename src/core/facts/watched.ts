import { createHash } from "node:crypto";
import { z } from "zod";
import type { TaskCall } from "../authoring/call.ts";
import { canonical, checkKnown, sameData, UnknownValue } from "./compare.ts";
import { decide } from "../authoring/evaluate.ts";
import { type Fact, factId, type Facts, type HostFact, isControllerFact, isFactList, listFacts } from "./fact.ts";
import { kindOf } from "./kind.ts";
import { parseParams } from "../params/params.ts";
import { ranKind } from "./ran.ts";
import { FurrowError } from "../errors.ts";
import { currentSealKey } from "../secrets/secret.ts";
import { absent, isRecord, knownAfterApply } from "./symbols.ts";

/**
 * The facet that shows when a thing last changed, in microseconds since the epoch by the host's clock. Without a note
 * about the process, this time decides whether a restart is due. A predicted change has the time {@link changedLater}.
 */
export const changedFacet = "changed";

/** The time of a predicted change: later than any time on a host. */
export const changedLater = Number.MAX_SAFE_INTEGER;

/**
 * True if the thing is predicted to change. Only the host knows the exact value after the change, so this throws
 * UnknownValue in a forecast whose steps are performed (see {@link inStrictMode}).
 */
export function isToChange(changed: number | undefined): boolean {
  if (changed !== changedLater) return false;
  checkKnown<unknown>(knownAfterApply, changedFacet);
  return true;
}

/** A param that names other tasks in the playbook: `restartOn: [conf]`. */
export const watched = (): z.ZodType<readonly TaskCall[], readonly TaskCall[]> =>
  z.array(
    z.custom<TaskCall>(
      (value) => typeof value === "object" && value !== null && "node" in value && value.node === "task",
      {
        error: ({ input }) =>
          typeof input === "object" && input !== null && "node" in input
            ? "single tasks: a role, a block, or a task that is a list of tasks (such as package), cannot be watched"
            : "a task in this playbook, kept in a variable: const conf = file({ … })",
      },
    ),
  );

interface WatchedCall {
  readonly call: TaskCall;
  readonly params: unknown;
  /** The facts of the task's first stage, including the facet `changed` if the kind has it. */
  readonly facts: Facts;
}

function ask(call: TaskCall): WatchedCall {
  const { card, stages } = call.module;
  // Check mode does not know the call's params, so it does not know the call's facts either.
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

/** The facts that the watched tasks read, in order. Pass their values to {@link watchedThings}. */
export function watchedFacts(calls: readonly TaskCall[]): Fact[] {
  return calls.flatMap((call) => listFacts(ask(call).facts).map(({ fact }) => fact));
}

/**
 * For each watched fact that is absent, in order, the fact that shows when the thing was removed. Ask for these facts
 * in the next stage.
 */
export function absenceFacts(calls: readonly TaskCall[], values: readonly unknown[]): Fact[] {
  const raw = unguarded(values);
  return watchedFacts(calls).flatMap((fact, index) => absenceOf(fact, raw[index]) ?? []);
}

function absenceOf(fact: Fact, value: unknown): HostFact<unknown> | undefined {
  if (value !== absent || isControllerFact(fact) || fact.kind === ranKind) return undefined;
  return kindOf(fact.kind).absence?.(fact.key);
}

/** A thing on the host that a watched task sets, with its current or predicted parts. */
export interface WatchedThing {
  readonly id: string;
  /**
   * A digest of each part by its dotted path. `presence` shows whether the thing exists; `value` is used for a value
   * that is not a record.
   */
  readonly parts: Readonly<Record<string, string>>;
  /** True if a part that the watched task wants is unknown. */
  readonly open: boolean;
  /** The time at which the thing last changed, in microseconds since the epoch; undefined if unknown. */
  readonly changed?: number | undefined;
}

/**
 * The things that the watched tasks set, i.e. the facts that a task both reads and names in its want. `values` are the
 * values of {@link watchedFacts}, `absences` those of {@link absenceFacts}.
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

/**
 * The values that the task wants for its facts; undefined if the task refuses or cannot tell: in that case, all its
 * facts are watched.
 */
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
    // A task with a second stage may fail because that stage was not read: in that case, all facts that it reads are
    // watched.
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
    if (checkKnown(part, path) === knownAfterApply) open ||= bound !== undefined && bound !== knownAfterApply;
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
  // In check mode, a predicted removal makes the folder's time of change unknown, because the folder will change later.
  const own = absence === knownAfterApply ? changedLater : changedIn(value === absent ? absence : value);
  const changed = own === undefined ? setAtBoot(fact, value, list) : own;
  return {
    id: factId(fact),
    parts,
    open,
    get changed() {
      const known = checkKnown(changed, changedFacet);
      return typeof known === "number" ? known : undefined;
    },
  };
}

function changedIn(value: unknown): unknown {
  return isRecord(value) ? value[changedFacet] : undefined;
}

/**
 * The time at which a thing that does not record its changes (such as a kernel parameter) got its current value. This
 * time is known if every boot sets the value from files that the same task reads (such as a sysctl.d file): it is the
 * time of the last change to these files. Undefined if no such file sets the value.
 */
function setAtBoot(fact: HostFact<unknown>, value: unknown, list: readonly Valued[]): unknown {
  const law = kindOf(fact.kind).afterBoot;
  if (law === undefined || value === knownAfterApply || value === absent) return undefined;
  // If `afterBoot` reads no other fact, the thing keeps its value across a reboot, so nothing shows when the value was
  // set.
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

/**
 * True for a part that was not asked for (a prediction has every part), for a part that changes by itself, and for a
 * part that must not be shown.
 */
function leftOut(fact: HostFact<unknown>, key: string): boolean {
  const { facets, volatile = [], unwatched = volatile } = kindOf(fact.kind);
  if (key === "seal") return fact.secret !== true;
  return unwatched.includes(key) || (key in facets && (fact.secret === true || !fact.facets.includes(key)));
}

/**
 * A short plain value is its own digest, so people can see why a restart is due; other values are hashed. Parts of
 * secret facts are always hashed, and stored with the id of the key used, because digests made with different keys
 * cannot be compared.
 */
function digest(value: unknown, secret: boolean): string {
  const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
  const short = hash(canonical(value)).slice(0, 32);
  if (secret) return `${hash(`key ${currentSealKey()}`).slice(0, 8)}:${short}`;
  const plain = String(value);
  return typeof value !== "object" && /^[\w./@+-]{1,64}$/.test(plain) ? plain : short;
}

/** The values without the guard that throws for unknown parts. */
function unguarded(values: readonly unknown[]): unknown[] {
  return Array.from(values.keys(), (index) =>
    checkKnown(Object.getOwnPropertyDescriptor(values, index)?.value as unknown, String(index)),
  );
}
