import type { z } from "zod";

/** The parts of a schema's definition that {@link partsOf} reads; each kind of schema has some of them. */
interface Def {
  readonly type?: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly out?: z.ZodType;
  readonly left?: z.ZodType;
  readonly right?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly getter?: () => z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly items?: readonly z.ZodType[];
  readonly valueType?: z.ZodType;
  readonly entries?: Readonly<Record<string, string | number>>;
  readonly values?: readonly unknown[];
}

/** The schemas of one value. A union has several; a value that no schema describes has none. */
export type Schemas = readonly z.ZodType[];

const defOf = (schema: z.ZodType): Def => schema.def;

/** A schema and all schemas that it wraps or offers as options for the same value. */
export function partsOf(schema: z.ZodType | undefined): Schemas {
  const found = new Set<z.ZodType>();
  const add = (one: z.ZodType | undefined): void => {
    if (one === undefined || found.has(one)) return;
    found.add(one);
    const { innerType, in: given, out, left, right, options = [], getter } = defOf(one);
    for (const part of [innerType, given, out, left, right, ...options, getter?.()]) add(part);
  };
  add(schema);
  return [...found];
}

/** True if one of the schemas lists this text as a value: as an option of an enum, or as a literal. */
export function lists(schemas: Schemas, text: string): boolean {
  return schemas.some((schema) => {
    const { entries = {}, values = [] } = defOf(schema);
    return Object.values(entries).includes(text) || values.includes(text);
  });
}

/** The schemas of an object's part with this name; undefined if no schema names the part. */
export function partNamed(schemas: Schemas, name: string): Schemas | undefined {
  const named = schemas.flatMap((schema) => {
    const { shape = {} } = defOf(schema);
    return Object.hasOwn(shape, name) ? partsOf(shape[name]) : [];
  });
  return named.length > 0 ? named : undefined;
}

/** The schemas of the entries of a list or a record. */
export function entriesOf(schemas: Schemas): Schemas {
  return schemas.flatMap((schema) => {
    const { element, items = [], valueType } = defOf(schema);
    return [element, ...items, valueType].flatMap((part) => partsOf(part));
  });
}
