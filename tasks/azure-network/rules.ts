import type { AzureRule } from "../../src/facts/catalogue.ts";

/** The traffic that a network allows in. */
export interface Inbound {
  readonly inbound: readonly { readonly allow: readonly string[]; readonly from: readonly string[] }[];
}

/**
 * The rules in the form that the steps need: one for each protocol of an entry. Azure refuses a rule whose sources or
 * ports overlap, so a source or port that lies within another one is left out, and overlapping port ranges are merged.
 */
export function rulesOf({ inbound }: Inbound): AzureRule[] {
  return inbound.flatMap(({ allow, from }) =>
    (["tcp", "udp", "icmp"] as const).flatMap((protocol) => {
      const own = allow.filter((one) => one.split(":")[0] === protocol).map((one) => one.split(":")[1] ?? "*");
      return own.length === 0 ? [] : [{ protocol, ports: portsOf(own), from: sources(from) }];
    }),
  );
}

/** The rules in the form that the fact returns. */
export function linesOf(p: Inbound): string[] {
  const lines = rulesOf(p).flatMap(({ protocol, ports, from }) =>
    ports.flatMap((port) => from.map((one) => `${protocol}:${port} ${one}`)),
  );
  return [...new Set(lines)].toSorted();
}

function sources(from: readonly string[]): readonly string[] {
  return [...new Set(from)].filter((one, _, all) => !all.some((other) => other !== one && isWithin(one, other)));
}

function portsOf(given: readonly string[]): readonly string[] {
  if (given.includes("*")) return ["*"];
  const merged: (readonly [first: number, last: number])[] = [];
  for (const [first, last] of given.map(rangeOf).toSorted(([one], [other]) => one - other)) {
    const before = merged.at(-1);
    if (before === undefined || first > before[1]) merged.push([first, last]);
    else merged[merged.length - 1] = [before[0], Math.max(before[1], last)];
  }
  return merged.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
}

function rangeOf(ports: string): readonly [first: number, last: number] {
  const [first = "0", last = first] = ports.split("-");
  return [Number(first), Number(last)];
}

/** Whether the ports in a range such as `tcp:8000-8100` are valid and in ascending order. */
export function hasPorts(allowed: string): boolean {
  const [, ports = "*"] = allowed.split(":");
  const [first, last] = rangeOf(ports === "*" ? "0" : ports);
  return first <= last && last <= 65_535;
}

/** Whether one IPv4 network is within another. */
export function isWithin(inner: string, outer: string): boolean {
  const [bits, length] = parts(inner);
  const [outerBits, outerLength] = parts(outer);
  return length >= outerLength && bits.slice(0, outerLength) === outerBits.slice(0, outerLength);
}

/** Whether the address before the slash is the first address in the IPv4 network. */
export function isFirstAddress(network: string): boolean {
  const [bits, length] = parts(network);
  return !bits.slice(length).includes("1");
}

/** The prefix length of a network: 16 for `10.20.0.0/16`. */
export function lengthOf(network: string): number {
  return parts(network)[1];
}

function parts(network: string): readonly [bits: string, length: number] {
  const [address = "", length = "32"] = network.split("/");
  const bits = address.split(".").map((part) => Number(part).toString(2).padStart(8, "0"));
  return [bits.join(""), Number(length)];
}
