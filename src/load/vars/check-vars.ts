import type { z } from "zod";
import { closest } from "../../core/closest.ts";
import { guardVars } from "../../core/guarded/play.ts";
import { paramLike } from "../../core/params/other-tools.ts";
import { knownKeys } from "../../core/params/params.ts";
import type { Playbook } from "../../core/authoring/playbook.ts";
import { withSecretDefaults } from "../../core/secrets/secret-default.ts";
import { hideSecrets, isSecretAt, isSecretName, notShown } from "../../core/secrets/secret-schema.ts";
import { type Fault, faults, show } from "../playbook/issues.ts";
import type { LoadedPlaybook } from "../playbook/playbook-file.ts";
import { parsed, schemasOf, thrownBySchema } from "./thrown-by-schema.ts";
import { type MergedHost, type Settings, type Values, valuesOf } from "./precedence.ts";
import { withProtoKey } from "./proto-key.ts";
import { type VarFault, varsError, type Wrong } from "./vars-error.ts";

/**
 * Checks the vars of all hosts against the playbook's schema and returns them by host, typed and with defaults. Vars
 * that the schema does not declare are left out, because an inventory serves several playbooks. Throws a FurrowError
 * E_VARS that lists every error of every host. From here on, the values of secret vars are redacted, even if they are
 * invalid.
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
  // Other faults may just be consequences of a misspelled key.
  const isMisspelt = ({ fault }: Wrong): boolean => fault.kind === "unknown" && fault.meant !== undefined;
  const all = [...wrong.values()].toSorted((a, b) => Number(isMisspelt(b)) - Number(isMisspelt(a)));
  if (all.length > 0) throw varsError(all, path, inventory);
  return checked;
}

/**
 * Checks only the vars from the command line, for a run whose inventory cannot be read: an error in them applies to
 * every host, and the user can correct it before any login. Throws FurrowError E_VARS.
 */
export async function checkCommandLine({ playbook, path }: LoadedPlaybook, vars: Settings): Promise<void> {
  if (playbook.vars !== undefined) hideSecrets(playbook.vars, valuesOf(vars));
  const host: MergedHost = { name: "every host", groups: [], vars, connection: {} };
  const { found } = await checkHost(playbook, host, playbook.vars === undefined ? [] : knownKeys(playbook.vars));
  const wrong = found.filter(({ origin }) => origin !== undefined).map((fault) => ({ fault, hosts: [host] }));
  if (wrong.length > 0) throw varsError(wrong, path, "the inventory");
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
  const lasting = lastingTargets(playbook.vars, vars);
  const given = declaredVars(valuesOf(vars), playbook.vars);
  const dropped = Object.entries(given).flatMap(([name, value]) => protoFaults(name, value, vars[name]?.origin));
  if (dropped.length > 0) return { value: undefined, found: [...dropped, ...strangers] };
  const first = await parsed(playbook.vars, given);
  const others = first.success === false ? respelled(first.error.issues, given, vars) : {};
  const data = { ...given, ...others };
  const result = Object.keys(others).length === 0 ? first : await parsed(playbook.vars, data);
  if (result.success === "threw") {
    const { path, message } = await thrownBySchema(playbook.vars, data, result.error);
    return { value: undefined, found: [{ path, kind: "threw", current: message }, ...strangers] };
  }
  const besides = [...lasting, ...strangers];
  if (result.success) return { value: withSecretDefaults(playbook.vars, result.data), found: besides };
  const isLasting = (fault: Fault): boolean => lasting.some(({ path }) => path === fault.path.split(".")[0]);
  const wrong = faults(playbook.vars, result.error.issues, data).filter((fault) => !isLasting(fault));
  const found = wrong.map((fault): VarFault => {
    if (fault.path === "") return wholeFault(fault, known, playbook.vars, vars);
    const [top = ""] = fault.path.split(".");
    const origin = vars[top]?.origin;
    if (origin !== undefined) return { ...fault, origin };
    const unused = Object.keys(vars).filter((name) => !known.includes(name));
    const meant = unused.find((name) => paramLike(name, [top]) !== undefined) ?? closest(top, unused);
    if (meant !== undefined) return { ...fault, meant };
    return isPerRun(playbook.vars, top) ? { ...fault, isPerRun: true } : fault;
  });
  return { value: undefined, found: [...found, ...besides] };
}

function protoFaults(name: string, value: unknown, origin: string | undefined): VarFault[] {
  return withProtoKey(value, name).map((path) => ({
    path,
    kind: "wrong",
    current: "a key named __proto__",
    expected: "keys with other names: JavaScript drops a key named __proto__",
    ...(origin !== undefined && { origin }),
  }));
}

/**
 * The vars that name the target of a single run, but are set in a place from which every later run would read them
 * again.
 */
function lastingTargets(schema: z.ZodType, vars: MergedHost["vars"]): VarFault[] {
  return Object.entries(vars).flatMap(([path, { value, origin }]): VarFault[] => {
    if (origin.startsWith("--var") || !isPerRun(schema, path)) return [];
    const isSecret = isSecretAt(schema, [path]) || isSecretName(path);
    const expected = "only on the command line, because each later run would repeat it";
    return [
      { path, kind: "wrong", origin, current: isSecret ? notShown : show(path, value), expected, isPerRun: true },
    ];
  });
}

/**
 * An error in the vars as a whole, such as one from a refinement, with the values of the vars that it names in
 * backticks.
 */
function wholeFault(
  { kind, expected = "" }: Fault,
  known: readonly string[],
  schema: z.ZodType | undefined,
  vars: MergedHost["vars"],
): VarFault {
  const named = [...new Set([...expected.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))];
  const together = named
    .filter((name) => known.includes(name))
    .map((name) => {
      const isSecret = (schema !== undefined && isSecretAt(schema, [name])) || isSecretName(name);
      const origin = vars[name]?.origin;
      return { name, isSecret, ...(origin !== undefined && { origin }) };
    });
  const current = together.map(({ name, isSecret, origin }) => {
    if (origin === undefined) return `${name} is not set`;
    return `${name} is ${isSecret ? notShown : show(name, vars[name]?.value)} (${origin})`;
  });
  return { path: "", kind, expected, together, ...(current.length > 0 && { current: current.join(", ") }) };
}

/** True for a var whose schema has `.meta({ perRun: true })`: each run must name its own target. */
function isPerRun(schema: z.ZodType | undefined, name: string): boolean {
  return schema !== undefined && schemasOf(schema, name).some((part) => part.meta()?.["perRun"] === true);
}

/**
 * Converts vars from the command line to the notation that the schema expects, if it differs. `--var` keeps a number as
 * text if it would not be printed the same way (`1.50`, `007`). It reads other numbers as numbers and `true` as a
 * boolean, even if the schema lists strings: `--var zone=1` for `z.enum(["1", "2"])`.
 */
function respelled(issues: readonly z.core.$ZodIssue[], given: Values, vars: MergedHost["vars"]): Values {
  const found = issues.flatMap((issue): [string, unknown][] => {
    const name = String(issue.path[0]);
    const value = given[name];
    if (issue.path.length !== 1 || vars[name]?.origin !== "--var") return [];
    if (issue.code === "invalid_value") {
      const text = String(value);
      return typeof value !== "object" && issue.values.includes(text) ? [[name, text]] : [];
    }
    if (issue.code !== "invalid_type" || !["number", "int"].includes(issue.expected)) return [];
    if (typeof value !== "string" || value.trim() === "") return [];
    const number = Number(value);
    return Number.isFinite(number) ? [[name, number]] : [];
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
  // A schema would otherwise read `constructor` from the prototype of every object.
  const inherited = known.filter((name) => name !== "__proto__" && name in Object.prototype);
  return Object.fromEntries([
    ...inherited.map((name) => [name, undefined] as const),
    ...Object.entries(values).filter(([name]) => known.includes(name)),
  ]);
}

/** The names of the vars that a schema declares; empty if the schema accepts any var, or is not known. */
export function declaredNames(schema: z.ZodType): readonly string[] {
  return takesAnything(schema) ? [] : knownKeys(schema);
}

/** True for `z.looseObject` and `.catchall`, which accept undeclared keys. */
function takesAnything(schema: z.ZodType): boolean {
  const { def } = schema as unknown as { def: { catchall?: { def?: { type?: string } }; innerType?: z.ZodType } };
  if (def.catchall !== undefined) return def.catchall.def?.type !== "never";
  return def.innerType !== undefined && takesAnything(def.innerType);
}
