/** An IP address with its prefix length. */
export interface Cidr {
  readonly version: 4 | 6;
  readonly number: bigint;
  readonly prefix: number;
}

/** Reads an IPv4 or IPv6 address; undefined for any other text. */
export function addressOf(text: string): { readonly version: 4 | 6; readonly number: bigint } | undefined {
  const four = fourOf(text);
  if (four !== undefined) return { version: 4, number: four };
  const six = sixOf(text);
  return six === undefined ? undefined : { version: 6, number: six };
}

/** Reads an address with its prefix length, `192.0.2.10/24`; undefined for any other text. */
export function cidrOf(text: string): Cidr | undefined {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const found = addressOf(address);
  const prefix = Number(length);
  return found && prefix <= bitsOf(found.version) ? { ...found, prefix } : undefined;
}

/** True if one address is in the network of another. */
export function isIn(address: string, network: string): boolean {
  const [one, other] = [addressOf(address), cidrOf(network)];
  if (one === undefined || other === undefined || one.version !== other.version) return false;
  const rest = BigInt(bitsOf(other.version) - other.prefix);
  return one.number >> rest === other.number >> rest;
}

/** True if an address is its network's own address or the broadcast address. */
export function isReserved(cidr: Cidr): boolean {
  if (cidr.version === 6 || cidr.prefix > 30) return false;
  const size = 1n << BigInt(32 - cidr.prefix);
  return [0n, size - 1n].includes(cidr.number % size);
}

/** The destination of a route as the kernel shows it: without host bits. */
export function networkText(text: string): string {
  const cidr = cidrOf(text);
  if (cidr === undefined) return text;
  const rest = BigInt(bitsOf(cidr.version) - cidr.prefix);
  return addressText({ ...cidr, number: (cidr.number >> rest) << rest }, cidr.prefix < bitsOf(cidr.version));
}

/** An address with its prefix length as the kernel shows it. */
export function cidrText(text: string): string {
  const cidr = cidrOf(text);
  return cidr === undefined ? text : addressText(cidr, true);
}

/** An address as the kernel shows it. */
export function plainText(text: string): string {
  const address = addressOf(text);
  return address === undefined ? text : addressText({ ...address, prefix: 0 }, false);
}

function addressText({ version, number, prefix }: Cidr, isWithPrefix: boolean): string {
  const text = version === 4 ? dotted(number) : colons(number);
  return isWithPrefix ? `${text}/${prefix}` : text;
}

function bitsOf(version: 4 | 6): 32 | 128 {
  return version === 4 ? 32 : 128;
}

function dotted(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((by) => String((number >> by) & 255n)).join(".");
}

/** The form of RFC 5952: the first of the longest runs of zeros is omitted. */
function colons(number: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) => ((number >> BigInt(112 - at * 16)) & 0xffffn).toString(16));
  const runs = [...groups.join(":").matchAll(/(?:^|(?<=:))0(?::0)+(?=:|$)/g)];
  const longest = runs.toSorted((a, b) => b[0].length - a[0].length)[0];
  const text = groups.join(":");
  if (longest === undefined) return text;
  const before = text.slice(0, Math.max(0, longest.index - 1));
  return `${before}::${text.slice(longest.index + longest[0].length + 1)}`;
}

function fourOf(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  if (!parts?.every((part) => Number(part) < 256 && String(Number(part)) === part)) return undefined;
  return parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

function sixOf(text: string): bigint | undefined {
  if (!/^[0-9a-f:]+$/i.test(text) || text.split("::").length > 2) return undefined;
  const [head = "", tail] = text.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = 8 - first.length - last.length;
  if (tail === undefined ? zeros !== 0 : zeros < 1) return undefined;
  const all = [...first, ...Array.from({ length: zeros }, () => "0"), ...last];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return all.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}
