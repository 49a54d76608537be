import { createHmac } from "node:crypto";
import { globList } from "../../../core/inventory/pattern-list.ts";

/** One usable line of a known_hosts file (format: sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). */
export interface KnownHostsEntry {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly revoked: boolean;
  /** The first field: a comma-separated list of patterns, or one `|1|salt|hash`. */
  readonly hosts: string;
  readonly keyType: string;
  /** The public key in its wire format. */
  readonly key: Buffer;
}

/** A line for a certificate authority that vouches for host keys. */
export interface HostAuthority {
  readonly hosts: string;
  /** `path:line`. */
  readonly place: string;
}

/** A parsed file, with notes on lines that cannot be used. */
export interface KnownHosts {
  readonly entries: readonly KnownHostsEntry[];
  /** Not used by ssh2, which never asks a host for its certificate. */
  readonly authorities: readonly HostAuthority[];
  /** True if the file's last host name is hashed, so a new one should be hashed too. */
  readonly hashed: boolean;
  /** Messages about ignored lines. */
  readonly notes: readonly string[];
}

/** Parses a known_hosts file. It notes and skips invalid lines, as OpenSSH does. */
export function parseKnownHosts(text: string, file: string): KnownHosts {
  const entries: KnownHostsEntry[] = [];
  const authorities: HostAuthority[] = [];
  const notes: string[] = [];
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const fields = line.split(/[ \t]+/);
    const marker = fields[0]?.startsWith("@") === true ? fields.shift() : undefined;
    const [hosts, keyType, encoded] = fields;
    const place = `${file}:${index + 1}`;
    if (marker === "@cert-authority") {
      if (hosts !== undefined) authorities.push({ hosts, place });
      notes.push(`${place}: @cert-authority is ignored: only the transport "openssh" checks host certificates`);
      continue;
    }
    const key = Buffer.from(encoded ?? "", "base64");
    if (hosts === undefined || keyType === undefined || wireType(key) !== keyType) {
      notes.push(`${place}: not a host key line, ignored`);
      continue;
    }
    if (marker !== undefined && marker !== "@revoked") {
      notes.push(`${place}: the marker ${marker} is unknown, line ignored`);
      continue;
    }
    entries.push({ file, line: index + 1, revoked: marker === "@revoked", hosts, keyType, key });
  }
  return { entries, authorities, hashed: entries.at(-1)?.hosts.startsWith("|") ?? false, notes };
}

/** The key type named in a public key in wire format. Undefined if the data is not a public key. */
export function wireType(key: Buffer): string | undefined {
  if (key.length < 4) return undefined;
  const length = key.readUInt32BE(0);
  return length > 64 || key.length < 4 + length ? undefined : key.toString("latin1", 4, 4 + length);
}

/** A host's name in known_hosts: its name alone on port 22, `[name]:port` on any other. */
export function knownHostsName(address: string, port: number): string {
  const name = address.toLowerCase();
  return port === 22 ? name : `[${name}]:${port}`;
}

/** The name and port to look up in known_hosts. A host with an alias is listed under the alias alone, on any port. */
export function knownAs({
  address,
  port,
  hostKeyAlias,
}: {
  readonly address: string;
  readonly port: number;
  readonly hostKeyAlias?: string;
}): [name: string, port: number] {
  return hostKeyAlias === undefined ? [address, port] : [hostKeyAlias, 22];
}

/** The first field for a new line: the name, or its HMAC-SHA1 under `salt` (20 bytes). */
export function hashedName(name: string, salt: Buffer): string {
  return `|1|${salt.toString("base64")}|${createHmac("sha1", salt).update(name).digest("base64")}`;
}

/** True if a line's first field names the host. */
export function namesHost(hosts: string, name: string): boolean {
  if (!hosts.startsWith("|")) return globList(hosts.toLowerCase().split(","), name);
  const [, version, salt, hash] = hosts.split("|");
  if (version !== "1" || salt === undefined || hash === undefined) return false;
  return createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64") === hash;
}

/**
 * Where known_hosts lists an authority for a host's certificates: `path:line`. Undefined if it lists no such authority.
 */
export function authorityOf({ authorities }: KnownHosts, address: string, port: number): string | undefined {
  const names = [knownHostsName(address, port), address.toLowerCase()];
  return authorities.find(({ hosts }) => names.some((name) => namesHost(hosts, name)))?.place;
}

/** The verdict of known_hosts on the key that a server presents. */
export type HostKeyVerdict =
  | { readonly is: "known"; readonly entry: KnownHostsEntry }
  | { readonly is: "revoked"; readonly entry: KnownHostsEntry }
  | { readonly is: "changed"; readonly entry: KnownHostsEntry }
  | { readonly is: "unknown" };

/** The entries for a host, without the revoked ones. */
export function entriesOf(entries: readonly KnownHostsEntry[], address: string, port: number): KnownHostsEntry[] {
  const name = knownHostsName(address, port);
  return entries.filter((entry) => !entry.revoked && namesHost(entry.hosts, name));
}

/**
 * Judges a key as OpenSSH does: it first checks whether the key is revoked, then whether it is known; if neither is
 * true but the host has other keys, the key is treated as changed. A host on a port other than 22 may also be listed by
 * its plain name, but only with the same key.
 */
export function judgeHostKey(
  entries: readonly KnownHostsEntry[],
  address: string,
  port: number,
  key: Buffer,
): HostKeyVerdict {
  const plain = address.toLowerCase();
  const names = [knownHostsName(address, port), plain];
  const revoked = entries.find(
    (entry) => entry.revoked && entry.key.equals(key) && names.some((name) => namesHost(entry.hosts, name)),
  );
  if (revoked !== undefined) return { is: "revoked", entry: revoked };
  const own = entriesOf(entries, address, port);
  const equal = own.find((entry) => entry.key.equals(key));
  if (equal !== undefined) return { is: "known", entry: equal };
  const other = own.find((entry) => entry.keyType === wireType(key)) ?? own[0];
  if (other !== undefined) return { is: "changed", entry: other };
  const elsewhere = entriesOf(entries, address, 22).find((entry) => entry.key.equals(key));
  return elsewhere === undefined ? { is: "unknown" } : { is: "known", entry: elsewhere };
}
