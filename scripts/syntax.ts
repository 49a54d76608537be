import { parseAst } from "rolldown/parseAst";

/** A node of a syntax tree, reduced to what is needed here. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

/** Calls `see` for every node of type declarations, parents first. */
export function visitDeclarations(declarations: string, see: (node: Syntax) => void): void {
  visit(parseAst(declarations, { lang: "dts" }), see);
}

/** Calls `see` for a node and every node below it, parents first. */
export function visit(node: unknown, see: (node: Syntax) => void): void {
  if (Array.isArray(node)) for (const item of node as unknown[]) visit(item, see);
  else if (isSyntax(node)) {
    see(node);
    for (const part of Object.values(node)) visit(part, see);
  } else if (typeof node === "object" && node !== null && "body" in node) visit(node.body, see);
}

/** The name of an object type's member. */
export function nameOf(member: Syntax): string {
  const { key } = member as { key?: { name?: string; value?: string | number } };
  return `${key?.name ?? key?.value ?? ""}`;
}

/** The type arguments of a reference to one of the named types, `Task<A, B>`; undefined for any other node. */
export function argumentsOf(node: Syntax, declarations: string, names: RegExp): readonly Syntax[] | undefined {
  const { typeArguments } = node as { typeArguments?: Syntax & { readonly params: readonly Syntax[] } };
  if (!typeArguments) return undefined;
  const name = declarations.slice(node.start, typeArguments.start);
  return names.test(name.replace(/^.*\./s, "")) ? typeArguments.params : undefined;
}

function isSyntax(node: unknown): node is Syntax {
  return typeof node === "object" && node !== null && "type" in node && typeof node.type === "string";
}
