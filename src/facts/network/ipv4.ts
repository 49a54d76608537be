/** A dotted IPv4 address as a number; undefined for any other text. */
export function ipv4Number(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return parts?.every((part) => part < 256) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined;
}

/**
 * The first and last addresses of a subnet, as numbers. `cidr` looks like `192.168.122.1/24`. Undefined for any other
 * text.
 */
export function subnetOf(cidr: string): { readonly first: number; readonly last: number } | undefined {
  const [address = "", prefix = ""] = cidr.split("/");
  const number = ipv4Number(address);
  if (number === undefined || !/^\d+$/.test(prefix) || Number(prefix) > 32) return undefined;
  const size = 2 ** (32 - Number(prefix));
  const first = Math.floor(number / size) * size;
  return { first, last: first + size - 1 };
}

/**
 * True if two subnets, each written as `address/prefix`, have an address in common. Any other text overlaps with
 * nothing.
 */
export function overlap(a: string, b: string): boolean {
  const [one, other] = [subnetOf(a), subnetOf(b)];
  return one !== undefined && other !== undefined && one.first <= other.last && other.first <= one.last;
}

/** The prefix length of a netmask: 24 for `255.255.255.0`. */
export function prefixOf(netmask: string): number {
  const number = ipv4Number(netmask) ?? 0;
  return number.toString(2).replaceAll("0", "").length;
}
