/**
 * Writes a network in EC2's own notation: host bits are zero, and IPv6 addresses are in compressed form. EC2 stores
 * `100.68.0.18/18` as `100.68.0.0/18`, shows only that form, and rejects the first form as a duplicate
 * (https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html). Undefined if the text is not a network.
 */
export function canonicalNetwork(text: string): string | undefined {
  const [, address = "", digits = ""] = /^([\da-fA-F:.]+)\/(\d{1,3})$/.exec(text) ?? [];
  const bytes = address.includes(":") ? bytesOfSix(address) : bytesOfFour(address);
  const prefix = Number(digits);
  if (bytes === undefined || digits === "" || prefix > bytes.length * 8) return undefined;
  const kept = bytes.map((byte, at) => {
    const bits = Math.min(8, Math.max(0, prefix - at * 8));
    return byte & (0xff << (8 - bits)) & 0xff;
  });
  return `${bytes.length === 4 ? kept.join(".") : shortSix(kept)}/${prefix}`;
}

function bytesOfFour(text: string): number[] | undefined {
  const parts = text.split(".");
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256);
  return isAddress ? parts.map(Number) : undefined;
}

function bytesOfSix(text: string): number[] | undefined {
  const [, head = text, four] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  const tail = four === undefined ? [] : bytesOfFour(four);
  if (tail === undefined) return undefined;
  const halves = (four === undefined ? head : head.replace(/([^:]):$/, "$1")).split("::");
  const groups = halves.map((half) => half.split(":").filter((group) => group !== ""));
  if (halves.length > 2 || groups.flat().some((group) => !/^[\da-f]{1,4}$/i.test(group))) return undefined;
  const [before = [], after] = groups.map((half) => half.flatMap(bytesOfGroup));
  const gap = 16 - before.length - (after?.length ?? 0) - tail.length;
  if (after === undefined ? gap !== 0 : gap < 2) return undefined;
  return [...before, ...Array.from({ length: gap }, () => 0), ...(after ?? []), ...tail];
}

function bytesOfGroup(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}

/**
 * Writes an IPv6 address as in RFC 5952: in lower case, with the first of the longest runs of zeros shortened to `::`.
 */
function shortSix(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[at * 2] ?? 0) << 8) | (bytes[at * 2 + 1] ?? 0)).toString(16),
  );
  const runs = [
    ...groups
      .map((group) => (group === "0" ? "0" : "x"))
      .join("")
      .matchAll(/00+/g),
  ];
  const longest = runs.toSorted((a, b) => b[0].length - a[0].length || a.index - b.index)[0];
  if (longest === undefined) return groups.join(":");
  return `${groups.slice(0, longest.index).join(":")}::${groups.slice(longest.index + longest[0].length).join(":")}`;
}
