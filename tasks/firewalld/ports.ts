import { absent } from "../../src/authoring.ts";
import { memberNames, type Members } from "../../src/facts/catalogue.ts";

/**
 * How a zone's list of ports changes. firewalld does nothing for a port that a listed range contains, and since 0.9
 * removing such a port splits the range (firewalld's functions.py, coalescePortRange and breakPortRange).
 */
export interface PortChange {
  /** The affected members of the list, as they are after the change. */
  readonly members: Members;
  /** The ports that must be given to firewall-cmd. */
  readonly names: readonly string[];
}

interface Range {
  readonly protocol: string;
  readonly first: number;
  readonly last: number;
}

/** Adds ports to a list: only the parts of a range that no listed range contains, because firewalld merges overlaps. */
export function opened(listed: Members, wanted: readonly string[]): PortChange {
  const known = memberNames(listed).map(parse);
  const names: string[] = [];
  const members: Record<string, true> = {};
  for (const range of wanted.map(parse)) {
    for (const old of known.filter((one) => overlaps(one, range))) members[write(old)] = true;
    for (const gap of known.reduce((gaps, one) => gaps.flatMap((gap) => without(gap, one)), [range])) {
      known.push(gap);
      members[write(gap)] = true;
      names.push(write(gap));
    }
  }
  return { members, names };
}

/** Removes ports from a list, and keeps the rest of each range that contains them. */
export function closed(listed: Members, wanted: readonly string[]): PortChange {
  let known = memberNames(listed).map(parse);
  const names: string[] = [];
  const members: Record<string, true | typeof absent> = {};
  for (const range of wanted.map(parse)) {
    members[write(range)] = absent;
    for (const old of known.filter((one) => overlaps(one, range))) {
      const rest = without(old, range);
      members[write(old)] = absent;
      for (const one of rest) members[write(one)] = true;
      known = [...known.filter((one) => one !== old), ...rest];
      names.push(write({ ...old, first: Math.max(old.first, range.first), last: Math.min(old.last, range.last) }));
    }
  }
  return { members, names };
}

function parse(port: string): Range {
  const [range = "", protocol = ""] = port.split("/");
  const [first = "", last = first] = range.split("-");
  return { protocol, first: Number(first), last: Number(last) };
}

function write({ protocol, first, last }: Range): string {
  return `${first}${last === first ? "" : `-${last}`}/${protocol}`;
}

function overlaps(a: Range, b: Range): boolean {
  return a.protocol === b.protocol && a.first <= b.last && b.first <= a.last;
}

/** The parts of a range that another range does not contain. */
function without(range: Range, other: Range): Range[] {
  if (!overlaps(range, other)) return [range];
  const parts = [
    { ...range, last: other.first - 1 },
    { ...range, first: other.last + 1 },
  ];
  return parts.filter(({ first, last }) => first <= last);
}
