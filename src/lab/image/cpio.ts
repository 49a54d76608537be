/** One entry of an initramfs. */
export interface CpioEntry {
  /** The path without a leading slash: `bin/busybox`. */
  readonly path: string;
  /** Type and permission bits, as in `st_mode`: 0o100755 for a program, 0o040755 for a directory. */
  readonly mode: number;
  readonly data?: Uint8Array;
  /** The device numbers of a character device (`st_mode` 0o020600). */
  readonly device?: readonly [major: number, minor: number];
}

/**
 * Creates an archive in the "newc" format, which the kernel unpacks as its first root file system (Linux documentation,
 * driver-api/early-userspace/buffer-format: 110-byte ASCII headers, names and data padded to 4 bytes).
 */
export function cpioArchive(entries: readonly CpioEntry[]): Buffer {
  const parts = entries.flatMap((entry, index) => record(entry, index + 1));
  return Buffer.concat([...parts, ...record({ path: "TRAILER!!!", mode: 0 }, 0)]);
}

function record({ path, mode, data = new Uint8Array(), device = [0, 0] }: CpioEntry, inode: number): Buffer[] {
  const name = Buffer.from(`${path}\0`);
  const fields = [inode, mode, 0, 0, 1, 0, data.length, 0, 0, device[0], device[1], name.length, 0];
  const header = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, "0")).join("")}`);
  return [header, name, padding(header.length + name.length), Buffer.from(data), padding(data.length)];
}

function padding(length: number): Buffer {
  return Buffer.alloc((4 - (length % 4)) % 4);
}
