import { ipv4Number, subnetOf } from "../../src/facts/catalogue.ts";

interface Subnet {
  readonly address: string;
  readonly prefix: number;
  readonly forward: string;
  readonly forwardInterface?: string | undefined;
  readonly dhcp?:
    | {
        readonly ranges?: readonly { readonly start: string; readonly end: string }[] | undefined;
        readonly hosts?:
          | readonly { readonly mac: string; readonly ip: string; readonly name?: string | undefined }[]
          | undefined;
        readonly reserved: readonly string[];
        readonly bootFile?: string | undefined;
        readonly bootServer?: string | undefined;
        readonly leaseSeconds?: number | undefined;
      }
    | undefined;
}

/** One mistake, with the path of the wrong param. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** What was expected. */
  readonly message: string;
}

/** Returns the mistakes in a network's addresses, each with what is expected instead. */
export function problemsOfSubnet(net: Subnet): Problem[] {
  const cidr = `${net.address}/${net.prefix}`;
  const subnet = subnetOf(cidr);
  const own = ipv4Number(net.address);
  if (subnet === undefined || own === undefined) return [];
  const problems: Problem[] = [];
  const add = (path: readonly (string | number)[], message: string): void => void problems.push({ path, message });
  const inside = (ip: string): boolean => {
    const number = ipv4Number(ip) ?? -1;
    return number > subnet.first && number < subnet.last;
  };
  const usable = `a guest address in ${cidr}: ${dotted(subnet.first + 1)} to ${dotted(subnet.last - 1)}`;
  if (!inside(net.address)) add(["address"], `an address that is neither the first nor the last of its subnet`);
  if (net.forward === "isolated" && net.forwardInterface)
    add(["forwardInterface"], 'no interface, because an isolated network forwards nothing; or set forward: "nat"');
  const { ranges = [], hosts = [], reserved = [], bootFile, bootServer, leaseSeconds } = net.dhcp ?? {};
  if (bootServer && bootFile === undefined) add(["dhcp", "bootServer"], "a bootFile too");
  if (leaseSeconds !== undefined && ranges.length === 0) add(["dhcp", "leaseSeconds"], "ranges too");
  const spans = ranges.map(({ start, end }) => ({
    start,
    end,
    from: ipv4Number(start) ?? 0,
    to: ipv4Number(end) ?? 0,
  }));
  spans.forEach(({ start, end, from, to }, at) => {
    const path = ["dhcp", "ranges", at];
    if (!inside(start)) add([...path, "start"], usable);
    if (!inside(end)) add([...path, "end"], usable);
    if (from > to) add([...path, "end"], `an address not lower than ${start}`);
    if (from <= own && own <= to) add(path, `a range that does not contain ${net.address}, the host's own address`);
    const other = spans.slice(0, at).find((earlier) => earlier.from <= to && from <= earlier.to);
    if (other) add(path, `a range that does not overlap ${other.start} to ${other.end}`);
  });
  const inRange = (ip: string): (typeof spans)[number] | undefined => {
    const number = ipv4Number(ip) ?? -1;
    return spans.find(({ from, to }) => from <= number && number <= to);
  };
  reserved.forEach((ip, at) => {
    const range = inRange(ip);
    if (range)
      add(
        ["dhcp", "reserved", at],
        `an address outside the range ${range.start} to ${range.end}, or a range without ${ip}`,
      );
  });
  hosts.forEach(({ mac, ip, name }, at) => {
    const path = ["dhcp", "hosts", at];
    const range = inRange(ip);
    const earlier = hosts.slice(0, at);
    if (!inside(ip)) add([...path, "ip"], usable);
    if (ip === net.address) add([...path, "ip"], `an address other than ${ip}, the host's own address`);
    if (range) add([...path, "ip"], `an address outside the range ${range.start} to ${range.end}`);
    if (reserved.includes(ip)) add([...path, "ip"], `an address other than ${ip}, which is reserved`);
    if (earlier.some((other) => other.mac === mac))
      add([...path, "mac"], "a MAC address that no other reservation uses");
    if (earlier.some((other) => other.ip === ip)) add([...path, "ip"], "an address that no other reservation uses");
    if (name !== undefined && earlier.some((other) => other.name === name))
      add([...path, "name"], "a name that no other reservation uses");
  });
  return problems;
}

function dotted(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}
