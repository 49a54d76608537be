import { parseArgs } from "node:util";
import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import { shellQuote } from "../../core/host/step.ts";
import type { CommandName, Flags } from "./flags.ts";

/**
 * The parts of a command line that are not individual flags: repeatable flags, positionals, and everything after `--`.
 */
export interface Extras {
  /** The values of `--var`, in order. */
  readonly vars: readonly string[];
  /** The values of `--inventory`, in order. */
  readonly inventories: readonly string[];
  /** The values of `--vault-password-file`, in order. */
  readonly vaultPasswordFiles: readonly string[];
  /** Words that are neither flags nor values of flags. */
  readonly positionals: readonly string[];
  /** The words after `--`. Undefined without `--`. */
  readonly rest: readonly string[] | undefined;
}

/** A command line that was checked against its command's flags. */
export interface Arguments extends Extras {
  /** The value of each flag and positional, by name. Undefined if not given. */
  readonly args: Readonly<Record<string, string | boolean | undefined>>;
}

/** Flags that may be given more than once. */
const repeatable = ["var", "inventory", "vault-password-file"];

/**
 * Checks a command line against its command's flags before anything else is done: unknown, missing, repeated and extra
 * words are errors. Throws FurrowError E_USAGE.
 */
export function checkArguments(command: CommandName, flags: Flags, words: readonly string[]): Arguments {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  const options = Object.fromEntries(
    Object.entries(flags).flatMap(([name, { type, alias }]) =>
      type === "positional"
        ? []
        : [[name, { type, ...(alias !== undefined && { short: alias }), multiple: true } as const]],
    ),
  );
  const { tokens } = parseArgs({ args: [...own], options, strict: false, allowPositionals: true, tokens: true });
  const seen = new Map<string, string[]>();
  /** The positional words; undefined stands for a word that must not be shown. */
  const positionals: (string | undefined)[] = [];
  let isAfterVar = false;
  for (const token of tokens) {
    // `--var pw=two words`: the second word is part of a value, and may be part of a secret.
    if (token.kind === "positional") positionals.push(isAfterVar ? undefined : token.value);
    isAfterVar = (token.kind === "option" && token.name === "var") || (isAfterVar && token.kind === "positional");
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = flags[name];
    if (flag === undefined || flag.type === "positional") throw unknownFlag(command, rawName, flags);
    if (flag.type === "boolean" && value !== undefined)
      throw usage(command, `${rawName} takes no value`, `Write ${rawName} alone`);
    if (flag.type === "string" && (value === undefined || (!inlineValue && /^-./.test(value)))) {
      throw usage(command, `${rawName} needs a value`, `Write ${rawName} ${flag.valueHint ?? "VALUE"}`);
    }
    if (flag.type === "string" && value?.trim() === "") {
      throw usage(command, `the value of ${rawName} is empty`, "Leave the flag out, or set the variable that it uses");
    }
    const before = seen.get(name) ?? [];
    if (before.length > 0 && flag.type === "string" && !repeatable.includes(name)) {
      throw usage(command, `${rawName} is given twice`, onceHint(name, rawName, before, value));
    }
    seen.set(name, [...before, value ?? ""]);
  }
  checkPositionals(command, flags, positionals, end !== -1);
  const named = positionals.filter((word) => word !== undefined);
  const places = Object.keys(flags).filter((name) => flags[name]?.type === "positional");
  const values = Object.entries(flags).map(([name, { type }]) => {
    if (type === "positional") return [name, named[places.indexOf(name)]];
    return [name, type === "boolean" ? seen.has(name) || undefined : seen.get(name)?.at(-1)];
  });
  return {
    args: Object.fromEntries(values) as Arguments["args"],
    vars: seen.get("var") ?? [],
    inventories: seen.get("inventory") ?? [],
    vaultPasswordFiles: seen.get("vault-password-file") ?? [],
    positionals: named,
    rest: end === -1 ? undefined : words.slice(end + 1),
  };
}

/** Flags whose value may be a comma-separated list. */
const lists: ReadonlySet<string> = new Set(["limit", "tags", "skip-tags"]);

function onceHint(name: string, rawName: string, before: readonly string[], value: string | undefined): string {
  return lists.has(name) ? `Write ${rawName} ${shellQuote([...before, value ?? ""].join(","))}` : "Give it once";
}

/** Returns the values of a command's flags, with all values of repeatable flags. */
export function withRepeated<A extends object>(
  args: A,
  { inventories, vaultPasswordFiles }: Extras,
): A & Pick<Extras, "inventories" | "vaultPasswordFiles"> {
  return { ...args, inventories, vaultPasswordFiles };
}

function checkPositionals(
  command: CommandName,
  flags: Flags,
  given: readonly (string | undefined)[],
  hasRest: boolean,
): void {
  const wanted = Object.entries(flags).filter(([, { type }]) => type === "positional");
  const missing = wanted[given.length];
  if (missing?.[1].required === true) {
    const [name, { description }] = missing;
    throw usage(
      command,
      `furrow ${command} needs ${name.toUpperCase()}`,
      `Give it: ${description[0]?.toLowerCase()}${description.slice(1)}`,
    );
  }
  if (given.length <= wanted.length || wanted.at(-1)?.[1].many === true) return;
  const extra = given[wanted.length];
  if (extra === undefined) {
    throw usage(
      command,
      `furrow ${command} does not know what to do with the word after a --var`,
      "Put the whole --var in quotes, if the word is part of its value: --var 'name=two words'",
    );
  }
  throw usage(
    command,
    `furrow ${command} does not know what to do with "${extra}"`,
    command === "exec" && !hasRest
      ? "Put -- before the command: furrow exec all -- ls"
      : "inventory" in flags && /\.[cm]?[jt]s$|\.(ini|ya?ml)$/.test(extra)
        ? `Leave it out, or write -i ${extra} if it is the inventory`
        : "Leave it out, or put its flag before it",
  );
}

function unknownFlag(command: CommandName, rawName: string, flags: Flags): FurrowError {
  const names = Object.entries(flags).flatMap(([name, { type }]) => (type === "positional" ? [] : [name]));
  const near = closest(rawName.replace(/^-+/, ""), names);
  const hint = near === undefined || rawName.length === 2 ? undefined : `Write --${near}`;
  return usage(command, `furrow ${command} has no flag ${rawName}`, hint);
}

/** Returns the error for a mistake on the command line. */
export function usage(
  command: string,
  what: string,
  hint = `Run furrow ${command} --help to see its flags`,
): FurrowError {
  return new FurrowError("E_USAGE", { what, hint });
}
