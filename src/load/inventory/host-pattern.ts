import { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import { hostsOf, type LeftHosts, listSome, type PatternScope } from "./host-pattern-terms.ts";

export type { PatternScope } from "./host-pattern-terms.ts";

/** Builds the pattern scope of an inventory; `topGroups` are the groups directly below `all` in Ansible. */
export function scopeOf(
  definition: InventoryDefinition,
  last: LeftHosts | undefined,
  topGroups: readonly string[] = [],
): PatternScope {
  const groups = definition.groups ?? {};
  return {
    hosts: Object.keys(definition.hosts),
    groups: new Map(Object.keys(groups).map((name) => [name, membersInOrder(groups, [name])])),
    isAnsible: topGroups.length > 0,
    last,
  };
}

/**
 * The hosts of groups and of their subgroups, level by level: a group's own hosts, then those of its direct subgroups.
 * Ansible uses this order (`Group.get_hosts` of ansible-core 2.14), so `web[0]` is the same host as in Ansible.
 */
export function membersInOrder(
  groups: NonNullable<InventoryDefinition["groups"]>,
  names: readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set(names);
  for (const name of seen) {
    for (const host of groups[name]?.hosts ?? []) found.add(host);
    // A set that grows during iteration works as a queue without duplicates.
    for (const below of groups[name]?.groups ?? []) seen.add(below);
  }
  return found;
}

/**
 * The hosts that a pattern names, in inventory order. A pattern can contain: `all`, names of hosts and groups, globs,
 * `~` and a regular expression, `a,b` or `a:b` for both, `:!b` for those not in b, `:&b` for those that are also in b,
 * `web[1:3]` for the second to the fourth host of web (or as many as exist), `web[-1]` for the last, `@failed` for
 * those that failed in the last run, `@unfinished` for the failed hosts and all other hosts that the last run did not
 * finish. A pattern selects the same hosts as in Ansible; a pattern that Ansible reads differently is refused. Throws
 * FurrowError E_PATTERN.
 */
export function matchPattern(pattern: string, scope: PatternScope): string[] {
  const terms = splitPattern(pattern, scope);
  // Ansible reads an empty pattern as all hosts, which is rarely what the author of `hosts: ""` or `exec "$UNSET"`
  // meant.
  if (terms.length === 0) throw emptyPattern(pattern);
  const plain = terms.filter((term) => !/^[!&]/.test(term));
  const start =
    plain.length === 0 ? scope.hosts : plain.flatMap((text) => hostsOf({ text, pattern, adds: true }, scope));
  let chosen = new Set(start);
  // As in Ansible: all unions first, then all intersections, then all exclusions, regardless of their order.
  for (const term of terms.filter((term) => term.startsWith("&"))) {
    const wanted = new Set(hostsOf({ text: term.slice(1), pattern, adds: false }, scope));
    chosen = new Set([...chosen].filter((host) => wanted.has(host)));
  }
  for (const term of terms.filter((term) => term.startsWith("!"))) {
    for (const host of hostsOf({ text: term.slice(1), pattern, adds: false }, scope)) chosen.delete(host);
  }
  const found = scope.hosts.filter((host) => chosen.has(host));
  if (found.length > 0) return found;
  if (scope.last && terms.some((term) => /^&?@(failed|unfinished)$/.test(term))) throw noneLeft(pattern, scope.last);
  throw new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" matches no host`,
    current: `${scope.hosts.length} hosts, none of which match`,
    expected: `at least one of ${listSome(scope.hosts)}`,
    hint: "Run furrow inventory to see hosts and groups",
  });
}

function emptyPattern(pattern: string): FurrowError {
  return new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" names nothing`,
    hint: "Specify hosts or groups; `all` means every host",
  });
}

function noneLeft(pattern: string, { unfinished }: LeftHosts): FurrowError {
  const isOver = unfinished.length === 0;
  const found = pattern.includes("@failed") ? "no host failed in the last run" : "the last run left no host unfinished";
  return new FurrowError("E_PATTERN", {
    what: `${found}, so the host pattern "${pattern}" matches no host`,
    hint: isOver
      ? "Specify hosts or groups, or omit --limit: there is nothing to rerun"
      : "Write @unfinished for the hosts that the run did not finish",
  });
}

/** Splits a pattern into terms. A colon inside brackets or in a host name (IPv6) is not a separator. */
function splitPattern(pattern: string, { hosts, isAnsible }: PatternScope): string[] {
  const parts = pattern.split(",");
  return parts
    .flatMap((part) => {
      const name = part.trim().replace(/^[!&]/, "");
      if (hosts.includes(name)) return [part];
      const terms = part.split(/:(?![^[]*\])/);
      if (terms.length === 1 || parts.length === 1 || isAnsible !== true) return terms;
      throw new FurrowError("E_PATTERN", {
        what: `the host pattern "${pattern}" mixes commas and colons; Ansible would read "${part.trim()}" as one name`,
        hint: `Use only commas: ${pattern.replaceAll(/:(?![^[]*\])/g, ",")}`,
      });
    })
    .map((term) => term.trim())
    .filter((term) => term !== "");
}
