import { FurrowError } from "../../core/errors.ts";
import { redact } from "../../core/secrets/redact.ts";
import { notShown } from "../../core/secrets/secret-schema.ts";
import { shownValue } from "../../core/secrets/shown-value.ts";
import { isHostList } from "../inventory/host-list.ts";
import type { Fault } from "../playbook/issues.ts";
import type { MergedHost } from "./precedence.ts";

/** An error in a var, and where the var is set. */
export interface VarFault extends Omit<Fault, "kind"> {
  readonly kind: Fault["kind"] | "threw";
  readonly origin?: string;
  /** True if the var must be given for each run, so it does not belong in an inventory. */
  readonly isPerRun?: boolean;
  /** For an error that concerns all vars together: the vars that `expected` names in backticks. */
  readonly together?: readonly TogetherVar[];
}

/** A var in an error that concerns several vars. */
export interface TogetherVar {
  readonly name: string;
  /** Where it is set; undefined if it is not. */
  readonly origin?: string;
  readonly isSecret: boolean;
}

/** An error, and the hosts that have it. */
export interface Wrong {
  readonly fault: VarFault;
  readonly hosts: readonly MergedHost[];
}

/** Combines all errors into one. `inventory` is the label of the inventory. */
export function varsError(all: readonly Wrong[], playbook: string, inventory: string): FurrowError {
  const [first, ...rest] = all;
  if (first === undefined) throw new TypeError("no faults");
  const { fault, hosts } = first;
  const where = fault.origin === "--var" || hosts[0] === undefined ? {} : { host: names(hosts) };
  return new FurrowError("E_VARS", {
    what: sentence(fault),
    where: { ...where, playbook },
    ...(fault.current !== undefined && { current: fault.current }),
    ...(fault.origin !== undefined &&
      fault.kind === "wrong" &&
      fault.wrongKey === undefined && { current: `${fault.current ?? ""} (${fault.origin})` }),
    ...(fault.expected !== undefined && { expected: fault.expected }),
    hint: hint(first, inventory),
    ...(rest.length > 0 && {
      details: rest.map((wrong) => {
        const { kind, current, expected } = wrong.fault;
        const why = kind === "threw" ? ` (${current ?? ""})` : expected ? `, expected ${expected}` : "";
        return `${names(wrong.hosts)}: ${sentence(wrong.fault)}${why}. ${hint(wrong, inventory)}`;
      }),
    }),
  });
}

function sentence({ kind, path, key, wrongKey, together }: VarFault): string {
  if (together !== undefined) {
    const names = together.map(({ name }) => name);
    return names.length === 0
      ? "the vars are not a valid combination"
      : `the vars ${listed(names, "and")} are not a valid combination`;
  }
  if (wrongKey !== undefined)
    return `the key "${wrongKey}" of the var "${path.slice(0, -wrongKey.length - 1)}" is not allowed`;
  const parent = key === undefined ? "" : path.slice(0, -key.length - 1);
  if (parent !== "") return `the var "${parent}" has no key "${key}"`;
  if (kind === "unknown") return `the playbook has no var "${path}"`;
  if (kind === "threw") return `the schema of the ${path === "" ? "vars" : `var "${path}"`} threw an error`;
  return kind === "missing" ? `the var "${path}" is missing` : `the var "${path}" has a wrong value`;
}

function names(hosts: readonly MergedHost[]): string {
  const shown = hosts.slice(0, 5).map(({ name }) => name);
  return hosts.length > 5 ? `${shown.join(", ")} and ${hosts.length - 5} more` : shown.join(", ");
}

/**
 * True for a string that was probably meant as a JSON list or object: if the JSON were valid, it would already be
 * parsed.
 */
function looksLikeJson(value: unknown): boolean {
  return typeof value === "string" && /^\s*[[{]/.test(value);
}

/**
 * A value as the list that was probably meant: `["a","b"]` for `a,b`. A value that contains a shell quote is not
 * repeated, because the quote would end the argument.
 */
function listText(value: unknown, isHidden: boolean): string {
  const isPlain = (typeof value === "string" || typeof value === "number") && !isHidden && !/'/.test(String(value));
  if (!isPlain || value === "") return '["…","…"]';
  const parts = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [value];
  return redact(JSON.stringify(parts));
}

/** The hint for an unknown key inside a var. */
function keyHint({ path, key = "", meant, origin = "inventory" }: VarFault, inventory: string): string {
  const [top = ""] = path.split(".");
  const isFlag = origin.startsWith("--var");
  const place = isFlag ? `${origin} ${top}` : `${origin === "inventory" ? "the vars" : origin} of ${inventory}`;
  if (meant === undefined) return `Remove "${path}" ${isFlag ? "from" : "in"} ${place}`;
  return `In ${place}, write "${path.slice(0, -key.length)}${meant}" instead of "${path}"`;
}

function listed(all: readonly string[], word: "and" | "or"): string {
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${word} ${all.at(-1)}`;
}

/** The hint for an error that concerns several vars. */
function togetherHint(vars: readonly TogetherVar[], place: string): string {
  if (vars.length === 0) return `Correct the vars in ${place}, or with --var`;
  const given = vars.flatMap(({ name, origin }) => {
    if (origin === undefined) return [];
    return [origin === "--var" ? `--var ${name}` : `${name} (${origin})`];
  });
  if (given.length > 0) return `Correct or omit ${listed(given, "or")}`;
  return vars.some(({ isSecret }) => isSecret)
    ? `Set ${listed(
        vars.map(({ name }) => name),
        "or",
      )} in ${place}`
    : `Give ${listed(
        vars.map(({ name }) => `--var ${name}=…`),
        "or",
      )}`;
}

/** The hint for an error: where the var is set, or where it could be set. */
function hint({ fault, hosts }: Wrong, inventory: string): string {
  const [top = ""] = fault.path.split(".");
  if (fault.kind === "threw") {
    const what = fault.path === "" ? "the vars" : "the var";
    return `Correct ${what}, or let the schema report it: call context.addIssue in .transform, or use .refine`;
  }
  if (fault.together !== undefined) return togetherHint(fault.together, placeFor(hosts, inventory));
  if (fault.kind === "unknown" && fault.path !== top) return keyHint(fault, inventory);
  if (fault.kind === "unknown") {
    const file = fault.origin?.startsWith("--var @") === true ? fault.origin.slice("--var @".length) : undefined;
    if (file !== undefined)
      return fault.meant === undefined
        ? `Remove "${top}" in ${file}`
        : `In ${file}, write "${fault.meant}" instead of "${top}"`;
    return fault.meant === undefined ? `Omit --var ${top}` : `Write --var ${fault.meant}=…`;
  }
  if (fault.meant !== undefined) {
    const origin = hosts[0]?.vars[fault.meant]?.origin ?? "the inventory";
    return `Rename "${fault.meant}" (${origin}) to "${top}" if that is what you meant`;
  }
  if (fault.origin === "--var" && fault.wantsText === true && fault.path === top) {
    const isShown = fault.current?.includes(notShown) === false;
    const value = isShown ? JSON.stringify(fault.current) : '"…"';
    return `Quote it to pass a string: --var '${top}=${value}'`;
  }
  const given = hosts[0]?.vars[top]?.value;
  if (fault.origin === "--var" && fault.wantsList === true && fault.path === top && !looksLikeJson(given))
    return `Write a list as JSON: --var '${top}=${listText(shownValue(top, given), fault.current === notShown)}'`;
  if (fault.origin === "--var" && looksLikeJson(hosts[0]?.vars[top]?.value)) {
    return `Correct --var ${top}: it looks like JSON but does not parse, so it was read as a string`;
  }
  if (fault.origin !== undefined) {
    if (fault.origin.startsWith("--var")) return `Correct ${fault.origin} ${top}`;
    const place = `${fault.origin === "inventory" ? "the vars" : fault.origin} of ${inventory}`;
    if (fault.isPerRun === true) return `Remove it from ${place}; if this run needs it, give --var ${top}=…`;
    return `Correct it in ${place}${fault.isSecret === true ? "" : `, or give --var ${top}=…`}`;
  }
  if (fault.isSecret === true) return `Set it in ${placeFor(hosts, inventory)}: ${safeWays(fault.path)}`;
  if (fault.isPerRun === true || isHostList(inventory)) return `Give --var ${top}=…`;
  return `Set it in ${placeFor(hosts, inventory)}, or with --var ${top}=…`;
}

/** Where the vars of these hosts could be set. */
function placeFor(hosts: readonly MergedHost[], inventory: string): string {
  if (isHostList(inventory)) return "the vars of an inventory file";
  const [host] = hosts;
  const shared = host?.groups.filter((group) => hosts.every((other) => other.groups.includes(group))).at(-1);
  const place = shared !== undefined ? `group ${shared}` : hosts.length === 1 ? `host ${host?.name ?? ""}` : "the vars";
  return `${place} of ${inventory}`;
}

/**
 * The ways to provide a secret. The command line is not one of them: it is visible to everybody on this machine, and
 * stays in the shell's history.
 */
function safeWays(path: string): string {
  const variable = path
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/\W+/g, "_")
    .toUpperCase();
  return `secret.env("${variable}"), generated("${path}") or secret.prompt("${path}")`;
}
