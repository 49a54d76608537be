import { afterAll, beforeAll, expect, test } from "vitest";
import { disk } from "../../tasks/disk/disk.ts";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { imageFileBytes, minimumDiskBytes } from "./image-room.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

/** Formats a disk as the role does, then allocates a file on it as QEMU's user would. Returns what fails. */
async function allocated(fileBytes: number, diskBytes: number, point: string): Promise<string> {
  const target = host.disk(diskBytes / 2 ** 20);
  const [applied] = await host.apply(disk({ device: target.path, mountPoint: point }));
  expect(applied?.error?.failure).toBeUndefined();
  // The file is opened by root, because the user cannot enter the test's folder.
  const allocate = `setpriv --reuid=65534 --clear-groups fallocate -l ${Math.ceil(fileBytes)} /proc/self/fd/9`;
  return host.sh(
    `exec 9> '${point}/image'; chmod 0666 '${point}/image'; ${allocate} 2>&1 || true; exec 9>&-; umount '${point}'`,
  );
}

test.each([1, 50, 315].map((gib) => [gib]))(
  "a disk image of %i GiB fits on a disk of the minimum size, but not on one that is 1 percent smaller",
  async (gib) => {
    const image = gib * 2 ** 30;
    const least = minimumDiskBytes(image);
    const mebibyte = 2 ** 20;
    const smaller = Math.floor((least * 0.99) / mebibyte) * mebibyte;
    expect(await allocated(imageFileBytes(image), least, `${host.folder}/mnt/least${gib}`)).toBe("");
    expect(await allocated(imageFileBytes(image), smaller, `${host.folder}/mnt/smaller${gib}`)).toContain(
      "No space left on device",
    );
  },
);
