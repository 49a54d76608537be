import { seeded } from "../../seeded.ts";
import type { ObjectData } from "../on-server.ts";

/** The part of a schema from which mutants are generated: JSON Schema as in a CustomResourceDefinition. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
}

/** An object with one mistake. */
export interface Mutant {
  /** `misspelled spec.uplink.nics`, `wrong type of spec.retry`, … */
  readonly mistake: string;
  readonly object: ObjectData;
}

type Path = readonly (string | number)[];

interface Mistake {
  readonly kind: "misspelled" | "wrong type of" | "missing" | "unknown value of";
  readonly path: Path;
  readonly schema: Schema;
}

/** Mutants of an object: each has a mistake that its schema forbids. The same seed gives the same mutants. */
export function mutantsOf(object: ObjectData, schema: Schema, seed: number, count: number): Mutant[] {
  const random = seeded(seed);
  const { properties = {}, required = [] } = schema;
  const sites = Object.keys(properties)
    .filter((key) => key !== "status")
    .flatMap((key) => mistakesAt([key], properties[key] ?? {}, object[key], required.includes(key)));
  if (sites.length === 0) return [];
  return Array.from({ length: count }, () => {
    const { kind, path, schema: own } = sites[random(sites.length)] as Mistake;
    const copy = structuredClone(object) as Record<string, unknown>;
    const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
    change(kind, parent as Record<string, unknown>, String(path.at(-1)), own, random);
    return { mistake: `${kind} ${path.join(".")}`, object: copy };
  });
}

/** The mistakes that an author can make in a field of the object, and below that field. */
function mistakesAt(path: Path, schema: Schema, value: unknown, isRequired: boolean): Mistake[] {
  if (value === undefined) return [];
  const kinds: Mistake["kind"][] = ["wrong type of"];
  if (typeof path.at(-1) === "string") kinds.push("misspelled");
  if (isRequired) kinds.push("missing");
  if (schema.enum !== undefined) kinds.push("unknown value of");
  return [...kinds.map((kind) => ({ kind, path, schema })), ...below(path, schema, value)];
}

function below(path: Path, schema: Schema, value: unknown): Mistake[] {
  const { properties = {}, additionalProperties, items, required = [] } = schema;
  if (items !== undefined && Array.isArray(value))
    return value.flatMap((item, index) => mistakesAt([...path, index], items, item, false));
  if (typeof value !== "object" || value === null) return [];
  const held = value as Readonly<Record<string, unknown>>;
  const ofFields = Object.entries(properties).flatMap(([key, own]) =>
    mistakesAt([...path, key], own, held[key], required.includes(key)),
  );
  // The keys of a map can have any name.
  const ofMap = additionalProperties === undefined ? [] : Object.keys(held).map((key) => [...path, key]);
  const wrongTypes = ofMap.map((place) => ({
    kind: "wrong type of" as const,
    path: place,
    schema: additionalProperties ?? {},
  }));
  return [...ofFields, ...wrongTypes];
}

function change(
  kind: Mistake["kind"],
  parent: Record<string, unknown>,
  key: string,
  schema: Schema,
  random: (limit: number) => number,
): void {
  const value = parent[key];
  if (kind === "unknown value of") parent[key] = `${String(value)}-${random(1000)}`;
  else if (kind === "wrong type of") parent[key] = wrong(schema, random);
  else {
    delete parent[key];
    if (kind === "misspelled") parent[misspelt(key, random)] = value;
  }
}

/** A value whose type the schema does not allow. */
function wrong({ type }: Schema, random: (limit: number) => number): unknown {
  const values: readonly (readonly [string, unknown])[] = [
    ["string", `text${random(1000)}`],
    ["integer", random(1000)],
    ["boolean", random(2) === 0],
    ["array", [random(1000)]],
    ["object", { wrong: random(1000) }],
  ];
  const others = values.filter(([name]) => name !== type);
  return others[random(others.length)]?.[1];
}

/** A name with two letters swapped, one letter left out, or one letter in the other case. */
function misspelt(name: string, random: (limit: number) => number): string {
  const at = random(name.length - 1);
  const [a = "", b = ""] = [name[at], name[at + 1]];
  const flipped = a === a.toUpperCase() ? a.toLowerCase() : a.toUpperCase();
  const forms = [
    name.slice(0, at) + b + a + name.slice(at + 2),
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + flipped + name.slice(at + 1),
  ];
  const changed = forms.filter((form) => form !== name && form !== "");
  return changed[random(changed.length)] ?? `${name}s`;
}
