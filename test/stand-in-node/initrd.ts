import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { FurrowError } from "../../src/core/errors.ts";
import { cpioArchive, type CpioEntry } from "../../src/lab/image/cpio.ts";
import { command } from "../../src/lab/machine/shell.ts";
import { partOf } from "./parts.ts";
import { guestFolder } from "./userland.ts";

/**
 * The drivers that a node loads, in this order: virtio network card, disks and random numbers; FAT; the power button.
 */
const modules: readonly string[] = [
  ..."virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci failover net_failover virtio_net virtio_blk".split(
    " ",
  ),
  ..."scsi_common scsi_mod sd_mod virtio_scsi virtio-rng fat vfat nls_cp437 nls_ascii evdev button".split(" "),
];

/** Builds a node's initial RAM file system: busybox, drivers, and the script that finds the root file system. */
export async function makeInitrd(parts: string): Promise<Buffer> {
  const found = await command(["find", partOf(parts, "lib/modules"), "-name", "*.ko"]);
  const byName = new Map(found.stdout.split("\n").map((path) => [basename(path, ".ko"), path]));
  const entries: CpioEntry[] = [
    ...["bin", "lib", "dev"].map((path) => ({ path, mode: 0o040755 })),
    { path: "dev/console", mode: 0o020600, device: [5, 1] },
    { path: "bin/busybox", mode: 0o100755, data: await readFile(partOf(parts, "bin/busybox")) },
    { path: "init", mode: 0o100755, data: await readFile(join(guestFolder, "init")) },
    { path: "lease", mode: 0o100755, data: await readFile(join(guestFolder, "lease")) },
    { path: "lib/modules.list", mode: 0o100644, data: Buffer.from(`${modules.join("\n")}\n`) },
  ];
  for (const name of modules) {
    const path = byName.get(name);
    if (path === undefined) {
      throw new FurrowError("E_LAB", {
        what: `Debian's kernel lacks the module ${name}, which the stand-in node loads`,
        hint: "Compare the list in test/stand-in-node/initrd.ts with the kernel's own",
      });
    }
    entries.push({ path: `lib/${name}.ko`, mode: 0o100644, data: await readFile(path) });
  }
  return gzipSync(cpioArchive(entries), { level: 9 });
}
