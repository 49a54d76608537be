import type { z } from "zod";
import { defOf, type SchemaDef } from "../secrets/secret-schema.ts";

/** The known names of an object, and the layouts of the objects inside it. */
export interface Layout {
  /** The known names; undefined if the names are data, as in a record. */
  readonly names: ReadonlySet<string> | undefined;
  /** The layout of a name's value; undefined if unknown. */
  child(name: string): Layout | undefined;
  /** The layout of each element, if the value is a list. */
  readonly element: Layout | undefined;
}

/**
 * The names of an object as a literal: `{ os: { id: true }, kernel: true }`; `true` for a name whose value has no known
 * names.
 */
export type NameTree<T> = {
  readonly [K in keyof T]-?: true | NameTree<T[K]>;
};

/** The layout of an object from a list of its names. */
export function layoutOfNames(tree: object): Layout {
  const names = new Set(Object.keys(tree));
  const below = Object.entries(tree).flatMap(([name, part]: [string, unknown]) =>
    typeof part === "object" && part !== null ? [[name, layoutOfNames(part)] as const] : [],
  );
  const children = new Map(below);
  return { names, child: (name) => children.get(name), element: undefined };
}

const known = new WeakMap<z.ZodType, Layout>();

/** The layout of a schema's output; the same object for the same schema. */
export function layoutOfSchema(schema: z.ZodType): Layout {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const layout = new SchemaLayout(concrete(schema));
  known.set(schema, layout);
  return layout;
}

/** Types that contain no other value, so they have no names. */
const plain = new Set(
  "string number int boolean bigint symbol null undefined void never date nan literal enum template_literal".split(" "),
);

/** True for a schema that accepts names besides its own. */
function isOpen(schema: z.ZodType): boolean {
  const { type = "", catchall } = defOf(schema);
  if (type === "object") return catchall !== undefined && defOf(catchall).type !== "never";
  return type !== "array" && type !== "tuple" && !plain.has(type);
}

/**
 * The layout of a value for which several schemas are possible: a union's branches, or both sides of an intersection.
 */
class SchemaLayout implements Layout {
  readonly names: ReadonlySet<string> | undefined;
  readonly #schemas: readonly SchemaDef[];
  readonly #children = new Map<string, Layout | undefined>();
  #element: { readonly layout: Layout | undefined } | undefined;

  constructor(schemas: readonly z.ZodType[]) {
    this.#schemas = schemas.map(defOf);
    const shapes = this.#schemas.flatMap(({ shape }) => (shape === undefined ? [] : [Object.keys(shape)]));
    this.names = schemas.some(isOpen) ? undefined : new Set(shapes.flat());
  }

  child(name: string): Layout | undefined {
    if (!this.#children.has(name)) {
      const parts = this.#schemas.map(({ shape, catchall, valueType }) =>
        shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : (catchall ?? valueType),
      );
      this.#children.set(name, together(parts));
    }
    return this.#children.get(name);
  }

  get element(): Layout | undefined {
    this.#element ??= {
      layout: together(this.#schemas.flatMap(({ element, items = [], rest }) => [element, ...items, rest])),
    };
    return this.#element.layout;
  }
}

function together(schemas: readonly (z.ZodType | null | undefined)[]): Layout | undefined {
  const given = schemas.filter((schema) => schema !== undefined && schema !== null);
  const [only] = given;
  if (only === undefined) return undefined;
  return given.length === 1 ? layoutOfSchema(only) : new SchemaLayout(given.flatMap((schema) => concrete(schema)));
}

/**
 * The schemas that describe the output: without wrappers, only the last part of a transformation, and all branches of a
 * union.
 */
function concrete(schema: z.ZodType, depth = 0): z.ZodType[] {
  const { type, innerType, out, left, right, options, getter } = defOf(schema);
  // Stops at a schema that contains only itself.
  if (depth > 20) return [];
  const parts = type === "pipe" ? [out] : [innerType, left, right, ...(options ?? []), getter?.()];
  const inner = parts.filter((part) => part !== undefined);
  return inner.length === 0 ? [schema] : inner.flatMap((part) => concrete(part, depth + 1));
}
