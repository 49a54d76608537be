import { FurrowError, type Where } from "../errors.ts";
import { described } from "./described.ts";

/** Says which values an option may have. */
export interface OptionRule {
  readonly isRight: (value: unknown) => boolean;
  /** Describes the right values: `true or false`. */
  readonly expected: string | ((value: unknown) => string);
  /** What to write instead of a wrong value; begins with a verb. */
  readonly hint: (value: unknown) => string;
  /** True if the value may be a password, so that messages do not show it. */
  readonly isSecret?: boolean;
}

/** The rules of all options of an interface, by option. */
export type OptionRules<T> = Readonly<Record<keyof T, OptionRule>>;

/**
 * An error for each option whose value breaks its rule. Undefined means that an option is not given. `prefix`: precedes
 * the names of the options in messages, such as `become.`.
 */
export function wrongOptions(
  given: object,
  rules: Readonly<Record<string, OptionRule>>,
  owner: string,
  where: Where,
  prefix = "",
): FurrowError[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const value: unknown = Object.hasOwn(given, name) ? (given as Readonly<Record<string, unknown>>)[name] : undefined;
    if (value === undefined || rule.isRight(value)) return [];
    const current = rule.isSecret === true && typeof value === "string" ? "a string" : described(value);
    return new FurrowError("E_PLAYBOOK", {
      what: `\`${prefix}${name}\` of ${owner} has a wrong value`,
      where,
      current,
      expected: typeof rule.expected === "string" ? rule.expected : rule.expected(value),
      hint: rule.hint(value),
    });
  });
}

/** The rule of an option that is a name or title. */
export const textRule: OptionRule = {
  isRight: (value) => typeof value === "string",
  expected: "text",
  hint: (value) => (typeof value === "number" ? `Write "${value}"` : "Write the text in quotes, or leave it out"),
};

const isText = (value: unknown): boolean => typeof value === "string";

/** The rule of an option that is a list of tags. */
export const tagsRule: OptionRule = {
  isRight: (value) => Array.isArray(value) && value.every(isText),
  expected: "a list of tags",
  hint: (value) => {
    const tags = (Array.isArray(value) ? value : [value]).filter((tag) => ["string", "number"].includes(typeof tag));
    const written = tags.length === 0 ? '"web"' : tags.map((tag) => JSON.stringify(String(tag))).join(", ");
    return `Write tags: [${written}]`;
  },
};

const yes = new Set(["yes", "true", "on", "1"]);
const no = new Set(["no", "false", "off", "0", ""]);

/** The boolean that a word of other tools means, such as `yes`; undefined for other words. */
export function booleanWord(word: unknown): boolean | undefined {
  if (typeof word !== "string") return undefined;
  const lower = word.trim().toLowerCase();
  return yes.has(lower) ? true : no.has(lower) ? false : undefined;
}

/** The rule of an option that is true or false. */
export function booleanRule(name: string): OptionRule {
  return {
    isRight: (value) => typeof value === "boolean",
    expected: "true or false",
    hint: (value) => {
      const meant = booleanWord(value);
      return meant === undefined ? `Write ${name}: true or ${name}: false` : `Write ${name}: ${meant}`;
    },
  };
}
