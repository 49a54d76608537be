import { afterAll, beforeAll, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { noDiscard } from "./no-discard.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
  // The file systems of the machine that runs this test may be mounted with discard. The test host therefore sees their
  // files through an overlay, which pivot_root(8) makes its root.
  await host.sh(`set -e
    cd ${host.folder}
    mkdir root upper work
    mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
    for at in proc sys dev etc run; do mount --rbind "/$at" "root/$at"; done
    cd root
    mkdir old
    pivot_root . old
    umount -l /old`);
});
afterAll(() => host.close());

test("remounts file systems without discard, as check mode predicted, each only once, whatever their names", async () => {
  const lines: string[] = [];
  for (const [name, options] of [
    ["a b", "noatime,discard"],
    ["plain", "defaults"],
    ["c", "discard"],
  ] as const) {
    const disk = host.disk(32);
    run(["mkfs.ext4", "-q", disk.path]);
    const path = `${host.folder}/mnt/${name}`;
    await host.sh(`mkdir '${path}'; mount -o ${options} ${disk.path} '${path}'`);
    lines.push(`${disk.path}\t${path.replace(" ", String.raw`\040`)} ext4 ${options} 0 0`);
  }
  // The same file system, mounted in a second place: one remount is enough.
  await host.sh(`mkdir ${host.folder}/mnt/again; mount --bind ${host.folder}/mnt/c ${host.folder}/mnt/again`);
  await host.sh(`cat >>/etc/fstab <<'END'\n${lines.join("\n")}\nEND`);
  const options = (): Promise<string> => host.sh("grep /mnt/ /proc/self/mounts | grep -c discard || :");
  expect(await options()).toBe("3\n");
  expect(await host.check(noDiscard({}))).toMatchObject([{ outcome: "changed" }]);
  expect(await options()).toBe("3\n");
  const [end] = await host.apply(noDiscard({}));
  expect(end).toMatchObject({ outcome: "changed", error: undefined });
  expect(end?.steps).toHaveLength(3);
  expect(await options()).toBe("0\n");
  expect(await host.sh("grep -c noatime /proc/self/mounts")).not.toBe("0\n");
  expect(await host.sh("grep discard /etc/fstab || grep -c /mnt/ /etc/fstab")).toBe("3\n");
  expect(await host.apply(noDiscard({}))).toMatchObject([{ outcome: "ok", steps: [] }]);
});
