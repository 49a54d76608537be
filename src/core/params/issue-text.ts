/** The part of a zod issue that describes the expected value. */
interface Said {
  readonly message: string;
  readonly code?: string | undefined;
}

const ownWords =
  /^(?:Invalid (?:input|option|string|number)|Too small|Too big): (?:expected |must (?:be )?)?(.+?)(?:, received .+)?$/;

/**
 * The expectation in a zod issue, as a phrase: `a number`. The messages of furrow's own schemas contain this phrase.
 * Zod's own messages, which users' schemas use, also name the received value; that part is removed, because errors show
 * the value separately.
 */
export function expectedOf({ message, code }: Said): string {
  if (message === "Invalid input") return "another type or value";
  const [, said] = ownWords.exec(message) ?? [];
  if (said === undefined) return code === "invalid_format" ? formatIn(message) : message;
  return types[said] ?? boundIn(said) ?? textIn(said) ?? said.replaceAll('"|"', '", "');
}

/** Phrases, by zod's name for the type. */
const types: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "a boolean",
  date: "a date",
  bigint: "a bigint",
  record: "an object",
  tuple: "a tuple",
  array: "an array",
  object: "an object",
};

const bounds: Readonly<Record<string, string>> = {
  ">=": "at least",
  "<=": "at most",
  ">": "more than",
  "<": "less than",
  "exactly ": "exactly",
};

/** `array to have >=1 items`, `number to be <=65535`. Zod gives dates in milliseconds; these stay as they are. */
function boundIn(said: string): string | undefined {
  const [, bound = "", size, units] =
    /^(?!date )\w+ to (?:be|have) (>=|<=|>|<|exactly )(-?[\d.e+]+)(?: (\w+))?$/.exec(said) ?? [];
  const word = bounds[bound];
  if (word === undefined) return undefined;
  const unit = size === "1" ? units?.replace(/ies$/, "y").replace(/s$/, "") : units;
  return [word, size, unit].filter((part) => part !== undefined).join(" ");
}

const verbs: Readonly<Record<string, string>> = {
  "match pattern": "matches",
  "start with": "starts with",
  "end with": "ends with",
  include: "includes",
};

/** `match pattern /a/`, `start with "a"`. */
function textIn(said: string): string | undefined {
  const [, verb = "", what] = /^(match pattern|start with|end with|include) (.+)$/.exec(said) ?? [];
  return verb === "" ? undefined : `a string that ${verbs[verb]} ${what}`;
}

/** `Invalid email address`. */
function formatIn(message: string): string {
  const [, format] = /^Invalid ([\w.-]+(?: [\w-]+)*)$/.exec(message) ?? [];
  if (format === undefined) return message;
  if (/^(?:upper|lower)case$/.test(format)) return `a string in ${format}`;
  return `${/^(?:[aeio]|I[PS]|E\.)/.test(format) ? "an" : "a"} ${format}`;
}
