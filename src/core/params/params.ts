import { checked } from "./checked.ts";
import { closest } from "../closest.ts";
import type { z } from "zod";
import { FurrowError, type Where } from "../errors.ts";
import { type OutputLookup, resolveRefs } from "../authoring/ref.ts";
import { hintForValue, paramLike } from "./other-tools.ts";
import { strayParams } from "./stray-params.ts";
import { expectedOf } from "./issue-text.ts";
import { redact } from "../secrets/redact.ts";
import { holdsSecret, Secret } from "../secrets/secret.ts";
import { withSecretDefaults } from "../secrets/secret-default.ts";
import { hideSecrets, isSecretAt, isSecretName, notShown } from "../secrets/secret-schema.ts";
import { shownValue } from "../secrets/shown-value.ts";

/** Params that match their schema, or the paths of params that are not known yet. */
export type Parsed =
  | { readonly params: unknown }
  /**
   * `waitsFor`: params whose value comes from a task that has not run; `unknown`: params that check mode cannot know.
   */
  | { readonly waitsFor: readonly string[]; readonly unknown: readonly string[] };

/**
 * Checks params without Refs. Throws FurrowError E_PARAMS, which lists every wrong param, or E_SECRET for a misplaced
 * secret.
 */
export function parseInput(schema: z.ZodType, input: unknown, where: Where): unknown {
  const params = parsed(schema, input, where);
  refuseSecrets(schema, params, where);
  return params;
}

/**
 * Like {@link parseInput}, for params that are only passed on to tasks, such as a role's: each task checks for itself
 * where a secret is allowed. Refuses params that the schema would drop.
 */
export function parseForwarded(schema: z.ZodType, input: unknown, where: Where): unknown {
  const params = parsed(schema, input, where);
  refuseStrays(schema, input, where);
  return params;
}

function refuseStrays(schema: z.ZodType, input: unknown, where: Where): void {
  const keys = strayParams(schema, input);
  if (keys.length === 0) return;
  throw paramsError(schema, [{ code: "unrecognized_keys", keys, path: [], message: "" }], input, where);
}

function parsed(schema: z.ZodType, input: unknown, where: Where): unknown {
  const result = checked(schema, given(input));
  if (!result.success) throw paramsError(schema, result.error.issues, input, where);
  return withSecretDefaults(schema, result.data);
}

/** Removes params that are `undefined`, as in `content: isMain ? "x" : undefined`: they are treated as not given. */
function given(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Object.getPrototypeOf(input) !== Object.prototype) return input;
  const entries = Object.entries(input);
  const present = entries.filter(([, value]) => value !== undefined);
  return present.length === entries.length ? input : Object.fromEntries(present);
}

/**
 * Replaces Refs with known outputs and checks the params. A part that depends on a Ref without a value is checked once
 * the Ref has one. Throws FurrowError E_PARAMS.
 */
export function parseParams(schema: z.ZodType, input: unknown, lookup: OutputLookup, where: Where): Parsed {
  const { value, pending, unknown } = resolveRefs(given(input), lookup);
  const open = [...pending, ...unknown];
  if (open.length === 0) {
    const params = parseInput(schema, value, where);
    refuseStrays(schema, value, where);
    return { params };
  }
  const result = checked(schema, value);
  if (!result.success) {
    const issues = result.error.issues.filter((issue) => !concerns(issue, open));
    if (issues.length > 0) throw paramsError(schema, issues, value, where);
  }
  refuseStrays(schema, value, where);
  return { waitsFor: pending, unknown };
}

function concerns(issue: z.core.$ZodIssue, open: readonly string[]): boolean {
  const path = ["", ...issue.path].join(".");
  // A union, or a refinement of the whole object, reports any missing part at its root.
  return path === ""
    ? issue.code !== "unrecognized_keys"
    : open.some((hole) => hole === path || hole.startsWith(`${path}.`));
}

function paramsError(
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  where: Where,
): FurrowError {
  const found = issues.flatMap((issue) => flatten(issue, [], input));
  // A misspelled param causes two issues: an unknown name and a missing one. The unknown name explains the mistake
  // better.
  const unknown = found.filter(({ code }) => code === "unrecognized_keys");
  const others = found.filter(({ code }) => code !== "unrecognized_keys");
  hideSecrets(schema, input);
  const flat = [...unknown, ...others].map((issue) => explain(schema, issue, input));
  const [first] = flat;
  const more = flat.slice(1).map((issue) => `${issue.what}${issue.expected ? `: expected ${issue.expected}` : ""}`);
  return new FurrowError("E_PARAMS", {
    what: first?.what ?? "the params do not match the schema",
    where: { ...where, ...(first?.param !== undefined && { param: first.param }) },
    ...(first?.current !== undefined && { current: first.current }),
    ...(first?.expected !== undefined && { expected: first.expected }),
    ...(first?.hint !== undefined && { hint: first.hint }),
    ...(more.length > 0 && { details: more }),
  });
}

type FlatIssue = z.core.$ZodIssue & { readonly path: PropertyKey[] };

/**
 * For a value that matches no branch of a union, returns the issues of the closest branch. If that branch matches
 * except for missing params, and the union has its own message, returns that message.
 */
function flatten(issue: z.core.$ZodIssue, base: readonly PropertyKey[], input: unknown): FlatIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code === "invalid_key") return [{ ...issue, path, message: issue.issues[0]?.message ?? issue.message }];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ ...issue, path }];
  const weight = (branch: readonly z.core.$ZodIssue[]): number =>
    branch.reduce((sum, part) => sum + (part.path.length === 0 || part.code === "invalid_value" ? 10 : 1), 0);
  const best = issue.errors.toSorted((a, b) => weight(a) - weight(b))[0] ?? [];
  const parts = best.flatMap((part) => flatten(allowedByAny(part, issue.errors), path, input));
  if (issue.message === "Invalid input") return parts;
  // Another branch does not need the params that this one lacks, so they are named only if all branches need them.
  const isGiven = (part: FlatIssue): boolean => valueAt(input, part.path) !== undefined;
  const own = { code: "custom", path, message: issue.message } satisfies FlatIssue;
  return parts.every(isGiven) ? parts : [...parts.filter(isGiven), own];
}

/** The issue for a wrong literal, with the literals that all branches of the union allow at this path. */
function allowedByAny(part: z.core.$ZodIssue, branches: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue {
  if (part.code !== "invalid_value") return part;
  const place = JSON.stringify(part.path.map(String));
  const values = branches
    .flat()
    .flatMap((other) =>
      other.code === "invalid_value" && JSON.stringify(other.path.map(String)) === place ? other.values : [],
    );
  const allowed = [...new Set(values)];
  const said = `Invalid option: expected ${allowed.map((one) => JSON.stringify(one)).join(" or ")}`;
  return { ...part, values: allowed, ...(part.message.startsWith("Invalid ") && { message: said }) };
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null ? (part as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  );
}

interface Explained {
  readonly what: string;
  readonly param?: string;
  readonly current?: string;
  readonly expected?: string;
  readonly hint?: string;
}

function explain(schema: z.ZodType, issue: FlatIssue, input: unknown): Explained {
  const param = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(schema);
    const [key = ""] = issue.keys;
    const elsewhere = known.includes(key);
    const close = elsewhere ? undefined : (paramLike(key, known) ?? closest(key, known));
    return {
      what: `${elsewhere ? "misplaced" : "unknown"} param ${issue.keys.map((name) => `"${name}"`).join(", ")}`,
      param: key,
      ...(known.length > 0 && { expected: known.length === 1 ? known[0] : `one of ${known.join(", ")}` }),
      hint: elsewhere
        ? `Leave "${key}" out: it cannot be combined with the other given params`
        : close === undefined
          ? `Leave "${key}" out`
          : `Write "${close}" instead of "${key}"`,
    };
  }
  const value = valueAt(input, issue.path);
  const expected = expectedOf(issue);
  const isHidden = isSecretAt(schema, issue.path) || isSecretName(param);
  const current = isHidden ? notShown : quote(param, value);
  if (param === "") return { what: "the params do not match the schema", current, expected };
  if (value === undefined) return { what: `missing param "${param}"`, param, expected, hint: `Add "${param}"` };
  const meant =
    issue.code === "invalid_value" && typeof value === "string"
      ? closest(
          value,
          issue.values.filter((one) => typeof one === "string"),
        )
      : undefined;
  const hint =
    (issue.code === "invalid_value" ? hintForValue(value) : undefined) ??
    (meant === undefined
      ? (inArray(issue, param, current) ?? `Correct "${param}" where the task is called`)
      : `Write "${meant}" instead of ${quote(param, value)}`);
  return { what: `wrong value for param "${param}"`, param, current, expected, hint };
}

/** What to write if a single value is given instead of an array. */
function inArray(issue: FlatIssue, param: string, current: string): string | undefined {
  const isMeant = issue.code === "invalid_type" && issue.expected === "array" && /^["\d].{0,60}$/.test(current);
  return isMeant ? `Write "${param}" as an array: [${current}]` : undefined;
}

function quote(param: string, value: unknown): string {
  const shown = shownValue(param, value);
  if (shown === notShown) return notShown;
  const text = redact(shown instanceof Secret ? String(shown) : (JSON.stringify(shown) ?? typeof shown));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The names of a schema's params; for a union, those of all branches. */
export function knownKeys(schema: z.ZodType): string[] {
  const { def } = schema as unknown as { def: SchemaDef };
  if (def.shape) return Object.keys(def.shape);
  if (def.options) return [...new Set(def.options.flatMap(knownKeys))];
  return innerOf(def).flatMap(knownKeys);
}

interface SchemaDef {
  readonly shape?: Record<string, z.ZodType>;
  readonly options?: readonly z.ZodType[];
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly catchall?: z.ZodType;
  /** For a lazy schema, which may contain itself: returns the actual schema. */
  readonly getter?: () => z.ZodType;
}

/**
 * The schemas that a schema wraps. For a schema that converts its input, the params are in `in` or, after a
 * preprocessing step, in `out`.
 */
function innerOf({ innerType, in: given, out }: SchemaDef): z.ZodType[] {
  return [innerType, given, out].filter((part) => part !== undefined);
}

const secretSchemas = new WeakSet<z.ZodType>();

/** Marks a schema whose strings may be secret. */
export function allowSecret<S extends z.ZodType>(schema: S): S {
  secretSchemas.add(schema);
  return schema;
}

/** Cached results of {@link mayHoldSecret}, because it is called for every task of every host. */
const holders = new WeakMap<z.ZodType, boolean>();

/** True if a part of the schema may be secret. */
export function mayHoldSecret(schema: z.ZodType): boolean {
  const known = holders.get(schema) ?? findSecret(schema, new Set());
  holders.set(schema, known);
  return known;
}

/** `seen`: the schemas already visited, because a schema may contain itself. */
function findSecret(schema: z.ZodType, seen: Set<z.ZodType>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  // A schema with a description or refinement is a copy; zod keeps a reference to the original.
  for (let own: z.ZodType | undefined = schema; own; own = own._zod.parent as z.ZodType | undefined) {
    if (secretSchemas.has(own)) return true;
  }
  const { def } = schema as unknown as { def: SchemaDef };
  const parts = [
    ...innerOf(def),
    def.element,
    def.valueType,
    def.catchall,
    def.getter?.(),
    ...(def.options ?? []),
    ...Object.values(def.shape ?? {}),
  ];
  return parts.some((part) => part !== undefined && findSecret(part, seen));
}

function refuseSecrets(schema: z.ZodType, params: unknown, where: Where): void {
  if (typeof params !== "object" || params === null || !holdsSecret(params)) return;
  for (const [param, value] of Object.entries(params)) {
    if (holdsSecret(value) && !branches(schema, param).some(mayHoldSecret)) {
      throw new FurrowError("E_SECRET", {
        what: `param "${param}" cannot be secret, because it becomes part of names, commands or messages`,
        where: { ...where, param },
        hint: "Put the secret into a file's content, a command's stdin or its env",
      });
    }
  }
}

function branches(schema: z.ZodType, param: string): z.ZodType[] {
  const { def } = schema as unknown as { def: SchemaDef };
  const own = def.shape?.[param];
  return [...(own ? [own] : []), ...[...(def.options ?? []), ...innerOf(def)].flatMap((part) => branches(part, param))];
}
