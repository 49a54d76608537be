import { closeSync, constants, openSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../../test/disk/loop-host.ts";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { blockDevice, blockDeviceKind } from "./block-device.ts";
import { diskContent, diskContentKind } from "./disk-content.ts";
import { disks, disksKind } from "./disks.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

describe.each([["sh"], ["bash"], ["mksh"], ["busybox", "sh"]])("the disk kinds under %s", (...words) => {
  test("read the content of a disk, and print it back as the lines that it was read from", async () => {
    const disk = host.disk(64);
    run(["sfdisk", "-q", "--no-reread", disk.path], 'label: gpt\nsize=20M\nsize=20M, name="a | b"\n');
    run(["partx", "-u", disk.path]);
    run(["mkfs.ext4", "-q", "-L", "x y", `${disk.path}p1`]);
    const shell = [...host.enter, ...words, "-c"];
    const questions = [
      blockDevice(disk.path, ["layout"]),
      blockDevice("/dev/nope"),
      blockDevice("/etc/fstab"),
      blockDevice("/dev/loop-control"),
    ];
    const answers = await readKind(questions, { shell });
    expect(answers.map(({ value }) => value)).toEqual([
      expect.objectContaining({
        type: "disk",
        path: disk.path,
        sizeBytes: 64 << 20,
        serial: disk.serial,
        table: "gpt",
        carriesRoot: false,
        uses: [],
        partitions: {
          1: expect.objectContaining({
            fileSystem: "ext4",
            label: String.raw`x\x20y`,
            inKernel: true,
            start: 1 << 20,
            sizeBytes: 20 << 20,
          }) as unknown,
          2: expect.objectContaining({ fileSystem: "", inKernel: true }) as unknown,
        },
      }),
      absent,
      expect.objectContaining({ type: "other" }),
      expect.objectContaining({ type: "other" }),
    ]);
    const printed = questions.map((question, index) =>
      blockDeviceKind.print?.(answers[index]?.value as never, question),
    );
    expect(printed).toEqual(answers.map(({ lines }) => lines));

    const [content] = await readKind([diskContent(disk.path, "sampled")], { shell });
    expect(content?.value).toMatchObject({ data: "middle" });
    expect(diskContentKind.print?.(content?.value as never, diskContent(disk.path, "sampled") as never)).toEqual(
      content?.lines,
    );

    const [list] = await readKind([disks()], { shell });
    expect(list?.value).toContainEqual({ path: disk.path, sizeBytes: 64 << 20, serial: disk.serial, ids: [] });
    expect(disksKind.print?.(list?.value as never, disks() as never)).toEqual(list?.lines);
  });

  test("name the partition that something has opened exclusively, and only that one", async () => {
    const disk = host.disk(64);
    run(["sfdisk", "-q", "--no-reread", disk.path], "label: gpt\nsize=20M\nsize=20M\n");
    run(["partx", "-u", disk.path]);
    const open = openSync(`${disk.path}p2`, constants.O_RDONLY | constants.O_EXCL);
    const [answer] = await readKind([blockDevice(disk.path, ["layout"])], {
      shell: [...host.enter, ...words, "-c"],
    }).finally(() => closeSync(open));
    expect(answer?.value).toMatchObject({ uses: [], partitions: { 1: { uses: [] }, 2: { uses: ["claimed"] } } });
  });
});
