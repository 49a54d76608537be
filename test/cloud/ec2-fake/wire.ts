/** A value in a query: a string, or nested values, whose names and numbers are separated by dots in the query. */
export type Param = string | { readonly [key: string]: Param };

/**
 * The params of a query as a tree: `Filter.1.Value.2=x` is `{ Filter: { 1: { Value: { 2: "x" } } } }`. The protocol:
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html
 */
export function parseQuery(body: string): Record<string, Param> {
  const tree: Record<string, Param> = {};
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.split(".");
    const last = path.pop() ?? "";
    let at = tree;
    for (const part of path) at = (at[part] ??= {}) as Record<string, Param>;
    at[last] = value;
  }
  return tree;
}

/** The string at a path in the tree; undefined if it is missing. */
export function text(params: Param | undefined, ...path: readonly string[]): string | undefined {
  let at: Param | undefined = params;
  for (const part of path) at = typeof at === "object" ? at[part] : undefined;
  return typeof at === "string" ? at : undefined;
}

/** The string at a path in the tree, as a number. */
export function numberOf(params: Param | undefined, ...path: readonly string[]): number | undefined {
  const found = text(params, ...path);
  return found === undefined ? undefined : Number(found);
}

/** The elements of a numbered list, in order. */
export function list(params: Param | undefined, name: string): Param[] {
  const found = typeof params === "object" ? params[name] : undefined;
  if (typeof found !== "object") return [];
  return Object.entries(found)
    .toSorted(([a], [b]) => Number(a) - Number(b))
    .map(([, value]) => value);
}

/** The strings in a numbered list. */
export function texts(params: Param | undefined, name: string): string[] {
  return list(params, name).flatMap((value) => (typeof value === "string" ? [value] : []));
}

/** A part of a response: lists become `<item>`s, undefined values are omitted. */
export type Answer = string | number | boolean | undefined | readonly Answer[] | { readonly [name: string]: Answer };

/** A response as XML. */
export function xml(value: Answer): string {
  if (value === undefined) return "";
  if (isList(value)) return value.map((item) => `<item>${xml(item)}</item>`).join("");
  if (typeof value !== "object") return String(value).replaceAll(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
  return Object.entries(value)
    .map(([name, part]) => (part === undefined ? "" : `<${name}>${xml(part)}</${name}>`))
    .join("");
}

function isList(value: Answer): value is readonly Answer[] {
  return Array.isArray(value);
}

/** An error in the API's form: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
