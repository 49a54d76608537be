interface Numbered {
  readonly name: string;
  /** The name without its last number: names of a series differ in the number alone. */
  readonly series: string;
  readonly digits: string;
}

/**
 * Names of hosts in few characters, in order: `web01–web41, db1`. What does not fit into `room` characters is counted:
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

/** Characters for the names of hosts behind a line that stands for several. */
const whichRoom = 48;
/** Up to so many hosts are named as those that a line does not stand for. */
const mostOthers = 3;

/** Which hosts a line stands for, where `others` are those it does not stand for; empty where it is one host, or all. */
export function whichHosts(hosts: readonly string[], others: readonly string[]): string {
  if (hosts.length === 1 || others.length === 0) return "";
  if (others.length <= mostOthers && others.length < hosts.length) return `all but ${shortNames(others, whichRoom)}`;
  return shortNames(hosts, whichRoom);
}

/** Runs of three and more consecutive numbers as one part, every other name as its own. */
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

/** The number after this one, as a series goes on writing it: 099 → 100, 9 → 10. */
function nextOf(digits: string): string {
  return String(Number(digits) + 1).padStart(digits.length, "0");
}

/** By number within a series; series in the order in which they come first. */
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
