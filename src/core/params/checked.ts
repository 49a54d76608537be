import type { z } from "zod";

/**
 * The minimum number of uses of a schema for which a function compiled by zod saves more time than compiling it costs.
 */
const manyUses = 300;

const uses = new WeakMap<z.ZodType, number>();

/**
 * Checks an input with a schema, as `safeParse` does. zod would compile a function for every object schema on the
 * schema's first use, which takes half a millisecond per schema. Here, a function is compiled only for a schema that is
 * used often. `times`: how many values of the same shape this input contains.
 */
export function checked<S extends z.ZodType>(schema: S, input: unknown, times = 1): z.ZodSafeParseResult<z.output<S>> {
  const count = (uses.get(schema) ?? 0) + times;
  uses.set(schema, count);
  return schema.safeParse(input, { jitless: count < manyUses });
}
