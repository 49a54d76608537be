interface Numbered {
  readonly name: string;
  /** The name without its last number: names of a series differ only in that number. */
  readonly series: string;
  readonly digits: string;
}

/**
 * A short, sorted list of host names: `web01–web41, db1`. Names that do not fit into `room` characters are counted:
 * `web01–web41 and 3 more`.
 */
export function shortNames(hosts: readonly string[], room: number): string {
  const parts = ranges(hosts);
  let text = "";
  let told = 0;
  for (const { text: part, size } of parts) {
    const longer = text === "" ? part : `${text}, ${part}`;
    if (text !== "" && longer.length > room) break;
    text = longer;
    told += size;
  }
  return told < hosts.length ? `${text} and ${hosts.length - told} more` : text;
}

/** Longest list of host names at the end of a line for several hosts, in characters. */
const whichRoom = 48;
/** Up to this many hosts are named as exceptions: `all but web3`. */
const mostOthers = 3;

/** The hosts that a line applies to; `others` are those it does not apply to. Empty for one host or for all. */
export function whichHosts(hosts: readonly string[], others: readonly string[]): string {
  if (hosts.length === 1 || others.length === 0) return "";
  if (others.length <= mostOthers && others.length < hosts.length) return `all but ${shortNames(others, whichRoom)}`;
  return shortNames(hosts, whichRoom);
}

/** Three or more consecutive numbers become one range; every other name stays separate. */
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

/** The next number of a series, with the same padding: 099 → 100, 9 → 10. */
function nextOf(digits: string): string {
  return String(Number(digits) + 1).padStart(digits.length, "0");
}

/** Sorted by number within a series; series in order of first appearance. */
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
