const mebibyte = 2 ** 20;
const block = 4096;
const blocksInGroup = 32_768;

/**
 * Returns the size, in bytes, of the smallest disk that can hold a node's disk image once the node has written to all
 * of it. Such a disk is larger than the image: QEMU keeps tables in the image, the disk has a partition table, and ext4
 * takes about 7 percent. Most of this is reserved for root, and QEMU does not run as root.
 */
export function minimumDiskBytes(imageBytes: number): number {
  const needed = imageFileBytes(imageBytes);
  let [low, high] = [Math.floor(needed / mebibyte), Math.ceil((needed / mebibyte) * 1.25) + 256];
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    if (usableBytes(middle * mebibyte) < needed) low = middle;
    else high = middle;
  }
  return high * mebibyte;
}

/**
 * Returns the size of a qcow2 file in which every cluster of 64 KiB is in use: the clusters, the headers, and for each
 * cluster 8 bytes of address and 2 bytes of reference count, rounded up to whole clusters.
 */
export function imageFileBytes(imageBytes: number): number {
  return Math.ceil(imageBytes + imageBytes / 8192 + imageBytes / 32_768) + mebibyte;
}

/**
 * Returns the number of bytes that a non-root user can store on a disk that the disk task has partitioned and formatted
 * with ext4 and mke2fs's defaults. The result is up to half a percent too low, never too high.
 */
function usableBytes(diskBytes: number): number {
  // The partition begins at 1 MiB, and the table has a copy at the end of the disk.
  const blocks = Math.floor((diskBytes - 2 * mebibyte) / block);
  const groups = Math.ceil(blocks / blocksInGroup);
  // An inode of 256 bytes for each 16 KiB, in whole blocks of each group; and two bitmaps for each group.
  const inodes = groups * (Math.ceil(blocks / 4 / groups / 16) + 2);
  // Copies of the superblock and of the group descriptors, with room for the descriptors of a file system 1024 times as
  // large.
  const descriptors = (of: number): number => Math.ceil((Math.ceil(of / blocksInGroup) * 64) / block);
  const grown = Math.min(1024, descriptors(Math.min(blocks * 1024, 2 ** 32)));
  const copies = copiesIn(groups) * (1 + descriptors(blocks) + grown);
  const reservedForRoot = Math.ceil(blocks / 20);
  // The kernel keeps 4096 blocks for itself; the first directories take a few more.
  const other = 4096 + 32;
  return (blocks - inodes - copies - journalBlocks(blocks) - reservedForRoot - other) * block;
}

/** The number of groups with a copy of the superblock (sparse_super): 0, 1, and the powers of 3, 5 and 7. */
function copiesIn(groups: number): number {
  const powers = [3, 5, 7].flatMap((base) =>
    Array.from({ length: 30 }, (_, exponent) => base ** (exponent + 1)).filter((group) => group < groups),
  );
  return new Set([0, 1, ...powers]).size;
}

/** The size of the journal that mke2fs chooses, from 16 MiB to 1 GiB (ext2fs_default_journal_size). */
function journalBlocks(blocks: number): number {
  const sizes = [
    [32_768, 1024],
    [262_144, 4096],
    [524_288, 8192],
    [4_194_304, 16_384],
    [8_388_608, 32_768],
    [16_777_216, 65_536],
    [33_554_432, 131_072],
  ] as const;
  return sizes.find(([below]) => blocks < below)?.[1] ?? 262_144;
}
