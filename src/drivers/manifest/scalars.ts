import {
  defineMappingTag,
  defineScalarTag,
  FAILSAFE_SCHEMA,
  mergeTag,
  NOT_RESOLVED,
  type ScalarTagDefinition,
} from "js-yaml";
import { isRecord } from "../../core/facts/symbols.ts";

/**
 * A scalar that matches `test` has the value that `resolve` returns. `firsts` is a comma-separated list of the
 * characters that such a scalar can begin with; an empty item stands for the empty scalar.
 */
function plain(tag: string, firsts: string, test: RegExp, resolve: (text: string) => unknown): ScalarTagDefinition {
  return defineScalarTag(`tag:yaml.org,2002:${tag}`, {
    implicit: true,
    implicitFirstChars: firsts.split(","),
    resolve: (text) => (test.test(text) ? resolve(text) : NOT_RESOLVED),
    identify: () => false,
  });
}

/** A number that a double cannot represent exactly stays a bigint, which no object may contain. */
function whole(text: string): number | bigint {
  const [, sign = "", digits = ""] = /^([-+]?)(.*)$/.exec(text.replaceAll("_", "")) ?? [];
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const signed = sign === "-" ? -value : value;
  return Number.isSafeInteger(Number(signed)) ? Number(signed) : signed;
}

function decimal(text: string): number {
  if (/\.nan$/i.test(text)) return Number.NaN;
  return /\.inf$/i.test(text) ? Number.POSITIVE_INFINITY : Number(text.replaceAll("_", ""));
}

/**
 * The scalars of YAML 1.1 as kubectl reads them: `yes`, `y` and `on` are booleans, and `0644` is octal, as in
 * `defaultMode: 0644`. Times of day and dates are strings.
 */
const scalars: readonly ScalarTagDefinition[] = [
  plain("null", ",~,n,N", /^(?:~|null|Null|NULL|)$/, () => null),
  plain(
    "bool",
    "t,T,y,Y,o,O,f,F,n,N",
    /^(?:true|True|TRUE|y|Y|yes|Yes|YES|on|On|ON|false|False|FALSE|n|N|no|No|NO|off|Off|OFF)$/,
    (text) => /^(?:[tTyY]|on$|On$|ON$)/.test(text),
  ),
  plain(
    "int",
    "-,+,0,1,2,3,4,5,6,7,8,9",
    /^[-+]?(?:0b[01_]*[01]|0[xX][\da-fA-F_]*[\da-fA-F]|0o?[0-7_]*[0-7]|0|[1-9][\d_]*)$/,
    whole,
  ),
  plain(
    "float",
    "-,+,.,0,1,2,3,4,5,6,7,8,9",
    /^(?:[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    decimal,
  ),
];

/** The parser's error for a key that is not a string. */
export const badKey = "a key is not a string";

/** The parser's error for the key `__proto__`, which JavaScript would silently drop. */
export const protoKey = "a key is __proto__, which furrow cannot send";

/** A mapping whose keys are strings. Other scalars are converted to strings, as in kubectl. */
const mapping = defineMappingTag<Record<string, unknown>>("tag:yaml.org,2002:map", {
  create: () => ({}),
  addPair(carrier, key, value) {
    if (!isScalar(key)) return badKey;
    if (key === "__proto__") return protoKey;
    carrier[String(key)] = value;
    return "";
  },
  has: (carrier, key) => isScalar(key) && Object.hasOwn(carrier, String(key)),
  keys: (result) => Object.keys(result),
  get: (result, key) => (isScalar(key) ? result[String(key)] : undefined),
  identify: (data) => isRecord(data),
});

function isScalar(key: unknown): key is string | number | bigint | boolean {
  return typeof key === "string" || typeof key === "number" || typeof key === "bigint" || typeof key === "boolean";
}

/** YAML as kubectl reads it: {@link scalars}, merges, and only mappings and lists as collections. */
export const asKubectlReads = FAILSAFE_SCHEMA.withTags(scalars, mergeTag, mapping);
