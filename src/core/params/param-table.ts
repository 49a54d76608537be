import { z } from "zod";
import { Secret } from "../secrets/secret.ts";

/** One param of a task, as the help and the reference show it. */
export interface ParamRow {
  readonly name: string;
  /** As a user would write it: `string`, `"file"`, `"started" | "stopped"`, `number[]`. */
  readonly type: string;
  readonly required: boolean;
  /** As JSON; undefined if the param has no default. */
  readonly default?: string;
  readonly text: string;
}

/** A set of params that belong together: a union schema has one set for each branch. */
export interface ParamSet {
  /**
   * The purpose of this branch, taken from the param that distinguishes it from the others; undefined if there is only
   * one branch.
   */
  readonly about?: string;
  readonly rows: readonly ParamRow[];
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  /** The name of one of furrow's own classes or custom checks, which JSON Schema cannot express. */
  ours?: string;
}

/** One sample value for each type that a custom check may accept. */
const probes: Readonly<Record<string, unknown>> = {
  unknown: Symbol("anything"),
  Secret: new Secret("probe", "0"),
  task: { node: "task" },
  RegExp: /./,
};

function nameOurs({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  if (zodSchema._zod.def.type !== "custom") return;
  const accepted = Object.entries(probes).find(([, probe]) => z.safeParse(zodSchema, probe).success);
  (jsonSchema as JsonSchema).ours = accepted?.[0] ?? "unknown";
}

/** The params that a schema accepts, as tables. */
export function paramSets(schema: z.ZodType): ParamSet[] {
  const json = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: nameOurs,
  }) as JsonSchema;
  const branches = flatten(json);
  return branches.map((branch) => {
    const rows = Object.entries(branch.properties ?? {}).map(([name, part]) => row(name, part, branch));
    const about = branches.length > 1 ? aboutOf(branch) : undefined;
    return { ...(about !== undefined && { about }), rows };
  });
}

/** If all sets have at least this many params in common, these params get their own table. */
const fewestCommon = 3;

/** The sets in a more readable form: params that all sets share come first, and only once. */
export function foldedSets(sets: readonly ParamSet[]): readonly ParamSet[] {
  const [first, ...others] = sets;
  if (first === undefined || others.length === 0) return sets;
  const textOf = (one: ParamRow): string => JSON.stringify(one);
  const alike = first.rows.filter((one) =>
    others.every(({ rows }) => rows.some((other) => textOf(other) === textOf(one))),
  );
  if (alike.length < fewestCommon) return sets;
  const texts = new Set(alike.map(textOf));
  const own = sets.map(({ rows, ...set }) => ({ ...set, rows: rows.filter((one) => !texts.has(textOf(one))) }));
  return [{ about: "Always", rows: alike }, ...own];
}

function flatten(json: JsonSchema): JsonSchema[] {
  const branches = json.anyOf ?? json.oneOf;
  return branches === undefined ? [json] : branches.flatMap(flatten);
}

function aboutOf(branch: JsonSchema): string | undefined {
  const parts = Object.values(branch.properties ?? {});
  return branch.description ?? parts.find((part) => part.const !== undefined)?.description;
}

function row(name: string, part: JsonSchema, branch: JsonSchema): ParamRow {
  const required = (branch.required ?? []).includes(name);
  const value = part.default === undefined ? {} : { default: JSON.stringify(part.default) };
  return { name, type: typeOf(part), required, ...value, text: part.description ?? "" };
}

function typeOf(part: JsonSchema): string {
  if (part.const !== undefined) return JSON.stringify(part.const);
  if (part.enum !== undefined) return part.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = part.anyOf ?? part.oneOf;
  if (branches !== undefined) return [...new Set(branches.map(typeOf))].join(" | ");
  if (part.type === "array") return listOf(typeOf(part.items ?? {}));
  if (part.type === "object") return objectOf(part);
  if (part.type === "integer") return "number";
  if (typeof part.type === "string") return part.type;
  return part.ours ?? part.type?.join(" | ") ?? "unknown";
}

function listOf(type: string): string {
  return type.includes(" ") ? `(${type})[]` : `${type}[]`;
}

function objectOf(part: JsonSchema): string {
  const fields = Object.entries(part.properties ?? {}).map(([name, inner]) => {
    const mark = (part.required ?? []).includes(name) ? "" : "?";
    return `${name}${mark}: ${typeOf(inner)}`;
  });
  if (fields.length > 0) return `{ ${fields.join("; ")} }`;
  const values = typeof part.additionalProperties === "object" ? typeOf(part.additionalProperties) : "unknown";
  return `Record<string, ${values}>`;
}
