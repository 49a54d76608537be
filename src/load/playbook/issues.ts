import type { z } from "zod";
import { closest } from "../../core/closest.ts";
import { expectedOf } from "../../core/params/issue-text.ts";
import { knownKeys } from "../../core/params/params.ts";
import { redact } from "../../core/secrets/redact.ts";
import { Secret } from "../../core/secrets/secret.ts";
import { isSecretAt, isSecretName, notShown } from "../../core/secrets/secret-schema.ts";
import { shownValue } from "../../core/secrets/shown-value.ts";

/** One error in data that a user wrote. */
export interface Fault {
  /** The place in the data: `hosts.web1.port`. */
  readonly path: string;
  readonly kind: "missing" | "unknown" | "wrong";
  /** The unknown key, which may contain a dot; it is the last part of the path. */
  readonly key?: string;
  readonly current?: string;
  readonly expected?: string;
  /** A key that the record does not allow; it is the last part of the path. */
  readonly wrongKey?: string;
  /** The key that was probably meant. */
  readonly meant?: string;
  /** True if a string was expected and something else was given. */
  readonly wantsText?: boolean;
  /** True if the value is secret, by its schema or its name. */
  readonly isSecret?: boolean;
  /** True if a list was expected and something else was given. */
  readonly wantsList?: boolean;
}

/**
 * The errors a schema finds in data, one per path. If no branch of a union matches, these are the errors of the closest
 * branch.
 */
export function faults(schema: z.ZodType, issues: readonly z.core.$ZodIssue[], data: unknown): Fault[] {
  return issues.flatMap((issue) => flatten(issue, [])).flatMap((issue) => toFaults(schema, issue, data));
}

interface FlatIssue {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
}

function flatten(issue: z.core.$ZodIssue, base: readonly PropertyKey[]): FlatIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ path, issue }];
  const weight = (branch: readonly z.core.$ZodIssue[]): number =>
    branch.reduce((sum, part) => sum + (part.path.length === 0 ? 10 : 1), 0);
  const best = issue.errors.toSorted((a, b) => weight(a) - weight(b))[0] ?? [];
  const [wrongType] = best;
  const allowed = issue.errors.flatMap((branch) => wholeIssue(branch) ?? []);
  if (wrongType !== undefined && wholeIssue(best) !== undefined && allowed.length > 1) {
    const message = [...new Set(allowed.map(expectedOf))].join(", or ");
    return [{ path, issue: { ...wrongType, message } }];
  }
  return best.flatMap((part) => flatten(part, path));
}

/** The only issue of a union's branch, if it concerns the whole value, such as a wrong type. */
function wholeIssue(branch: readonly z.core.$ZodIssue[]): z.core.$ZodIssue | undefined {
  const [issue, ...others] = branch;
  if (issue === undefined || others.length > 0 || issue.path.length > 0) return undefined;
  return issue.code === "unrecognized_keys" || issue.code === "invalid_union" ? undefined : issue;
}

function toFaults(schema: z.ZodType, { path, issue }: FlatIssue, data: unknown): Fault[] {
  const expected = expectedOf(issue);
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(schema, path);
    // A schema can give a reason for each key that it refuses.
    const reasons = issue.message.split("\n");
    return issue.keys.map((key) => {
      const meant = closest(key, known);
      const reason = reasons.find((line) => line.startsWith(`no ${key}: `));
      return {
        path: [...path, key].map(String).join("."),
        kind: "unknown",
        key,
        ...(known.length > 0 && { expected: `one of ${known.join(", ")}` }),
        ...(reason !== undefined && { expected: reason }),
        ...(meant !== undefined && reason === undefined && { meant }),
      };
    });
  }
  const place = path.map(String).join(".");
  if (issue.code === "invalid_key") {
    const [inner = issue] = issue.issues;
    return [{ path: place, kind: "wrong", wrongKey: String(path.at(-1)), expected: expectedOf(inner) }];
  }
  const value = valueAt(data, path);
  const isSecret = isSecretAt(schema, path) || isSecretName(place);
  if (value === undefined) return [{ path: place, kind: "missing", expected, ...(isSecret && { isSecret }) }];
  const current = isSecret ? notShown : show(place, value);
  const wantsText = issue.code === "invalid_type" && issue.expected === "string";
  const wantsList = issue.code === "invalid_type" && issue.expected === "array";
  return [
    {
      path: place,
      kind: "wrong",
      current,
      expected,
      ...(isSecret && { isSecret }),
      ...(wantsText && { wantsText }),
      ...(wantsList && { wantsList }),
    },
  ];
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (part, key) =>
      typeof part === "object" && part !== null ? (part as Record<PropertyKey, unknown>)[key] : undefined,
    data,
  );
}

/** The keys that a schema declares at a path in its data. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const [key, ...rest] = path;
  if (key === undefined) return knownKeys(schema);
  const { def } = schema as unknown as { def: Readonly<Record<string, unknown>> };
  const shape = def["shape"] as Readonly<Record<PropertyKey, z.ZodType>> | undefined;
  const inner = shape?.[key] ?? (shape ? undefined : (def["valueType"] ?? def["element"]));
  if (inner !== undefined) return keysAt(inner as z.ZodType, rest);
  const given = def["in"] as z.ZodType | undefined;
  const wrapped = (def["innerType"] ?? (given?.def.type === "transform" ? def["out"] : given)) as z.ZodType | undefined;
  if (wrapped !== undefined) return keysAt(wrapped, path);
  const options = (def["options"] ?? []) as readonly z.ZodType[];
  return [...new Set(options.flatMap((option) => keysAt(option, path)))];
}

/** A value for a message, without the parts whose names look like names of secrets. */
export function show(name: string, value: unknown): string {
  return textOf(shownValue(name, value));
}

/** A value as text: JSON, redacted and then cut to 200 characters. Cutting first could leave half a secret. */
export function textOf(value: unknown): string {
  if (value === notShown) return notShown;
  const text = redact(value instanceof Secret ? String(value) : (JSON.stringify(value) ?? String(value)));
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
