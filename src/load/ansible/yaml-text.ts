import { type CollectionTag, parseDocument, type ScalarTag, type Tags, type YAMLError } from "yaml";
import type { Secret } from "../../core/secrets/secret.ts";
import { wrongKey } from "./repeated-keys.ts";
import { syntaxFault } from "../playbook/syntax-fault.ts";
import { repeatedFault, repeatedJsonKey } from "../vars/repeated-json-key.ts";

/** The error for text that is not valid YAML, or that Ansible cannot read. */
export class YamlError extends Error {}

/** Turns the ciphertext of a `!vault` value into a secret; `name` is the path of the value in its file. */
export type OpenVault = (ciphertext: string, name: string) => Secret;

/** A placeholder for an encrypted value whose path is not known yet. */
class Encrypted {
  readonly ciphertext: string;

  constructor(ciphertext: string) {
    this.ciphertext = ciphertext;
  }
}

/**
 * The value, with its encrypted parts turned into secrets. A part that several aliases share is named after the first
 * alias.
 */
function opened(value: unknown, vault: OpenVault, path: readonly string[] = [], seen = new Map<object, unknown>()) {
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  if (value instanceof Encrypted) {
    const secret = vault(value.ciphertext, path.join(".") || "value");
    seen.set(value, secret);
    return secret;
  }
  seen.set(value, value);
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) parts[key] = opened(parts[key], vault, [...path, key], seen);
  return value;
}

const plain = (tag: string, test: RegExp, resolve: (text: string) => unknown): ScalarTag => ({
  tag: `tag:yaml.org,2002:${tag}`,
  default: true,
  test,
  resolve,
});

/** Reads a number in base 60, which looks like a time of day: `1:30` is 90. */
function sixty(text: string): number {
  const [, sign, digits = ""] = /^([-+]?)(.*)$/.exec(text) ?? [];
  const value = digits.split(":").reduce((sum, part) => sum * 60 + Number(part.replaceAll("_", "")), 0);
  return sign === "-" ? -value : value;
}

function whole(text: string): unknown {
  const [, sign, digits = ""] = /^([-+]?)(.*)$/.exec(text.replaceAll("_", "")) ?? [];
  const octal = /^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits;
  const value = digits.includes(":") ? sixty(digits) : Number(octal);
  // A number that a double cannot represent exactly stays a string.
  if (!Number.isSafeInteger(value)) return text;
  return sign === "-" && value !== 0 ? -value : value;
}

function decimal(text: string): unknown {
  if (/\.inf$/i.test(text) || /^\.nan$/i.test(text)) return text;
  return text.includes(":") ? sixty(text) : Number(text.replaceAll("_", ""));
}

const date =
  /^\d{4}-\d\d-\d\d$|^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)(?:\.(\d*))?(?:[ \t]*(Z|([-+])(\d\d?)(?::(\d\d))?))?$/;

/** Converts a date to ISO 8601 text, as Ansible prints it. */
function isoDate(text: string): string {
  const parts = date.exec(text);
  if (parts?.[1] === undefined) return text;
  const [
    ,
    year,
    month = "",
    day = "",
    hour = "",
    minute,
    second,
    fraction = "",
    zone,
    sign,
    east = "0",
    minutes = "0",
  ] = parts;
  const two = (part: string): string => part.padStart(2, "0");
  const micro = fraction.slice(0, 6).padEnd(6, "0");
  const offset = zone === undefined ? "" : zone === "Z" ? "+00:00" : `${sign}${two(east)}:${two(minutes)}`;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${Number(micro) === 0 ? "" : `.${micro}`}${offset}`;
}

/**
 * The scalars of YAML 1.1, read as in PyYAML, which differs from the standard: `y`, `n` and `1e3` are strings; `010` is
 * 8.
 */
const scalars: readonly ScalarTag[] = [
  plain("null", /^(?:~|null|Null|NULL|)$/, () => null),
  plain("bool", /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  plain("bool", /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  plain("int", /^[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0[0-7_]*|[1-9][\d_]*|[1-9][\d_]*(?::[0-5]?\d)+)$/, whole),
  plain(
    "float",
    /^(?:\.\d[\d_]*(?:[eE][-+]\d+)?|[-+]?(?:\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$/,
    decimal,
  ),
  plain("timestamp", date, isoDate),
];

/** Parses an Ansible file in YAML or JSON. Throws YamlError, and rethrows any error from `vault`. */
export function readYaml(text: string, vault: OpenVault): unknown {
  const json = readJson(text);
  if (json !== undefined) return opened(json.value, vault);
  const encrypted = (tag: string): ScalarTag => ({ tag, resolve: (ciphertext) => new Encrypted(ciphertext) });
  const unsafe: ScalarTag = { tag: "!unsafe", resolve: (value) => value };
  const kept = (tags: Tags): Tags => [
    ...tags.filter((tag): tag is CollectionTag => typeof tag === "object" && "collection" in tag),
    ...tags.filter(
      (tag) =>
        typeof tag === "object" && (tag.tag === "tag:yaml.org,2002:str" || tag.tag === "tag:yaml.org,2002:merge"),
    ),
    ...scalars,
    encrypted("!vault"),
    encrypted("!vault-encrypted"),
    unsafe,
  ];
  const document = parseDocument(text, {
    version: "1.1",
    schema: "yaml-1.1",
    merge: true,
    uniqueKeys: false,
    strict: false,
    customTags: kept,
    logLevel: "silent",
  });
  const [fault] = document.errors;
  if (fault !== undefined) throw new YamlError(placed(fault));
  const [stranger] = document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  if (stranger !== undefined) throw new YamlError(placed(stranger));
  const wrong = wrongKey(document, text);
  if (wrong !== undefined) throw new YamlError(`${wrong.reason} at line ${wrong.line}, column ${wrong.column}`);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 10_000 });
  } catch (error) {
    throw new YamlError(syntaxFault(error as Error));
  }
  return opened(value, vault);
}

/** The error and its position, without the text of the file, which may contain a secret. */
function placed(fault: YAMLError): string {
  const [start] = fault.linePos ?? [];
  return `${syntaxFault(fault)}${start === undefined ? "" : ` at line ${start.line}, column ${start.col}`}`;
}

/** Parses JSON; undefined for other text. JSON is tried before YAML because programs print JSON. */
function readJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const twice = repeatedJsonKey(text);
  if (twice !== undefined) throw new YamlError(repeatedFault(twice));
  return { value: JSON.parse(text, (_key, value: unknown) => revived(value)) as unknown };
}

function revived(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("__ansible_vault" in value) return new Encrypted(String(value.__ansible_vault));
  return "__ansible_unsafe" in value ? value.__ansible_unsafe : value;
}
