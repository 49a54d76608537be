import type { z } from "../src/authoring.ts";
import { defOf } from "../src/core/secrets/secret-schema.ts";
import { argumentsOf, nameOf, type Syntax, visit, visitDeclarations } from "./syntax.ts";

/** The descriptions of an object schema's properties, keyed by property name. */
export type DescribedObject = ReadonlyMap<string, string | undefined>;

/** All objects of a schema, at any depth, with the descriptions given by `describe`. */
export function describedObjects(schema: z.ZodType, seen: Set<z.ZodType> = new Set()): DescribedObject[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { shape, options = [], items = [], element, valueType, innerType, in: first, out, left, right } = defOf(schema);
  const parts = [
    ...Object.values(shape ?? {}),
    ...options,
    ...items,
    element,
    valueType,
    innerType,
    first,
    out,
    left,
    right,
  ];
  const below = parts.flatMap((part) => (part === undefined ? [] : describedObjects(part, seen)));
  if (shape === undefined) return below;
  return [new Map(Object.entries(shape).map(([name, part]) => [name, descriptionOf(part)])), ...below];
}

function descriptionOf(schema: z.ZodType): string | undefined {
  const inner = defOf(schema).innerType;
  return schema.description ?? (inner === undefined ? undefined : descriptionOf(inner));
}

/**
 * Returns the declarations, with the descriptions added as doc comments to the params that tasks and roles accept. An
 * object type gets the descriptions of the schema's object with exactly the same property names. If several objects
 * have these names (members of a union, for example), they are used in turn.
 */
export function withDocComments(declarations: string, objects: readonly DescribedObject[]): string {
  const byNames = Map.groupBy(objects, (object) => namesId([...object.keys()]));
  const turns = new Map<string, number>();
  const comments: { readonly at: number; readonly text: string }[] = [];
  const comment = (node: Syntax): void => {
    if (node.type !== "TSTypeLiteral") return;
    const properties = (node["members"] as readonly Syntax[]).filter(({ type }) => type !== "TSIndexSignature");
    const members = properties.map((member) => ({ member, name: nameOf(member) }));
    const id = namesId(members.map(({ name }) => name));
    const fitting = byNames.get(id) ?? [];
    const turn = turns.get(id) ?? 0;
    turns.set(id, turn + 1);
    for (const { member, name } of members) {
      const text = fitting[turn % fitting.length]?.get(name);
      if (text !== undefined) comments.push({ at: member.start, text: commented(text) });
    }
  };
  visitDeclarations(declarations, (node) => {
    const accepted = argumentsOf(node, declarations, /^(Task|CompositeTask|Role)$/)?.[0];
    if (accepted !== undefined) visit(accepted, comment);
  });
  return comments
    .toSorted((a, b) => b.at - a.at)
    .reduce(
      (text, { at, text: said }) => `${text.slice(0, at)}/** ${said} */\n${indentAt(text, at)}${text.slice(at)}`,
      declarations,
    );
}

/** A description, escaped for a doc comment: editors show the escaped end-of-comment marker as the marker itself. */
export function commented(description: string): string {
  return description.replaceAll("*/", String.raw`*\/`);
}

/**
 * A comment must be on its own line: TypeScript 7 does not show a comment that is followed by code on the same line.
 */
function indentAt(text: string, at: number): string {
  return /[ \t]*$/.exec(text.slice(0, at))?.[0] ?? "";
}

function namesId(names: readonly string[]): string {
  return names.toSorted().join(" ");
}
