import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyAndKill } from "../../test/disk/killed.ts";
import { hashOf, type LoopDisk, type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { disk } from "./disk.ts";
import type { FileSystem } from "./marks.ts";

/** The smallest possible disks, in MiB: the smaller the disk, the more often a kill interrupts a relevant write. */
const mebibytes = { ext4: 64, xfs: 330, btrfs: 140 } as const;
const points = { ext4: 16, xfs: 10, btrfs: 10 } as const;

let host: LoopHost;
let neighbour: LoopDisk;
let neighbourHash: string;
let spoken = "";
beforeAll(async () => {
  host = await loopHost();
  neighbour = host.disk(20);
  run(["mkfs.ext4", "-q", neighbour.path]);
  neighbourHash = await hashOf(neighbour);
});
afterAll(async () => {
  process.stdout.write(spoken);
  await host.close();
});

/** A small random number generator (mulberry32); with its seed, a failure can be reproduced. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const check = {
  ext4: (path: string) => run(["e2fsck", "-fn", path]),
  xfs: (path: string) => run(["xfs_repair", "-n", path]),
  btrfs: (path: string) => run(["btrfs", "check", path]),
};

describe.each(["ext4", "xfs", "btrfs"] as const)("disk with %s, killed", (fileSystem: FileSystem) => {
  const call = (target: LoopDisk, point: string): ReturnType<typeof disk> =>
    disk({ device: target.path, mountPoint: point, fileSystem, label: "data", mode: "0750" });
  let events = 0;

  beforeAll(async () => {
    const target = host.disk(mebibytes[fileSystem]);
    const whole = await applyAndKill(
      host,
      Number.POSITIVE_INFINITY,
      call(target, `${host.folder}/mnt/${fileSystem}-whole`),
    );
    if (whole.ends[0]?.outcome !== "changed")
      throw new Error("the run fails even if nothing interrupts it", { cause: whole.ends });
    ({ events } = whole);
  });

  test.each(Array.from({ length: points[fileSystem] }, (_, index) => index))(
    "is finished by the next run after a kill at point %i, and nothing else is touched",
    async (index) => {
      const share = (index + random(index + 1)()) / points[fileSystem];
      const after = 1 + Math.floor(share * (events - 1));
      const target = host.disk(mebibytes[fileSystem]);
      const point = `${host.folder}/mnt/${fileSystem}-${index}`;
      const cut = await applyAndKill(host, after, call(target, point));
      spoken += `${fileSystem} killed at ${after} of ${events}: ${cut.last.slice(0, 60)}\n`;
      expect(cut.events).toBe(after);
      expect(["unreachable", "failed", "changed"]).toContain(cut.ends[0]?.outcome);
      if (index % 3 === 2) await host.reboot();

      const [again] = await host.apply(call(target, point));
      expect({ outcome: again?.outcome, error: again?.error?.failure }).toEqual({
        outcome: expect.stringMatching(/^(changed|ok)$/) as string,
        error: undefined,
      });
      await host.sh(`echo precious > '${point}/file'`);
      const [converged] = await host.apply(call(target, point));
      expect(converged).toMatchObject({ outcome: "ok", steps: [] });
      const seen = await host.sh(
        `cat '${point}/file'; stat -c %a '${point}'; grep -c ' ${point} ' /etc/fstab; umount '${point}'`,
      );
      expect(seen).toBe("precious\n750\n1\n");
      run(["sfdisk", "--verify", target.path]);
      check[fileSystem](`${target.path}p1`);
      expect(await hashOf(neighbour)).toBe(neighbourHash);
    },
  );
});
