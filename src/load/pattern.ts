import { FurrowError } from "../core/errors.ts";
import type { InventoryDefinition } from "../core/inventory.ts";
import { closest } from "../core/params.ts";
import { groupMembers } from "./settings.ts";

/** What a pattern is matched against. */
export interface PatternScope {
  /** All hosts, in inventory order. */
  readonly hosts: readonly string[];
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** Hosts that failed in the last run; undefined where no run is known. */
  readonly failed: readonly string[] | undefined;
}

/** The scope of an inventory. */
export function scopeOf(definition: InventoryDefinition, failed: readonly string[] | undefined): PatternScope {
  return { hosts: Object.keys(definition.hosts), groups: groupMembers(definition.groups ?? {}), failed };
}

/**
 * The hosts that a pattern names, in inventory order: `all`, names of hosts and groups, globs, `a,b` or `a:b` for
 * both, `:!b` for those not in b, `:&b` for those in b too, `web[1:3]` for the second to the fourth host of web (as
 * many as there are), `@failed` for those that failed in the last run. Throws FurrowError E_PATTERN.
 */
export function matchPattern(pattern: string, scope: PatternScope): string[] {
  const terms = splitPattern(pattern, scope);
  const plain = terms.filter((term) => !/^[!&]/.test(term));
  const start = plain.length === 0 ? scope.hosts : plain.flatMap((term) => hostsOf(term, pattern, scope));
  let chosen = new Set(start);
  // As everywhere: first all unions, then all intersections, then all exclusions, whatever their order.
  for (const term of terms.filter((term) => term.startsWith("&"))) {
    const wanted = hostsOf(term.slice(1), pattern, scope);
    chosen = new Set([...chosen].filter((host) => wanted.includes(host)));
  }
  for (const term of terms.filter((term) => term.startsWith("!"))) {
    for (const host of hostsOf(term.slice(1), pattern, scope)) chosen.delete(host);
  }
  const found = scope.hosts.filter((host) => chosen.has(host));
  if (found.length > 0) return found;
  throw new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" matches no host`,
    current: terms.length === 0 ? "an empty pattern" : `${scope.hosts.length} hosts, none of which it names`,
    expected: `at least one of ${listSome(scope.hosts)}`,
    hint: "Run furrow inventory to see hosts and groups",
  });
}

/** The parts of a pattern; a colon inside brackets, or in the name of a host (IPv6), separates nothing. */
function splitPattern(pattern: string, { hosts }: PatternScope): string[] {
  return pattern
    .split(/,(?![^[]*\])/)
    .flatMap((part) => (hosts.includes(part.trim().replace(/^[!&]/, "")) ? [part] : part.split(/:(?![^[]*\])/)))
    .map((term) => term.trim())
    .filter((term) => term !== "");
}

function hostsOf(term: string, pattern: string, scope: PatternScope): readonly string[] {
  const [, name = term, from, to] = /^(.+)\[(\d+)(?::(\d*))?\]$/.exec(term) ?? [];
  const hosts = named(name, pattern, scope);
  if (from === undefined) return hosts;
  const range = term.includes(":", name.length);
  return hosts.slice(Number(from), range ? (to ? Number(to) + 1 : undefined) : Number(from) + 1);
}

function named(name: string, pattern: string, scope: PatternScope): readonly string[] {
  if (name === "all" || name === "*") return scope.hosts;
  if (name === "@failed") return failedHosts(pattern, scope);
  const group = scope.groups.get(name);
  if (group !== undefined) return scope.hosts.filter((host) => group.has(host));
  if (scope.hosts.includes(name)) return [name];
  if (!/[*?[]/.test(name)) throw unknownName(name, pattern, scope);
  const glob = globExpression(name);
  const groups = [...scope.groups].filter(([key]) => glob.test(key)).map(([, members]) => members);
  return scope.hosts.filter((host) => glob.test(host) || groups.some((members) => members.has(host)));
}

function globExpression(glob: string): RegExp {
  const source = glob
    .split(/(\*|\?|\[[^\]]+\])/)
    .map((part) => {
      if (part === "*") return ".*";
      if (part === "?") return ".";
      if (/^\[.+\]$/.test(part)) return part.replace(/^\[!/, "[^");
      return part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    })
    .join("");
  return new RegExp(`^${source}$`);
}

function failedHosts(pattern: string, scope: PatternScope): readonly string[] {
  const { failed } = scope;
  if (failed === undefined) {
    throw new FurrowError("E_PATTERN", {
      what: `the host pattern "${pattern}" asks for the hosts that failed in the last run, and no run is known`,
      hint: "Name hosts or groups; @failed works after a run from this account",
    });
  }
  return scope.hosts.filter((host) => failed.includes(host));
}

function unknownName(name: string, pattern: string, scope: PatternScope): FurrowError {
  const known = [...scope.groups.keys(), ...scope.hosts];
  const near = closest(name, known);
  return new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" names "${name}", which is neither a host nor a group of the inventory`,
    current: `groups ${listSome([...scope.groups.keys()])}; hosts ${listSome(scope.hosts)}`,
    hint: near === undefined ? "Run furrow inventory to see hosts and groups" : `Write "${near}" instead of "${name}"`,
  });
}

function listSome(names: readonly string[]): string {
  const more = names.length > 8 ? `, and ${names.length - 8} more` : "";
  return names.length === 0 ? "(none)" : names.slice(0, 8).join(", ") + more;
}
