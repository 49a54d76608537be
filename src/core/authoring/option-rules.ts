import { FurrowError, type Where } from "../errors.ts";
import { isNamedTask } from "../facts/symbols.ts";
import { described } from "./described.ts";
import { Ref } from "./ref.ts";

/** Defines which values an option may have. */
export interface OptionRule {
  readonly isRight: (value: unknown) => boolean;
  /** Describes the valid values: `true or false`. */
  readonly expected: string | ((value: unknown) => string);
  /** What to write instead of a wrong value of the option; begins with a verb. Default: a hint to correct the value. */
  readonly hint?: (value: unknown, option: string) => string;
  /** True if the option must not be undefined. For other options, undefined means that the option is not given. */
  readonly isNeverUndefined?: boolean;
  /** True if the value may be a password, so that messages do not show it. */
  readonly isSecret?: boolean;
}

/** The rules for all options of an interface, keyed by option. */
export type OptionRules<T> = Readonly<Record<keyof T, OptionRule>>;

/**
 * An error for each option whose value breaks its rule. `owner` says whose options these are: `the block "web"`.
 * `prefix` precedes the names of the options in messages, such as `become.`.
 */
export function wrongOptions(
  given: object,
  rules: Readonly<Record<string, OptionRule>>,
  owner: string,
  where: Where,
  prefix = "",
): FurrowError[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const isGiven = Object.hasOwn(given, name);
    const value: unknown = isGiven ? (given as Readonly<Record<string, unknown>>)[name] : undefined;
    const isLeftOut = value === undefined && !(isGiven && rule.isNeverUndefined === true);
    if (isLeftOut || rule.isRight(value)) return [];
    const option = `${prefix}${name}`;
    const current = rule.isSecret === true && typeof value === "string" ? "a string" : described(value);
    return new FurrowError("E_PLAYBOOK", {
      what: `the option \`${option}\` of ${owner} ${value === undefined ? "is undefined" : `cannot be ${current}`}`,
      where,
      current,
      expected: typeof rule.expected === "string" ? rule.expected : rule.expected(value),
      hint: rule.hint?.(value, option) ?? `Correct \`${option}\``,
    });
  });
}

/** The rule for an option that is a name or title. */
export const textRule: OptionRule = {
  isRight: (value) => typeof value === "string",
  expected: "text",
  hint: (value) => (typeof value === "number" ? `Write "${value}"` : "Write the text in quotes, or leave it out"),
};

const isTag = (value: unknown): boolean => typeof value === "string" && value !== "";

/** The rule for an option that is a list of tags. */
export const tagsRule: OptionRule = {
  isRight: (value) => Array.isArray(value) && value.every(isTag),
  expected: "a list of tags",
  hint: (value) => {
    const given: readonly unknown[] = typeof value === "string" ? value.split(",") : [value].flat();
    const words = given.filter((tag) => ["string", "number"].includes(typeof tag)).map((tag) => String(tag).trim());
    const tags = words.filter((word) => word !== "");
    const written = tags.length === 0 ? '"web"' : tags.map((tag) => JSON.stringify(tag)).join(", ");
    return `Write tags: [${written}]`;
  },
};

const yes = new Set(["yes", "true", "on", "1"]);
const no = new Set(["no", "false", "off", "0", ""]);

/** The boolean that a word such as `yes` means in other tools; undefined for words without such a meaning. */
export function booleanWord(word: unknown): boolean | undefined {
  if (typeof word !== "string") return undefined;
  const lower = word.trim().toLowerCase();
  return yes.has(lower) ? true : no.has(lower) ? false : undefined;
}

/** The rule for an option that is true or false. */
export const booleanRule: OptionRule = {
  isRight: (value) => typeof value === "boolean",
  expected: "true or false",
  hint: (value, option) => {
    const meant = booleanWord(value);
    return meant === undefined ? `Write ${option}: true or ${option}: false` : `Write ${option}: ${meant}`;
  },
};

/** The rule for an option that is a function of a task's output. */
export const testRule: OptionRule = {
  isRight: (value) => typeof value === "function",
  expected: "a function",
  hint: (_value, option) => `Write a function, such as ${option}: ({ stdout }) => stdout === "ready"`,
};

/** The rule for an option that is a list of tasks. */
export const tasksRule: OptionRule = {
  isRight: Array.isArray,
  expected: "a list of tasks",
  hint: (_value, option) => `Write ${option}: [ … ]`,
};

/** The rule for an option that is a task's output. */
export const outputRule: OptionRule = {
  isRight: (value) => value instanceof Ref,
  expected: "a task's output, such as open.output",
};

/** The rule for an option that is a count. */
export const wholeRule: OptionRule = {
  isRight: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: "a whole number, 0 or more",
};

/** The rule for an option that is a number of seconds, or a factor, and may be 0. */
export const finiteRule: OptionRule = {
  isRight: (value) => Number.isFinite(value) && Number(value) >= 0,
  expected: "a finite number, 0 or more",
};

/** The rule for an option that is a number of seconds above 0. */
export const secondsRule: OptionRule = {
  isRight: (value) => Number.isFinite(value) && Number(value) > 0,
  expected: "a finite number of seconds above 0",
};

/** The rule for `retries`: a number, or an object whose parts are checked separately. */
export const retriesRule: OptionRule = {
  ...wholeRule,
  isRight: (value) => (typeof value === "object" && value !== null) || wholeRule.isRight(value),
};

/**
 * The rule for a condition: true, false, or a task's output. A condition cannot be undefined, because furrow would have
 * to guess whether the task runs.
 */
export const conditionRule: OptionRule = {
  isRight: (value) => typeof value === "boolean" || value instanceof Ref,
  expected: "true, false, or a task's output",
  hint: hintForCondition,
  isNeverUndefined: true,
};

function hintForCondition(value: unknown): string {
  if (value === undefined) return "Give the value a default, or compare it: `when: vars.purge === true`";
  if (typeof value === "string") return "Write the condition without quotes, such as `when: vars.workers > 3`";
  if (typeof value === "function") return "Write the condition itself, or `when: x.output.map(…)`";
  if (typeof value === "object" && value !== null && isNamedTask(value)) {
    return "Write `when: x.changed`, or `when: x.output.map(…)`";
  }
  return "Write a comparison, such as `when: vars.workers > 3`";
}
