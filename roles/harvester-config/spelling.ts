import { z } from "../../src/authoring.ts";

/**
 * Converts a key to snake_case as the installer's mapper does (rancher/mapper, convert.ToYAMLKey): every capital letter
 * after the first word becomes a separate word, so `guaranteedInstanceManagerCPU` becomes
 * `guaranteed_instance_manager_c_p_u`.
 */
export function snakeOf(key: string): string {
  const rest = key.replace(/^\p{Lu}+/u, (capitals) => capitals.toLowerCase());
  return rest.replaceAll(/\p{Lu}/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** Converts a key in the installer's snake_case to camelCase, the spelling in the installer's source. */
function camelOf(key: string): string {
  return key.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase());
}

type Camel<K extends string> = K extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : K;

/** The keys of an object in every spelling that the installer reads. */
type InSpellings<I> = I & { readonly [K in keyof I & string as Camel<K> | Lowercase<Camel<K>>]?: I[K] };

type Strict<S extends z.ZodRawShape> = z.ZodObject<S, z.core.$strict>;

/** An object whose keys may have any spelling that the installer reads; its output has the keys of the shape. */
export type Spelled<S extends z.ZodRawShape> = z.ZodType<z.output<Strict<S>>, InSpellings<z.input<Strict<S>>>>;

/** Keys that a shape does not have, in the installer's snake_case. */
export interface OtherKeys {
  /** Keys that are refused, each with the reason. */
  readonly refused?: Readonly<Record<string, string>>;
  /** Keys that Harvester's documentation shows, but that the installer ignores: they are accepted and dropped. */
  readonly ignored?: readonly string[];
}

/**
 * Returns the schema of an object in Harvester's configuration. Like the installer's own mapper (FuzzyNames in
 * rename.go) it accepts each key in camelCase, in snake_case, and in lower case. Two spellings of one key are refused,
 * because the installer could use either one.
 */
export function spelled<S extends z.ZodRawShape>(shape: S, { refused = {}, ignored = [] }: OtherKeys = {}): Spelled<S> {
  const keys = new Map(Object.keys(shape).flatMap((key) => spellingsOf(key).map((one) => [one, key])));
  const dropped = new Set(ignored.flatMap(spellingsOf));
  const reasons = new Map(Object.entries(refused).flatMap(([key, why]) => spellingsOf(key).map((one) => [one, why])));
  const strict = z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return undefined;
      return issue.keys.map((key) => reasonAgainst(key, reasons, Object.keys(shape))).join("\n");
    },
  });
  const renamed = (input: unknown, context: z.core.$RefinementCtx): unknown => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
    const output: Record<string, unknown> = {};
    for (const [given, value] of Object.entries(input)) {
      const key = keys.get(given) ?? given;
      if (dropped.has(given)) continue;
      if (Object.hasOwn(output, key)) {
        context.issues.push({ code: "custom", input, path: [given], message: `one spelling of ${key}, not two` });
      }
      output[key] = value;
    }
    return output;
  };
  return z.preprocess(renamed, strict) as unknown as Spelled<S>;
}

/** Returns the spellings of a key that the installer reads: as in its source, in snake_case, and in lower case. */
function spellingsOf(key: string): string[] {
  const camel = camelOf(key);
  return [...new Set([key, camel, snakeOf(camel), camel.toLowerCase()])];
}

function reasonAgainst(key: string, reasons: ReadonlyMap<string, string>, known: readonly string[]): string {
  const why = reasons.get(key);
  if (why !== undefined) return `no ${key}: ${why}`;
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z\d]/g, "");
  const meant = known.find((one) => letters(one) === letters(key));
  return `Unrecognized key: "${key}"${meant === undefined ? "" : `, which the installer ignores; its name is ${meant}`}`;
}
