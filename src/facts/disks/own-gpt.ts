import { crc32 } from "node:zlib";

/**
 * The bytes of a GPT partition table with one partition, according to the UEFI specification (chapter 5), and a
 * comparison with the bytes on a disk. Because every byte is known, furrow recognizes its own table sector by sector,
 * even if writing it was interrupted (docs/decisions/tasks/012-own-partition-table.md). Numbers are in bytes unless
 * their names say that they count sectors.
 */

const mebi = 1 << 20;
const entryBytes = 128;
const entryCount = 128;
const linuxData = "0fc63daf-8483-4772-8e79-3d69d8477de4";

/**
 * A table with one partition that spans the whole disk. The partition starts at 1 MiB, and its length is a whole number
 * of MiB.
 */
export interface GptLayout {
  readonly diskBytes: number;
  /** Logical sector size: 512 or 4096. */
  readonly sectorBytes: number;
  /** Lower case with dashes, like `partitionUuid`. */
  readonly diskUuid: string;
  readonly partitionUuid: string;
  /** At most 36 characters. */
  readonly name: string;
}

/** Some bytes, and their position on the disk in sectors. */
export interface Extent {
  readonly sector: number;
  readonly bytes: Uint8Array;
}

/** The number of sectors that a table may occupy at each end of a disk. */
export function tableSectors(sectorBytes: number): { readonly head: number; readonly tail: number } {
  const entries = Math.ceil((entryBytes * entryCount) / sectorBytes);
  return { head: 2 + entries, tail: entries + 1 };
}

/** The start and length of the partition. */
export function partitionSpan({ diskBytes, sectorBytes }: Pick<GptLayout, "diskBytes" | "sectorBytes">): {
  readonly start: number;
  readonly size: number;
} {
  const usableEnd = diskBytes - tableSectors(sectorBytes).tail * sectorBytes;
  return { start: mebi, size: Math.floor(usableEnd / mebi) * mebi - mebi };
}

/**
 * The sectors of a table that are not zero: the first three sectors of the disk, the first sector of the backup
 * entries, and the last sector of the disk. All other sectors in both areas are zero.
 */
export function gptExtents(layout: GptLayout): readonly [head: Extent, entries: Extent, last: Extent] {
  const { sectorBytes } = layout;
  const sectors = layout.diskBytes / sectorBytes;
  const { head, tail } = tableSectors(sectorBytes);
  const entries = entryArray(layout, (head - 2) * sectorBytes);
  const sum = crc32(entries);
  const primary = header(layout, sum, { own: 1, other: sectors - 1, entries: 2 });
  const backup = header(layout, sum, { own: sectors - 1, other: 1, entries: sectors - tail });
  const first = entries.subarray(0, sectorBytes);
  return [
    { sector: 0, bytes: Buffer.concat([protectiveMbr(sectors, sectorBytes), primary, first]) },
    { sector: sectors - tail, bytes: first },
    { sector: sectors - 1, bytes: backup },
  ];
}

/** Both areas of a table in full, including the zeros. */
export function gptAreas(layout: GptLayout): { readonly head: Uint8Array; readonly tail: Uint8Array } {
  const [first, entries, last] = gptExtents(layout);
  const counts = tableSectors(layout.sectorBytes);
  const head = Buffer.alloc(counts.head * layout.sectorBytes);
  const tail = Buffer.alloc(counts.tail * layout.sectorBytes);
  head.set(first.bytes, 0);
  tail.set(entries.bytes, 0);
  tail.set(last.bytes, tail.length - layout.sectorBytes);
  return { head, tail };
}

function protectiveMbr(sectors: number, sectorBytes: number): Buffer {
  const mbr = Buffer.alloc(sectorBytes);
  mbr.set([0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff], 446);
  mbr.writeUInt32LE(1, 454);
  mbr.writeUInt32LE(Math.min(sectors - 1, 0xff_ff_ff_ff), 458);
  mbr.writeUInt16LE(0xaa55, 510);
  return mbr;
}

function header(
  layout: GptLayout,
  entriesSum: number,
  at: { readonly own: number; readonly other: number; readonly entries: number },
): Buffer {
  const { head, tail } = tableSectors(layout.sectorBytes);
  const sector = Buffer.alloc(layout.sectorBytes);
  sector.write("EFI PART", 0, "ascii");
  sector.writeUInt32LE(0x0001_0000, 8);
  sector.writeUInt32LE(92, 12);
  sector.writeBigUInt64LE(BigInt(at.own), 24);
  sector.writeBigUInt64LE(BigInt(at.other), 32);
  sector.writeBigUInt64LE(BigInt(head), 40);
  sector.writeBigUInt64LE(BigInt(layout.diskBytes / layout.sectorBytes - tail - 1), 48);
  sector.set(guid(layout.diskUuid), 56);
  sector.writeBigUInt64LE(BigInt(at.entries), 72);
  sector.writeUInt32LE(entryCount, 80);
  sector.writeUInt32LE(entryBytes, 84);
  sector.writeUInt32LE(entriesSum, 88);
  sector.writeUInt32LE(crc32(sector.subarray(0, 92)), 16);
  return sector;
}

function entryArray(layout: GptLayout, length: number): Buffer {
  const { start, size } = partitionSpan(layout);
  const entries = Buffer.alloc(length);
  entries.set(guid(linuxData), 0);
  entries.set(guid(layout.partitionUuid), 16);
  entries.writeBigUInt64LE(BigInt(start / layout.sectorBytes), 32);
  entries.writeBigUInt64LE(BigInt((start + size) / layout.sectorBytes - 1), 40);
  entries.write(layout.name.slice(0, 36), 56, "utf16le");
  return entries;
}

/** The bytes of a GUID in a partition table, where its first three fields are little-endian. */
function guid(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  bytes.subarray(0, 4).reverse();
  bytes.subarray(4, 6).reverse();
  bytes.subarray(6, 8).reverse();
  return bytes;
}

/**
 * How the two areas of a disk compare with two versions of a table, `before` and `after`. `blank`: everything is zero.
 * `before`, `after`: the areas contain exactly that version. `partly-before`: each sector is zero or as in `before`,
 * and the last sector, which is written first, is as in `before`; an interrupted write of `before` to a blank disk
 * leaves this state. `between`: each sector is as in `before` or `after`. `foreign`: anything else.
 */
export type TableState = "blank" | "partly-before" | "before" | "between" | "after" | "foreign";

/** Compares both areas with two versions of a table, sector by sector. */
export function tableState(
  found: { readonly head: Uint8Array; readonly tail: Uint8Array },
  before: GptLayout,
  after: GptLayout,
): TableState {
  const [a, b] = [gptAreas(before), gptAreas(after)];
  const { sectorBytes } = before;
  const stands = (area: "head" | "tail", at: number, bytes: Uint8Array): boolean =>
    Buffer.from(found[area].subarray(at, at + sectorBytes)).equals(bytes.subarray(at, at + sectorBytes));
  const sectors = (["head", "tail"] as const).flatMap((area) => {
    if (found[area].length !== a[area].length) return [{ zero: false, before: false, after: false }];
    return Array.from({ length: a[area].length / sectorBytes }, (_, index) => ({
      zero: stands(area, index * sectorBytes, Buffer.alloc(a[area].length)),
      before: stands(area, index * sectorBytes, a[area]),
      after: stands(area, index * sectorBytes, b[area]),
    }));
  });
  if (sectors.every((sector) => sector.zero)) return "blank";
  if (sectors.every((sector) => sector.before)) return "before";
  if (sectors.every((sector) => sector.after)) return "after";
  if (sectors.at(-1)?.before === true && sectors.every((sector) => sector.zero || sector.before))
    return "partly-before";
  if (sectors.every((sector) => sector.before || sector.after)) return "between";
  return "foreign";
}
