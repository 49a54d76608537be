import type { CollectionTag, ScalarTag, Tags } from "yaml";

const plain = (tag: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag => ({
  tag: `tag:yaml.org,2002:${tag}`,
  default: true,
  test,
  resolve,
});

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
 * The scalars of YAML 1.1 as kubectl reads them: `yes`, `y` and `on` are booleans, and `0644` is octal, as in `defaultMode:
 * 0644`. Times of day and dates are strings.
 */
const scalars: readonly ScalarTag[] = [
  plain("null", /^(?:~|null|Null|NULL|)$/, () => null),
  plain("bool", /^(?:true|True|TRUE|y|Y|yes|Yes|YES|on|On|ON)$/, () => true),
  plain("bool", /^(?:false|False|FALSE|n|N|no|No|NO|off|Off|OFF)$/, () => false),
  plain("int", /^[-+]?(?:0b[01_]*[01]|0[xX][\da-fA-F_]*[\da-fA-F]|0o?[0-7_]*[0-7]|0|[1-9][\d_]*)$/, whole),
  plain(
    "float",
    /^(?:[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    decimal,
  ),
];

/** Replaces the parser's scalars by {@link scalars}, and keeps only mappings and lists as collections. */
export function asKubectlReads(tags: Tags): Tags {
  const kept = /^tag:yaml\.org,2002:(?:map|seq|str|merge)$/;
  return [
    ...tags.filter((tag): tag is CollectionTag | ScalarTag => typeof tag === "object" && kept.test(tag.tag)),
    ...scalars,
  ];
}
