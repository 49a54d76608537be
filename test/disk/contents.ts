import { closeSync, fsyncSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { LoopDisk } from "./loop-host.ts";
import { run } from "./loop-host.ts";

/** Content that a disk may already have, and how a refusal must describe it. */
export interface Content {
  readonly name: string;
  /** Size of the disk in MiB; default 64. */
  readonly mebibytes?: number;
  /** Matches the refusal's description of the content. */
  readonly called: RegExp;
  readonly verifyEmpty?: "full";
  readonly write: (this: void, disk: LoopDisk, folder: string) => void;
}

const tool =
  (...words: readonly string[]) =>
  (disk: LoopDisk): void =>
    void run([...words, disk.path]);

const table =
  (script: string) =>
  (disk: LoopDisk): void => {
    run(["sfdisk", "-q", "--no-reread", disk.path], script);
    if (script.includes(",")) run(["partx", "-u", disk.path]);
  };

/** Writes bytes at an offset; a negative offset counts from the end. */
function poke(disk: LoopDisk, at: number, bytes: Uint8Array): void {
  const size = Number(run(["blockdev", "--getsize64", disk.path]));
  const handle = openSync(disk.path, "r+");
  writeSync(handle, bytes, 0, bytes.length, at < 0 ? size + at : at);
  fsyncSync(handle);
  closeSync(handle);
}

const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 37 + 11) & 0xff));

/**
 * Writes a superblock of version 1.2, 4 KiB from the start: Linux, include/uapi/linux/raid/md_p.h, struct
 * mdp_superblock_1.
 */
function mdVersion1(disk: LoopDisk): void {
  const block = Buffer.alloc(256);
  block.writeUInt32LE(0xa92b4efc, 0);
  block.writeUInt32LE(1, 4);
  Buffer.from("00112233445566778899aabbccddeeff", "hex").copy(block, 16);
  block.write("host:0", 32, "ascii");
  block.writeInt32LE(1, 72);
  block.writeBigUInt64LE(100_000n, 80);
  block.writeUInt32LE(2, 92);
  block.writeBigUInt64LE(2048n, 128);
  block.writeBigUInt64LE(100_000n, 136);
  block.writeBigUInt64LE(8n, 144);
  let sum = 0n;
  for (let at = 0; at < 256; at += 4) sum += BigInt(block.readUInt32LE(at));
  block.writeUInt32LE(Number(((sum & 0xffff_ffffn) + (sum >> 32n)) & 0xffff_ffffn), 216);
  poke(disk, 4096, block);
}

/** Writes a superblock of version 0.90 to the last full 64 KiB of the disk: same header, struct mdp_super_s. */
function mdVersion0(disk: LoopDisk): void {
  const block = Buffer.alloc(4096);
  const words: Readonly<Record<number, number>> = {
    0: 0xa92b4efc,
    2: 90,
    5: 0x00112233,
    6: 1_700_000_000,
    7: 1,
    8: 65_472,
    9: 2,
    10: 2,
  };
  for (const [word, value] of Object.entries(words)) block.writeUInt32LE(value, Number(word) * 4);
  poke(disk, -65_536, block);
}

/** Writes the labels of a ZFS pool: uberblocks of 1 KiB each, 128 KiB into each of the first two blocks of 256 KiB. */
function zfsLabels(disk: LoopDisk): void {
  const uberblock = Buffer.alloc(1024);
  uberblock.writeBigUInt64LE(0x00bab10cn, 0);
  uberblock.writeBigUInt64LE(5000n, 8);
  const ring = Buffer.concat(Array.from({ length: 128 }, () => uberblock));
  for (const label of [0, 262_144]) poke(disk, label + 131_072, ring);
}

function image(make: (tree: string, file: string) => readonly string[]): Content["write"] {
  return (disk, folder) => {
    const file = join(folder, "image");
    run(["rm", "-rf", file, join(folder, "tree")]);
    run(["mkdir", join(folder, "tree")]);
    writeFileSync(join(folder, "tree/file"), "content\n");
    run(make(join(folder, "tree"), file));
    run(["dd", `if=${file}`, `of=${disk.path}`, "bs=1M", "conv=notrunc,fsync", "status=none"]);
  };
}

const luks =
  (type: string): Content["write"] =>
  (disk) =>
    void run(
      [
        "cryptsetup",
        "luksFormat",
        "-q",
        "--type",
        type,
        "--pbkdf",
        "pbkdf2",
        "--pbkdf-force-iterations",
        "1000",
        disk.path,
        "-",
      ],
      "secret",
    );

/**
 * The contents that a disk may have before furrow uses it: file systems, volume managers, partition tables, and
 * unidentified bytes.
 */
export const contents: readonly Content[] = [
  { name: "ext4", called: /an ext4 file system labelled "books"/, write: tool("mkfs.ext4", "-q", "-L", "books") },
  { name: "ext2", called: /an ext2 file system/, write: tool("mkfs.ext2", "-q") },
  { name: "xfs", mebibytes: 330, called: /an xfs file system/, write: tool("mkfs.xfs", "-q") },
  { name: "btrfs", mebibytes: 140, called: /a btrfs file system/, write: tool("mkfs.btrfs", "-q") },
  { name: "vfat", called: /a vfat file system/, write: tool("mkfs.vfat") },
  { name: "exfat", called: /an exfat file system/, write: tool("mkfs.exfat") },
  { name: "ntfs", called: /an ntfs file system/, write: tool("mkntfs", "-q", "-F") },
  { name: "f2fs", called: /an f2fs file system/, write: tool("mkfs.f2fs", "-q") },
  { name: "jfs", called: /a jfs file system/, write: tool("mkfs.jfs", "-q") },
  { name: "nilfs2", mebibytes: 140, called: /a nilfs2 file system/, write: tool("mkfs.nilfs2", "-q") },
  { name: "udf", called: /a udf file system/, write: tool("mkudffs") },
  { name: "swap", called: /swap space/, write: tool("mkswap") },
  { name: "LVM", called: /an LVM physical volume/, write: tool("pvcreate", "-qq", "--yes") },
  { name: "mdraid 1.2", called: /Linux software RAID/, write: mdVersion1 },
  { name: "mdraid 0.90", called: /Linux software RAID/, write: mdVersion0 },
  { name: "LUKS1", called: /encrypted volume \(LUKS\)/, write: luks("luks1") },
  { name: "LUKS2", called: /encrypted volume \(LUKS\)/, write: luks("luks2") },
  { name: "ZFS", called: /a member of a ZFS pool/, write: zfsLabels },
  { name: "bcache", called: /a bcache device/, write: tool("make-bcache", "-B") },
  {
    name: "ISO9660",
    called: /an iso9660 file system/,
    write: image((tree, file) => ["genisoimage", "-quiet", "-o", file, tree]),
  },
  {
    name: "squashfs",
    called: /a squashfs file system/,
    write: image((tree, file) => ["mksquashfs", tree, file, "-quiet", "-no-progress"]),
  },
  {
    name: "erofs",
    called: /an erofs file system/,
    write: image((tree, file) => ["mkfs.erofs", "--quiet", file, tree]),
  },
  { name: "GPT without partitions", called: /a GPT partition table with no partition/, write: table("label: gpt\n") },
  {
    name: "GPT with ext4 and swap",
    called: /a GPT partition table with 2 partitions \(1: an ext4 file system, 2: swap space\)/,
    write(disk) {
      table("label: gpt\n,20M\n,20M,S\n")(disk);
      run(["mkfs.ext4", "-q", `${disk.path}p1`]);
      run(["mkswap", `${disk.path}p2`]);
    },
  },
  {
    name: "GPT with LVM in it",
    called: /1 partition \(1: an LVM physical volume\)/,
    write(disk) {
      table("label: gpt\n,\n")(disk);
      run(["pvcreate", "-qq", "--yes", `${disk.path}p1`]);
    },
  },
  {
    name: "GPT whose first copy is lost",
    called: /a GPT partition table with 1 partition/,
    write(disk) {
      table("label: gpt\n,\n")(disk);
      poke(disk, 512, Buffer.alloc(512));
    },
  },
  { name: "MBR without partitions", called: /an MBR partition table with no partition/, write: table("label: dos\n") },
  {
    name: "MBR with an extended partition",
    called: /an MBR partition table with 3 partitions \(1: an xfs|an MBR partition table with 3 partitions \(1: a vfat/,
    write(disk) {
      table("label: dos\n,20M\n,,E\n,10M\n")(disk);
      run(["mkfs.vfat", `${disk.path}p1`]);
    },
  },
  {
    name: "hybrid GPT and MBR",
    called: /an MBR partition table with|a GPT partition table with 1 partition/,
    write(disk) {
      table("label: gpt\n,\n")(disk);
      run(["sgdisk", "--hybrid=1", disk.path]);
    },
  },
  {
    name: "a protective MBR alone",
    called: /a protective MBR without the GPT it protects/,
    write(disk) {
      table("label: gpt\n,\n")(disk);
      poke(disk, 512, Buffer.alloc(33 * 512));
      poke(disk, -33 * 512, Buffer.alloc(33 * 512));
    },
  },
  {
    name: "raw bytes at the start",
    mebibytes: 400,
    called: /data without a known signature, found in its first 64 MiB/,
    write: (disk) => poke(disk, 5 << 20, noise(4096)),
  },
  {
    name: "raw bytes in the very first sector",
    mebibytes: 400,
    called: /part of a partition table/,
    write: (disk) => poke(disk, 16, noise(16)),
  },
  {
    name: "raw bytes in the middle",
    mebibytes: 400,
    called: /data without a known signature, found in the middle/,
    write: (disk) => poke(disk, 200 << 20, noise(2 << 20)),
  },
  {
    name: "raw bytes near the end",
    mebibytes: 400,
    called: /data without a known signature, found in its last 64 MiB/,
    write: (disk) => poke(disk, -(1 << 20), noise(512)),
  },
  {
    name: "raw bytes in the last sector",
    mebibytes: 400,
    called: /part of a partition table/,
    write: (disk) => poke(disk, -8, noise(8)),
  },
  {
    name: "one byte in the middle of a disk that is read in full",
    mebibytes: 400,
    verifyEmpty: "full",
    called: /data without a known signature/,
    write: (disk) => poke(disk, 199_999_999, Buffer.from([1])),
  },
  {
    name: "ext4 whose first superblock is lost",
    called: /data without a known signature/,
    write(disk) {
      run(["mkfs.ext4", "-q", disk.path]);
      poke(disk, 0, Buffer.alloc(65_536));
    },
  },
];
