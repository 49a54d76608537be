/**
 * What Harvester itself adds to noProxy (AddBuiltInNoProxy in pkg/util of harvester/harvester, v1.1.2 and later).
 * Harvester's webhook ignores these additions when it looks for the nodes' addresses.
 */
export const builtInNoProxy = [
  "localhost",
  "127.0.0.1",
  "0.0.0.0",
  "10.0.0.0/8",
  "longhorn-system",
  "cattle-system",
  "cattle-system.svc",
  "harvester-system",
  ".svc",
  ".cluster.local",
] as const;

interface Range {
  readonly bits: 32 | 128;
  readonly first: bigint;
  readonly last: bigint;
}

/** An address or a subnet as numbers; undefined for any other text. */
export function rangeOf(text: string): Range | undefined {
  const [address = "", prefix, ...more] = text.trim().split("/");
  const number = ipv4(address) ?? ipv6(address);
  if (number === undefined || more.length > 0) return undefined;
  const bits = address.includes(":") ? 128 : 32;
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)) return undefined;
  const size = 1n << BigInt(bits - Number(prefix ?? bits));
  const first = (number / size) * size;
  return { bits, first, last: first + size - 1n };
}

function ipv4(text: string): bigint | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)) return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function ipv6(text: string): bigint | undefined {
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [before = [], after = []] = halves;
  const missing = 8 - before.length - after.length;
  if (!text.includes(":") || halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
}

/** True if one of these entries covers an address or a whole subnet. A name or `*` covers no address. */
export function coversAddress(entries: readonly string[], address: string): boolean {
  const own = rangeOf(address);
  return entries.some((entry) => {
    const range = rangeOf(entry);
    return (
      own !== undefined &&
      range !== undefined &&
      range.bits === own.bits &&
      range.first <= own.first &&
      own.last <= range.last
    );
  });
}

/**
 * True if one of these entries covers a domain and all names below it: `.cluster.local` and `cluster.local` cover
 * `cluster.local`, and so does `.local` (golang.org/x/net/http/httpproxy).
 */
export function coversDomain(entries: readonly string[], domain: string): boolean {
  const own = `.${domain.toLowerCase()}`;
  return entries.some((entry) => {
    const plain = entry
      .trim()
      .toLowerCase()
      .replace(/^\*?\.?/, ".");
    return rangeOf(entry) === undefined && plain !== "." && own.endsWith(plain);
  });
}
