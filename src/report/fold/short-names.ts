import { widthOf } from "../text/width.ts";

interface Numbered {
  readonly name: string;
  /** The name without its last number: the names in a series differ only in that number. */
  readonly series: string;
  readonly digits: string;
}

/**
 * Returns a short, sorted list of host names: `web01–web41, db1`. Names that do not fit into `room` terminal columns
 * are only counted: `web01–web41 and 3 more`.
 */
export function shortNames(hosts: readonly string[], room: number): string {
  const parts = ranges(hosts);
  let text = "";
  let told = 0;
  for (const { text: part, size } of parts) {
    const longer = text === "" ? part : `${text}, ${part}`;
    if (text !== "" && widthOf(longer) > room) break;
    text = longer;
    told += size;
  }
  return told < hosts.length ? `${text} and ${hosts.length - told} more` : text;
}

/**
 * The maximum length, in terminal columns, of the list of host names at the end of a line that applies to several
 * hosts.
 */
const whichRoom = 48;
/**
 * Up to `mostOthers` hosts are named as exceptions (`all but web3`) if that is shorter, up to `fewOthers` in any case.
 */
const [mostOthers, fewOthers] = [8, 3];

/**
 * Names the hosts that a line applies to; `others` are the hosts that it does not apply to. Empty for a single host and
 * for all hosts. `haveStopped`: all others failed or became unreachable earlier, so only their number is shown if the
 * list is too long.
 */
export function whichHosts(hosts: readonly string[], others: readonly string[], haveStopped = false): string {
  if (hosts.length === 1 || others.length === 0) return "";
  const all = shortNames(hosts, Number.POSITIVE_INFINITY);
  if (others.length <= mostOthers && others.length < hosts.length) {
    const exceptions = `all but ${shortNames(others, Number.POSITIVE_INFINITY)}`;
    if (others.length <= fewOthers || widthOf(exceptions) < widthOf(all)) return exceptions;
  }
  const isTooLong = widthOf(all) > whichRoom;
  return haveStopped && isTooLong ? `all but ${others.length} stopped hosts` : shortNames(hosts, whichRoom);
}

/** Up to this many hosts of a play are listed one by one. */
export const fewHosts = 6;

/** Names the hosts of a play. */
export function playHosts(hosts: readonly string[]): string {
  if (hosts.length === 0) return "no hosts";
  return hosts.length <= fewHosts ? hosts.join(", ") : shortNames(hosts, 60);
}

/** Joins three or more names with consecutive numbers into one range, and leaves all other names separate. */
function ranges(hosts: readonly string[]): { readonly text: string; readonly size: number }[] {
  const parts: Numbered[][] = [];
  for (const host of sorted(hosts)) {
    const last = parts.at(-1);
    const before = last?.at(-1);
    if (last && before && before.series === host.series && nextOf(before.digits) === host.digits) last.push(host);
    else parts.push([host]);
  }
  return parts.flatMap((part) =>
    part.length < 3
      ? part.map(({ name }) => ({ text: name, size: 1 }))
      : [{ text: `${part[0]?.name}–${part.at(-1)?.name}`, size: part.length }],
  );
}

/** Returns the next number in a series, with the same padding: 099 → 100, 9 → 10. */
function nextOf(digits: string): string {
  return String(Number(digits) + 1).padStart(digits.length, "0");
}

/** Sorts names by number within a series; series stay in the order in which they first appear. */
function sorted(hosts: readonly string[]): Numbered[] {
  const all = new Map<string, Numbered[]>();
  for (const name of hosts) {
    const [, before = "", digits, after = ""] = /^(.*?)(\d{1,9})(\D*)$/s.exec(name) ?? [];
    const series = digits === undefined ? name : `${before}\0${after}`;
    const same = all.get(series) ?? [];
    same.push({ name, series, digits: digits ?? "" });
    all.set(series, same);
  }
  return [...all.values()].flatMap((same) => same.toSorted((a, b) => Number(a.digits) - Number(b.digits)));
}
