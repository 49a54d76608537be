import { type Absent, absent, z } from "../../src/authoring.ts";

const schema = z.looseObject({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).default({}) }),
});

/**
 * Returns the desired state of an object without these annotations. The API server removes the field `annotations`
 * along with the last annotation, so the desired state may be that the whole field is absent.
 */
export function annotationsWithout(
  object: unknown,
  names: readonly string[],
): Absent | Readonly<Record<string, Absent>> {
  const { data } = schema.safeParse(object);
  const others = Object.keys(data?.metadata.annotations ?? {}).filter((name) => !names.includes(name));
  return data !== undefined && others.length === 0 ? absent : Object.fromEntries(names.map((name) => [name, absent]));
}
