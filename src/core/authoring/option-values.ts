import { FurrowError, type Where } from "../errors.ts";
import { isNamedTask } from "../facts/symbols.ts";
import { redact } from "../secrets/redact.ts";
import { Secret } from "../secrets/secret.ts";
import { Ref } from "./ref.ts";

/** Why an option cannot have a value: what is expected instead, and a hint that begins with a verb. */
interface WrongValue {
  readonly expected: string;
  readonly hint?: string | undefined;
}

/** Checks the value of an option. Returns undefined if the option may have this value. */
export type OptionCheck = (value: unknown, option: string) => WrongValue | undefined;

/** The options of an interface, with the check of each. The compiler reports missing names. */
export type OptionTable<T> = Readonly<Record<keyof T, OptionCheck>>;

/**
 * Checks the values of options, because not every project checks its types. `prefix`: what precedes the names in
 * messages. `owner` says whose options these are: `the block "web"`. Throws FurrowError E_PLAYBOOK.
 */
export function refuseWrongValues(
  options: object,
  table: Readonly<Record<string, OptionCheck>>,
  { owner, where, prefix = "" }: { readonly owner: string; readonly where: Where; readonly prefix?: string },
): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const option = `${prefix}${name}`;
    const wrong = Object.hasOwn(table, name) ? table[name]?.(value, option) : undefined;
    if (wrong === undefined) continue;
    const current = describeValue(value);
    throw new FurrowError("E_PLAYBOOK", {
      what: `the option \`${option}\` of ${owner} ${value === undefined ? "is undefined" : `cannot be ${current}`}`,
      where,
      current,
      expected: wrong.expected,
      hint: wrong.hint ?? `Correct \`${option}\``,
    });
  }
}

/** A value in messages: short, and without secrets. */
export function describeValue(value: unknown): string {
  if (value instanceof Secret) return "a secret";
  if (value instanceof Ref) return "a task's output";
  if (typeof value === "string") {
    const text = redact(JSON.stringify(value));
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  }
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  if (typeof value === "object" && value !== null) return isNamedTask(value) ? "a task" : "an object";
  return String(value);
}

/** The check of an option that may be undefined, which is treated as not given. */
function optional(check: OptionCheck): OptionCheck {
  return (value, option) => (value === undefined ? undefined : check(value, option));
}

/** A text. */
export const text = optional((value) => (typeof value === "string" ? undefined : { expected: "a text" }));

/** True or false. */
export const flag = optional((value, option) => {
  if (typeof value === "boolean") return undefined;
  const isOff = typeof value === "string" && ["no", "false", "off", "0", ""].includes(value.toLowerCase());
  return { expected: "true or false", hint: `Write ${option}: ${String(!isOff)}, without quotes` };
});

/** A list of texts. */
export const texts = optional((value, option) => {
  if (Array.isArray(value) && value.every((item) => typeof item === "string" && item !== "")) return undefined;
  const words = typeof value === "string" ? value.split(",").flatMap((word) => word.trim() || []) : [];
  const list = (words.length > 0 ? words : ["web"]).map((word) => JSON.stringify(word)).join(", ");
  return { expected: 'a list of texts, such as ["web"]', hint: `Write ${option}: [${list}]` };
});

/** A function. */
export const test = optional((value, option) =>
  typeof value === "function"
    ? undefined
    : { expected: "a function", hint: `Write a function, such as ${option}: ({ stdout }) => stdout === "ready"` },
);

/** A list of tasks. */
export const tasks = optional((value, option) =>
  Array.isArray(value) ? undefined : { expected: "a list of tasks", hint: `Write ${option}: [ … ]` },
);

/** A task's output. */
export const output = optional((value) =>
  value instanceof Ref ? undefined : { expected: "a task's output, such as open.output" },
);

/** A whole number, 0 or more. */
export const whole: OptionCheck = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : { expected: "a whole number, 0 or more" };

/** A finite number, 0 or more. */
export const finite = optional((value) =>
  Number.isFinite(value) && Number(value) >= 0 ? undefined : { expected: "a finite number, 0 or more" },
);

/** A number of seconds above 0. */
export const seconds = optional((value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : { expected: "a finite number of seconds above 0" },
);

/** The number of retries, or an object whose parts are checked separately. */
export const retries = optional((value, option) =>
  typeof value === "object" && value !== null ? undefined : whole(value, option),
);

/**
 * A condition: true, false, or a task's output. It cannot be undefined: whether the task then runs would be a guess.
 */
export const condition: OptionCheck = (value) =>
  typeof value === "boolean" || value instanceof Ref
    ? undefined
    : { expected: "true, false, or a task's output", hint: hintForCondition(value) };

function hintForCondition(value: unknown): string {
  if (value === undefined) return "Give the value a default, or compare it: `when: vars.purge === true`";
  if (typeof value === "string") return "Write the condition without quotes, such as `when: vars.workers > 3`";
  if (typeof value === "function") return "Write the condition itself, or `when: x.output.map(…)`";
  if (typeof value === "object" && value !== null && isNamedTask(value)) {
    return "Write `when: x.changed`, or `when: x.output.map(…)`";
  }
  return "Write a comparison, such as `when: vars.workers > 3`";
}
