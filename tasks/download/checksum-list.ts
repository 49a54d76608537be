/** A digest and its hash function. */
export interface Checksum {
  readonly algorithm: "sha256" | "sha512";
  /** The digest in lower-case hex digits. */
  readonly hex: string;
}

/** What a checksum file contains for one name: the digest, or the reason why it cannot be determined. */
export type Listed = { readonly checksum: Checksum } | { readonly problem: string };

/**
 * Finds a file's digest in a checksum file: lines as printed by `sha256sum` (`HEX  name`, `HEX *name`, with a leading
 * `\` if the name is escaped) or by BSD tools and `--tag` (`SHA256 (name) = HEX`), or just one digest.
 */
export function findChecksum(list: string, name: string): Listed {
  const entries = list.split(/\r?\n/).flatMap((line) => parseLine(line));
  const named = entries.filter((entry) => entry.name !== undefined && baseName(entry.name) === name);
  const found = named.length === 0 ? entries.filter((entry) => entry.name === undefined) : named;
  const strong = found.flatMap(({ hex }) => checksumOf(hex));
  const kinds = new Set(strong.map(({ algorithm, hex }) => `${algorithm}:${hex}`));
  const [best] = strong.toSorted((a, b) => b.hex.length - a.hex.length);
  if (best === undefined) return { problem: noneOf(entries, found, name) };
  const same = [...kinds].filter((kind) => kind.startsWith(best.algorithm));
  return same.length > 1
    ? { problem: `it lists ${same.length} different ${best.algorithm} digests of ${name}` }
    : { checksum: best };
}

interface Entry {
  readonly hex: string;
  /** The file name; undefined for a digest without a name. */
  readonly name: string | undefined;
}

function parseLine(line: string): Entry[] {
  const bsd = /^\s*SHA(?:2-)?-?(?:256|512) ?\((.+)\) ?= ?([0-9a-fA-F]+)\s*$/.exec(line);
  if (bsd) return [{ name: bsd[1], hex: (bsd[2] ?? "").toLowerCase() }];
  const gnu = /^(\\?)([0-9a-fA-F]{32,128})(?:[ \t]+\*?(.*\S))?\s*$/.exec(line);
  if (!gnu) return [];
  const name = gnu[1] === "\\" ? gnu[3]?.replaceAll("\\\\", "\\") : gnu[3];
  return [{ name, hex: (gnu[2] ?? "").toLowerCase() }];
}

function checksumOf(hex: string): Checksum[] {
  if (hex.length === 64) return [{ algorithm: "sha256", hex }];
  return hex.length === 128 ? [{ algorithm: "sha512", hex }] : [];
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function noneOf(entries: readonly Entry[], found: readonly Entry[], name: string): string {
  if (found.length > 0) return `its digest of ${name} is neither SHA-256 nor SHA-512`;
  if (entries.length === 0) return "it is not a list of digests";
  const names = entries.flatMap((entry) => entry.name ?? []).slice(0, 8);
  return `it does not list ${name}, only ${names.join(", ")}${entries.length > names.length ? ", …" : ""}`;
}
