import { nameOf, type Syntax } from "./syntax.ts";

/** One of the params that a task accepts, as written in a type declaration. */
export interface Param {
  readonly name: string;
  /** The param's doc comment with the line break after it; empty if the param has none. */
  readonly comment: string;
  /** `readonly mode?: string | AnyRef<string | undefined> | undefined;` */
  readonly signature: string;
}

/** Types whose values are passed as is, never with Refs inside. */
const opaque = /^(.*\.)?(Secret|TaskCall<unknown>)$/s;

/** The properties of an object type, with the types that an author may give for them: see `OrRef`. */
export function membersOf(type: Syntax, declarations: string): Param[] {
  // The compiler writes the type of an object without properties as `Record<string, never>`.
  return ((type["members"] ?? []) as readonly Syntax[]).map((member) => {
    const { key, optional, typeAnnotation } = member as unknown as {
      readonly key: Syntax;
      readonly optional: boolean;
      readonly typeAnnotation: { readonly typeAnnotation: Syntax };
    };
    // An index signature: the named properties, which may be Refs, must also match its type.
    if (member.type === "TSIndexSignature")
      return { name: "[name: string]", comment: "", signature: "readonly [name: string]: unknown;" };
    const given = orRef(typeAnnotation.typeAnnotation, declarations);
    return {
      name: nameOf(member),
      comment: /\/\*\* [^\n]* \*\/\n\s*$/.exec(declarations.slice(0, member.start))?.[0] ?? "",
      signature: `readonly ${declarations.slice(key.start, key.end)}${optional ? "?" : ""}: ${given};`,
    };
  });
}

/** A Ref to a complete type. */
export function wholeRef(type: Syntax, declarations: string): string {
  return `RefTo<${plain(type, declarations)}>`;
}

/** A type in which the value, or any part of it at any depth, may be a Ref; lists and objects are written out. */
function orRef(type: Syntax, declarations: string): string {
  const parts = partsOf(type).filter(({ type: kind }) => kind !== "TSUndefinedKeyword");
  const whole = `AnyRef<${plain(type, declarations)}>`;
  const rest = parts.length < partsOf(type).length ? ["undefined"] : [];
  return [...unionWithRefs(parts, declarations), whole, ...rest].join(" | ");
}

function withRefs(type: Syntax, declarations: string): string {
  const text = plain(type, declarations);
  const { elementType, typeAnnotation, typeArguments } = type as unknown as {
    readonly elementType: Syntax;
    readonly typeAnnotation: Syntax;
    readonly typeArguments?: { readonly params: readonly Syntax[] };
  };
  if (type.type === "TSTypeOperator") return withRefs(typeAnnotation, declarations);
  if (type.type === "TSParenthesizedType") return withRefs(typeAnnotation, declarations);
  if (type.type === "TSArrayType") return `readonly (${itemType(elementType, declarations)})[]`;
  if (type.type === "TSTypeLiteral") return objectType(membersOf(type, declarations).map(memberText));
  const [, value] = typeArguments?.params ?? [];
  if (text.startsWith("Record<string,") && value) return `{ readonly [name: string]: ${orRef(value, declarations)} }`;
  if (/^TS(\w+Keyword|LiteralType)$/.test(type.type) || opaque.test(text)) return text;
  return `OrRef<${text}>`;
}

/**
 * The members of a union. Properties that all its objects share are written once, because an editor shows the
 * description of a shared name only if one place declares it.
 */
function unionWithRefs(parts: readonly Syntax[], declarations: string): string[] {
  const objects = parts.filter(({ type }) => type === "TSTypeLiteral").map((part) => membersOf(part, declarations));
  const [first = [], ...others] = objects.map((members) => members.map(memberText));
  const common = others.length === 0 ? [] : first.filter((one) => others.every((members) => members.includes(one)));
  if (common.length === 0) return parts.map((part) => withRefs(part, declarations));
  const rest = parts.filter(({ type }) => type !== "TSTypeLiteral").map((part) => withRefs(part, declarations));
  const own = [first, ...others].map((members) => objectType(members.filter((one) => !common.includes(one))));
  return [...rest, `(${objectType(common)} & (${own.join(" | ")}))`];
}

function itemType(type: Syntax, declarations: string): string {
  return [...unionWithRefs(partsOf(type), declarations), wholeRef(type, declarations)].join(" | ");
}

function objectType(members: readonly string[]): string {
  return `{\n${members.join("")}}`;
}

/** A property as a line of an interface or object type, after its doc comment. */
export function memberText({ comment, signature }: Param): string {
  return `    ${comment}${signature}\n`;
}

/** The members of a union; the type itself if it is not a union. */
function partsOf(type: Syntax): readonly Syntax[] {
  const inner = type.type === "TSParenthesizedType" ? (type["typeAnnotation"] as Syntax) : type;
  return inner.type === "TSUnionType" ? (inner["types"] as readonly Syntax[]) : [inner];
}

/** A type as the compiler wrote it, without doc comments. */
function plain(type: Syntax, declarations: string): string {
  return declarations.slice(type.start, type.end).replaceAll(/\/\*\* [^\n]* \*\/\n\s*/g, "");
}
