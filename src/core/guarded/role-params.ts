import type { z } from "zod";
import { guarded } from "./guarded.ts";
import { layoutOfSchema } from "./layout.ts";

/**
 * The params of a role or composite, guarded by its schema. `name` is the name of the role or composite in messages:
 * `the role site`.
 */
export function guardParams<T>(schema: z.ZodType, params: T, name: string): T {
  const owner = { path: "params", declaredIn: `the params of ${name}`, keepsUnknown: true };
  return guarded(params, layoutOfSchema(schema), owner);
}
