import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { LabHost } from "../lab.ts";

/** Paths that always differ between two lab hosts: their identity. */
export const hostIdentity: readonly string[] = [
  "/etc/hostname",
  "/etc/hosts",
  "/etc/machine-id",
  "/etc/ssh/ssh_host_ed25519_key",
  "/etc/ssh/ssh_host_ed25519_key.pub",
  "/etc/systemd/network/10-host0.network",
  "/usr/lib/furrow-lab/apt-proxy",
];

/**
 * Paths that change merely because a host is running: the journal, login records, and the state that systemd saves for
 * timers and the clock.
 */
export const hostActivity: readonly string[] = [
  "/var/log/journal",
  "/var/log/wtmp",
  "/var/log/btmp",
  "/var/log/lastlog",
  "/var/lib/systemd",
];

/** Options for reading an upper layer. */
export interface UpperOptions {
  /** Paths to leave out, with everything below them; default: the paths in `hostIdentity` and `hostActivity`. */
  readonly exclude?: readonly string[];
}

/**
 * Lists everything on a host's disk that differs from the image: one line for each path in the overlay's upper layer,
 * with type, mode, owner and group, and the content's SHA-256, the link's target or the device numbers. A removed path
 * appears as a character device 0:0 (overlayfs, "whiteouts and opaque directories"). Timestamps are not included, but a
 * file that was only touched is, because touching copies it into the upper layer. The layer is read from outside, so
 * this also works on a host that is down.
 *
 * @returns the lines, keyed and sorted by path
 */
export async function upperTree(host: LabHost, options: UpperOptions = {}): Promise<ReadonlyMap<string, string>> {
  const excluded = new Set(options.exclude ?? [...hostIdentity, ...hostActivity]);
  const lines = new Map<string, string>();
  const visit = async (path: string): Promise<void> => {
    if (excluded.has(path)) return;
    const full = join(host.upperDir, path);
    const stat = await lstat(full);
    const owner = `${(stat.mode & 0o7777).toString(8)} ${stat.uid}:${stat.gid}`;
    if (stat.isDirectory()) {
      lines.set(path, `directory ${owner}`);
      const names = await readdir(full);
      for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) await visit(join(path, name));
    } else if (stat.isFile()) lines.set(path, `file ${owner} ${await sha256(full)}`);
    else if (stat.isSymbolicLink()) lines.set(path, `link ${stat.uid}:${stat.gid} ${await readlink(full)}`);
    else if (stat.isCharacterDevice() && stat.rdev === 0) lines.set(path, "removed");
    else lines.set(path, `special ${owner} ${stat.rdev}`);
  };
  await visit("/");
  return lines;
}

/** The SHA-256 of `upperTree`, in hex: two hosts with equal digests differ from their image in the same way. */
export async function upperDigest(host: LabHost, options: UpperOptions = {}): Promise<string> {
  const hash = createHash("sha256");
  for (const [path, line] of await upperTree(host, options)) hash.update(`${path}\0${line}\n`);
  return hash.digest("hex");
}

async function sha256(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
