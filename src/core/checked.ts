import type { z } from "zod";

/** Uses of a schema from which on the function that zod compiles for it saves more than compiling it costs. */
const manyUses = 300;

const uses = new WeakMap<z.ZodType, number>();

/**
 * What a schema says of an input, as `safeParse` does. zod would compile a function for every object of a schema when it is
 * first used, half a millisecond each; here only a schema that is used often gets one. `times`: how many things of one
 * shape this input holds.
 */
export function checked<S extends z.ZodType>(schema: S, input: unknown, times = 1): z.ZodSafeParseResult<z.output<S>> {
  const count = (uses.get(schema) ?? 0) + times;
  uses.set(schema, count);
  return schema.safeParse(input, { jitless: count < manyUses });
}
