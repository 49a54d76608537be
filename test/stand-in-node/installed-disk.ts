import { appendFile, copyFile, mkdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inParts, partOf } from "./parts.ts";

const sector = 512;
/** The start of the first partition, in sectors: 1 MiB. */
const start = 2048;

/** The kernel arguments of the installed system, the same for both firmwares. */
const kernelArguments = "root=LABEL=COS_STATE net.ifnames=1 console=tty1 console=ttyS0,115200";

const boot: Readonly<Record<string, string>> = {
  "syslinux.cfg": `DEFAULT harvester\nPROMPT 0\nLABEL harvester\n  KERNEL vmlinuz\n  INITRD initrd\n  APPEND ${kernelArguments}\n`,
  "loader.conf": "timeout 0\ndefault harvester.conf\n",
  "harvester.conf": `title Stand-in\nlinux /vmlinuz\ninitrd /initrd\noptions ${kernelArguments}\n`,
};

/**
 * Creates the disk image that a node installs: a partition table, and one FAT partition that boots with BIOS (syslinux)
 * and UEFI (systemd-boot). The disk image stands in for a release's ISO image.
 *
 * @param files the kernel, initrd and root file system, as paths on this machine
 */
export async function makeInstalledDisk(
  parts: string,
  files: Readonly<Record<"kernel" | "initrd" | "rootfs", string>>,
  target: string,
): Promise<void> {
  const work = partOf(parts, "work");
  await mkdir(work, { recursive: true });
  const names = { vmlinuz: files.kernel, initrd: files.initrd, rootfs: files.rootfs };
  let size = 0;
  for (const [name, path] of Object.entries(names)) {
    await copyFile(path, join(work, name));
    size += (await stat(path)).size;
  }
  for (const [name, text] of Object.entries(boot)) await writeFile(join(work, name), text);
  const sectors = Math.ceil((size * 1.02 + 2 ** 21) / sector);
  await writeFile(join(work, "fat"), "");
  await truncate(join(work, "fat"), sectors * sector);
  const inWork = (...argv: string[]): Promise<string> => inParts(parts, argv);
  await inWork(
    ..."mformat -i /work/fat -v COS_STATE -h 255 -s 63".split(" "),
    "-H",
    String(start),
    "-T",
    String(sectors),
    "::",
  );
  await inWork(..."mmd -i /work/fat ::/EFI ::/EFI/BOOT ::/loader ::/loader/entries".split(" "));
  const put = (from: string, to: string): Promise<string> => inWork("mcopy", "-i", "/work/fat", from, `::${to}`);
  for (const name of [...Object.keys(names), "syslinux.cfg"]) await put(`/work/${name}`, "/");
  await put("/work/loader.conf", "/loader/");
  await put("/work/harvester.conf", "/loader/entries/");
  await put("/usr/lib/systemd/boot/efi/systemd-bootx64.efi", "/EFI/BOOT/BOOTX64.EFI");
  // syslinux runs mtools through a shell.
  await inWork("/bin/busybox", "ln", "-sf", "/bin/busybox", "/bin/sh");
  await inWork("syslinux", "--install", "/work/fat");
  const head = Buffer.alloc(start * sector);
  (await readFile(partOf(parts, "usr/lib/syslinux/mbr/mbr.bin"))).copy(head);
  partitionTable(sectors).copy(head, 446);
  await writeFile(`${target}.new`, head);
  await appendFile(`${target}.new`, await readFile(join(work, "fat")));
  await rename(`${target}.new`, target);
  await rm(work, { recursive: true });
}

/**
 * The last 66 bytes of the master boot record: one active partition of type 0xef, which UEFI looks for, and the
 * signature.
 */
function partitionTable(sectors: number): Buffer {
  const table = Buffer.alloc(66);
  table.set([0x80, 0xfe, 0xff, 0xff, 0xef, 0xfe, 0xff, 0xff]);
  table.writeUInt32LE(start, 8);
  table.writeUInt32LE(sectors, 12);
  table.set([0x55, 0xaa], 64);
  return table;
}
