import { closest } from "../closest.ts";
import { FurrowError, type Where } from "../errors.ts";

/**
 * The option names of an interface, as an object so that the compiler reports missing names: `{ name: true, tags: true
 * }`.
 */
export type KeysOf<T> = Readonly<Record<keyof T, true>>;

/**
 * Refuses unknown option names, which would otherwise be ignored at run time: `becom` would mean no `become`. A name
 * whose value is undefined is treated as not given. `owner` says whose options these are: `the block "web"`. Throws
 * FurrowError with this `code`.
 */
export function refuseUnknown(
  given: object,
  known: object,
  owner: string,
  where: Where,
  code: "E_PLAYBOOK" | "E_INVENTORY" = "E_PLAYBOOK",
): void {
  if (!isPlainObject(given)) {
    throw new FurrowError(code, {
      what: `the options of ${owner} are not an object`,
      where,
      current: given === null ? "null" : Array.isArray(given) ? "a list" : `a ${typeof given}`,
      expected: "options by name, such as { tags: [...] }",
      hint: "Write the options in braces, or leave them out",
    });
  }
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== undefined);
  if (unknown.length === 0) return;
  const names = Object.keys(known);
  throw new FurrowError(code, {
    what: `unknown ${unknown.length === 1 ? "option" : "options"} ${unknown.map(quote).join(", ")} of ${owner}`,
    where,
    expected: `one of ${names.join(", ")}`,
    hint: hintFor(unknown, names),
  });
}

/** Options of other tools, and what to do in furrow for the same effect. Each text begins with a verb. */
const elsewhere: Readonly<Record<string, string>> = {
  notify: "List the task in restartOn or reloadOn of the service: run furrow doc service",
  vars: "Move vars to the playbook: playbook({ vars: z.object({ … }), plays: [ … ] })",
  gatherFacts: 'Leave "gatherFacts" out: furrow reads facts when a play uses them',
  ignoreErrors: 'Write "ignoreFailure" instead of "ignoreErrors"',
};

function hintFor(unknown: readonly string[], names: readonly string[]): string {
  const [only = ""] = unknown;
  const other = unknown.length === 1 && Object.hasOwn(elsewhere, only) ? elsewhere[only] : undefined;
  if (other !== undefined && (only !== "ignoreErrors" || names.includes("ignoreFailure"))) return other;
  const meant = unknown.map((name) => ({ name, near: closest(name, names) ?? begunBy(name, names) }));
  const slips = meant.flatMap(({ name, near }) => (near ? [`${quote(near)} instead of ${quote(name)}`] : []));
  const others = meant.flatMap(({ name, near }) => (near ? [] : [quote(name)]));
  const leaveOut = `eave ${others.join(", ")} out, or use a known option`;
  if (slips.length === 0) return `L${leaveOut}`;
  return `Write ${slips.join(", ")}${others.length > 0 ? `; l${leaveOut}` : ""}`;
}

/** Finds `timeoutSeconds` for `timeout`: furrow's names include their unit. */
function begunBy(word: string, names: readonly string[]): string | undefined {
  return word.length < 3 ? undefined : names.find((name) => name.startsWith(word));
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quote(name: string): string {
  return `"${name}"`;
}
