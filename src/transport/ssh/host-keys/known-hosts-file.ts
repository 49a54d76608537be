import { dirname } from "node:path";
import { FurrowError } from "../../../core/errors.ts";
import type { Address } from "../../../core/host/transport.ts";
import type { KnownHosts } from "./known-hosts.ts";
import { hashedName, judgeHostKey, knownAs, knownHostsName, parseKnownHosts, wireType } from "./known-hosts.ts";
import { randomBytes } from "../../../core/world.ts";
import { outside } from "../../outside.ts";
import { readNamedFile } from "../../named-file.ts";
import { readRevokedKeys } from "./revoked-keys.ts";

/**
 * Reads known_hosts files in order. A missing file is treated as empty. Throws E_FILE for a file that cannot be read.
 */
export async function readKnownHosts(files: readonly string[]): Promise<KnownHosts> {
  const parts = await Promise.all(files.map(readOne));
  return {
    entries: parts.flatMap(({ entries }) => entries),
    authorities: parts.flatMap(({ authorities }) => authorities),
    hashed: parts[0]?.hashed ?? false,
    notes: parts.flatMap(({ notes }) => notes),
  };
}

/**
 * Reads the known keys of a server, and the keys that RevokedHostKeys revokes. If its address lists keys, the
 * known_hosts files can only revoke keys; otherwise the known keys come from these files. Throws E_FILE.
 */
export async function readKnownKeys(address: Address): Promise<KnownHosts> {
  const known = await readKnownHosts(address.knownHostsFiles);
  const revoked = address.revokedKeysFile === undefined ? [] : await readRevokedKeys(address.revokedKeysFile);
  const files = { ...known, entries: [...known.entries, ...revoked] };
  if (address.hostKeys === undefined || address.hostKeys.length === 0) return files;
  const name = knownHostsName(...knownAs(address));
  const lines = address.hostKeys.map((key) => `${name} ${key}`).join("\n");
  const given = parseKnownHosts(lines, "the host keys in the inventory");
  return {
    ...files,
    entries: [...files.entries.filter(({ revoked }) => revoked), ...given.entries],
    notes: given.notes,
  };
}

async function readOne(file: string): Promise<KnownHosts> {
  try {
    return parseKnownHosts((await readNamedFile(file)).toString("utf8"), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT")
      return { entries: [], authorities: [], hashed: false, notes: [] };
    throw new FurrowError("E_FILE", {
      what: `the known_hosts file ${file} cannot be read`,
      current: (error as Error).message,
      hint: "Make the file readable, or set another one with UserKnownHostsFile in ssh_config",
      cause: error,
    });
  }
}

/** The last append to each file. Hosts of one run append at the same time, so appends wait for each other. */
const appending = new Map<string, Promise<unknown>>();

/**
 * Adds a host's key to a known_hosts file in one write, with a hashed name if the file's last line has one. Creates the
 * file (0600) and its folder (0700) if they are missing. Adds nothing if the file already has this key. Throws E_FILE.
 */
export function appendKnownHost(file: string, address: string, port: number, key: Buffer): Promise<void> {
  const turn = (appending.get(file) ?? Promise.resolve())
    .catch(() => undefined)
    .then(() => append(file, address, port, key));
  appending.set(file, turn);
  return turn;
}

async function append(file: string, address: string, port: number, key: Buffer): Promise<void> {
  const known = await readOne(file);
  if (judgeHostKey(known.entries, address, port, key).is === "known") return;
  const name = knownHostsName(address, port);
  const hosts = known.hashed ? hashedName(name, randomBytes(20)) : name;
  const line = `${hosts} ${wireType(key) ?? ""} ${key.toString("base64")}\n`;
  try {
    await outside.mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const handle = await outside.open(file, "a+", 0o600);
    try {
      const { size } = await handle.stat();
      const last = Buffer.alloc(1);
      if (size > 0) await handle.read(last, 0, 1, size - 1);
      // One write with O_APPEND: other programs may be adding lines at the same time.
      await handle.write(size > 0 && last[0] !== 0x0a ? `\n${line}` : line);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `the host key of ${name} cannot be added to ${file}`,
      current: (error as Error).message,
      hint: "Make the file writable, or add the key yourself",
      cause: error,
    });
  }
}
