import type { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import { closest } from "../../core/closest.ts";
import { guardVars } from "../../core/guarded/play.ts";
import { paramLike } from "../../core/params/other-tools.ts";
import { knownKeys } from "../../core/params/params.ts";
import type { Playbook } from "../../core/authoring/playbook.ts";
import { redact } from "../../core/secrets/redact.ts";
import { withSecretDefaults } from "../../core/secrets/secret-default.ts";
import { hideSecrets, notShown } from "../../core/secrets/secret-schema.ts";
import { isHostList } from "../inventory/host-list.ts";
import { type Fault, faults } from "../playbook/issues.ts";
import type { LoadedPlaybook } from "../playbook/playbook-file.ts";
import { parsed, thrownBySchema } from "./thrown-by-schema.ts";
import { type MergedHost, type Values, valuesOf } from "./precedence.ts";

/**
 * Checks the vars of all hosts against the playbook's schema and returns them by host, typed and with defaults. Vars
 * that the schema does not declare are left out, because an inventory serves several playbooks. Throws FurrowError
 * E_VARS with every fault of every host. Values of secret vars are redacted from here on, even invalid ones.
 */
export async function checkVars(
  { playbook, path }: LoadedPlaybook,
  hosts: readonly MergedHost[],
  inventory: string,
): Promise<Map<string, unknown>> {
  const checked = new Map<string, unknown>();
  const wrong = new Map<string, Wrong>();
  const known = playbook.vars === undefined ? [] : knownKeys(playbook.vars);
  if (playbook.vars !== undefined) for (const { vars } of hosts) hideSecrets(playbook.vars, valuesOf(vars));
  for (const host of hosts) {
    const { value, found } = await checkHost(playbook, host, known);
    checked.set(host.name, guardVars(playbook.vars, value));
    for (const fault of found) {
      const id = JSON.stringify([fault.kind, fault.path, fault.current, fault.origin]);
      wrong.set(id, { fault, hosts: [...(wrong.get(id)?.hosts ?? []), host] });
    }
  }
  const all = [...wrong.values()];
  if (all.length > 0) throw varsError(all, path, inventory);
  return checked;
}

interface VarFault extends Omit<Fault, "kind"> {
  readonly kind: Fault["kind"] | "threw";
  readonly origin?: string;
}

interface Wrong {
  readonly fault: VarFault;
  readonly hosts: readonly MergedHost[];
}

async function checkHost(
  playbook: Playbook,
  { vars }: MergedHost,
  known: readonly string[],
): Promise<{ value: unknown; found: VarFault[] }> {
  const strangers = Object.entries(vars)
    .filter(([name, { origin }]) => origin.startsWith("--var") && isStranger(name, playbook, known))
    .map(([path, { origin }]): VarFault => {
      const meant = paramLike(path, known) ?? closest(path, known);
      const expected = known.length > 0 ? `one of ${known.join(", ")}` : "no vars: the playbook has none";
      return { path, kind: "unknown", origin, expected, ...(meant !== undefined && { meant }) };
    });
  if (playbook.vars === undefined) return { value: {}, found: strangers };
  const given = declaredVars(valuesOf(vars), playbook.vars);
  const first = await parsed(playbook.vars, given);
  const numbers = first.success === false ? spelledNumbers(first.error.issues, given, vars) : {};
  const data = { ...given, ...numbers };
  const result = Object.keys(numbers).length === 0 ? first : await parsed(playbook.vars, data);
  if (result.success === "threw") {
    const { path, message } = await thrownBySchema(playbook.vars, data, result.error);
    return { value: undefined, found: [{ path, kind: "threw", current: message }, ...strangers] };
  }
  if (result.success) return { value: withSecretDefaults(playbook.vars, result.data), found: strangers };
  const found = faults(playbook.vars, result.error.issues, data).map((fault): VarFault => {
    const [top = ""] = fault.path.split(".");
    const origin = vars[top]?.origin;
    if (origin !== undefined) return { ...fault, origin };
    const unused = Object.keys(vars).filter((name) => !known.includes(name));
    const meant = unused.find((name) => paramLike(name, [top]) !== undefined) ?? closest(top, unused);
    return meant === undefined ? fault : { ...fault, meant };
  });
  return { value: undefined, found: [...found, ...strangers] };
}

/**
 * Vars of the command line whose schema wants a number. `--var` keeps a number as text if it would not be printed the
 * same way: `1.50`, `007`.
 */
function spelledNumbers(issues: readonly z.core.$ZodIssue[], given: Values, vars: MergedHost["vars"]): Values {
  const found = issues.flatMap((issue): [string, number][] => {
    const name = String(issue.path[0]);
    const text = given[name];
    if (issue.path.length !== 1 || issue.code !== "invalid_type" || vars[name]?.origin !== "--var") return [];
    if (!["number", "int"].includes(issue.expected) || typeof text !== "string" || text.trim() === "") return [];
    const value = Number(text);
    return Number.isFinite(value) ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

function isStranger(name: string, { vars }: Playbook, known: readonly string[]): boolean {
  return !known.includes(name) && (vars === undefined || (known.length > 0 && !takesAnything(vars)));
}

/** The vars that a playbook's schema declares; all vars if it accepts any. */
export function declaredVars(values: Values, schema: z.ZodType): Values {
  const known = declaredNames(schema);
  if (known.length === 0) return values;
  return Object.fromEntries(Object.entries(values).filter(([name]) => known.includes(name)));
}

/** The names of the vars that a schema declares; none if it accepts any, or is not known. */
export function declaredNames(schema: z.ZodType): readonly string[] {
  return takesAnything(schema) ? [] : knownKeys(schema);
}

/** True for `z.looseObject` and `.catchall`, which accept undeclared keys. */
function takesAnything(schema: z.ZodType): boolean {
  const { def } = schema as unknown as { def: { catchall?: { def?: { type?: string } }; innerType?: z.ZodType } };
  if (def.catchall !== undefined) return def.catchall.def?.type !== "never";
  return def.innerType !== undefined && takesAnything(def.innerType);
}

function varsError(all: readonly Wrong[], playbook: string, inventory: string): FurrowError {
  const [first, ...rest] = all;
  if (first === undefined) throw new TypeError("no faults");
  const { fault, hosts } = first;
  const where = fault.origin === "--var" || hosts[0] === undefined ? {} : { host: names(hosts) };
  return new FurrowError("E_VARS", {
    what: sentence(fault),
    where: { ...where, playbook },
    ...(fault.current !== undefined && { current: fault.current }),
    ...(fault.origin !== undefined &&
      fault.kind === "wrong" && { current: `${fault.current ?? ""} (${fault.origin})` }),
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

function sentence({ kind, path, key }: VarFault): string {
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

/** A value as the list that was probably meant: `["a","b"]` for `a,b`. Quotes of the shell would end the argument. */
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

/** The hint for a fault: where the var is set, or where it could be set. */
function hint({ fault, hosts }: Wrong, inventory: string): string {
  const [top = ""] = fault.path.split(".");
  if (fault.kind === "threw") {
    const what = fault.path === "" ? "the vars" : "the var";
    return `Correct ${what}, or let the schema report it: call context.addIssue in .transform, or use .refine`;
  }
  if (fault.kind === "unknown" && fault.path !== top) return keyHint(fault, inventory);
  if (fault.kind === "unknown") {
    return fault.meant === undefined ? `Omit --var ${top}` : `Write --var ${fault.meant}=…`;
  }
  if (fault.meant !== undefined) {
    const origin = hosts[0]?.vars[fault.meant]?.origin ?? "the inventory";
    return `Rename "${fault.meant}" (${origin}) to "${top}" if that is what you meant`;
  }
  if (fault.origin === "--var" && fault.wantsText === true && fault.path === top) {
    const value = fault.current === undefined || fault.current === notShown ? '"…"' : JSON.stringify(fault.current);
    return `Quote it to pass a string: --var '${top}=${value}'`;
  }
  const given = hosts[0]?.vars[top]?.value;
  if (fault.origin === "--var" && fault.wantsList === true && fault.path === top && !looksLikeJson(given))
    return `Write a list as JSON: --var '${top}=${listText(given, fault.current === notShown)}'`;
  if (fault.origin === "--var" && looksLikeJson(hosts[0]?.vars[top]?.value)) {
    return `Correct --var ${top}: it looks like JSON but does not parse, so it was read as a string`;
  }
  if (fault.origin !== undefined) {
    return fault.origin.startsWith("--var")
      ? `Correct ${fault.origin} ${top}`
      : `Correct it in ${fault.origin === "inventory" ? "the vars" : fault.origin} of ${inventory}, or give --var ${top}=…`;
  }
  if (isHostList(inventory)) return `Give --var ${top}=…`;
  const [host] = hosts;
  const shared = host?.groups.filter((group) => hosts.every((other) => other.groups.includes(group))).at(-1);
  const place = shared !== undefined ? `group ${shared}` : hosts.length === 1 ? `host ${host?.name ?? ""}` : "the vars";
  return `Set it in ${place} of ${inventory}, or with --var ${top}=…`;
}
