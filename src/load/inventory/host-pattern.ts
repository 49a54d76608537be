import { FurrowError } from "../../core/errors.ts";
import type { InventoryDefinition } from "../../core/inventory/inventory.ts";
import { hostsOf, type LeftHosts, listSome, type PatternScope } from "./host-pattern-terms.ts";

export type { PatternScope } from "./host-pattern-terms.ts";

/** The scope of an inventory; `topGroups` are those that Ansible has right below `all`. */
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
 * The hosts of groups and of those inside them, level by level: first their own, then those of the groups right below.
 * Ansible counts so (`Group.get_hosts` of ansible-core 2.14), so `web[0]` is the same host.
 */
export function membersInOrder(
  groups: NonNullable<InventoryDefinition["groups"]>,
  names: readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set(names);
  for (const name of seen) {
    for (const host of groups[name]?.hosts ?? []) found.add(host);
    // A set that grows while it is walked is a queue that takes nothing twice.
    for (const below of groups[name]?.groups ?? []) seen.add(below);
  }
  return found;
}

/**
 * The hosts that a pattern names, in inventory order: `all`, names of hosts and groups, globs, `~` and a regular
 * expression, `a,b` or `a:b` for both, `:!b` for those not in b, `:&b` for those in b too, `web[1:3]` for the second to
 * the fourth host of web (as many as there are), `web[-1]` for the last, `@failed` for those that failed in the last
 * run, `@unfinished` for those and all that it did not bring to their end. Where Ansible reads a pattern it selects the same hosts; what it reads in another way is refused. Throws
 * FurrowError E_PATTERN.
 */
export function matchPattern(pattern: string, scope: PatternScope): string[] {
  const terms = splitPattern(pattern, scope);
  const plain = terms.filter((term) => !/^[!&]/.test(term));
  const start =
    plain.length === 0 ? scope.hosts : plain.flatMap((text) => hostsOf({ text, pattern, adds: true }, scope));
  let chosen = new Set(start);
  // As everywhere: first all unions, then all intersections, then all exclusions, whatever their order.
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
    current: terms.length === 0 ? "an empty pattern" : `${scope.hosts.length} hosts, none of which it names`,
    expected: `at least one of ${listSome(scope.hosts)}`,
    hint: "Run furrow inventory to see hosts and groups",
  });
}

function noneLeft(pattern: string, { unfinished }: LeftHosts): FurrowError {
  const isOver = unfinished.length === 0;
  const which = pattern.includes("@failed") ? "failed in the last run" : "the last run left unfinished";
  return new FurrowError("E_PATTERN", {
    what: `the host pattern "${pattern}" asks for hosts that ${which}, and there are none`,
    hint: isOver
      ? "Name hosts or groups, or leave --limit out: there is nothing to repeat"
      : "Write @unfinished for the hosts that the run did not bring to their end",
  });
}

/** The parts of a pattern; a colon inside brackets, or in the name of a host (IPv6), separates nothing. */
function splitPattern(pattern: string, { hosts, isAnsible }: PatternScope): string[] {
  const parts = pattern.split(",");
  return parts
    .flatMap((part) => {
      const name = part.trim().replace(/^[!&]/, "");
      if (hosts.includes(name)) return [part];
      const terms = part.split(/:(?![^[]*\])/);
      if (terms.length === 1 || parts.length === 1 || isAnsible !== true) return terms;
      throw new FurrowError("E_PATTERN", {
        what: `the host pattern "${pattern}" separates by commas and by colons; Ansible would take "${part.trim()}" for one name`,
        hint: `Write commas only: ${pattern.replaceAll(/:(?![^[]*\])/g, ",")}`,
      });
    })
    .map((term) => term.trim())
    .filter((term) => term !== "");
}
