import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contents } from "../../test/disk/contents.ts";
import { hashOf, type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { disk } from "./disk.ts";

let host: LoopHost;
beforeAll(async () => {
  host = await loopHost();
});
afterAll(() => host.close());

describe("disk refuses a disk that holds data, names the data and does not change it", () => {
  test.each(contents)("$name", async ({ mebibytes = 64, called, verifyEmpty, write }) => {
    const target = host.disk(mebibytes);
    write(target, host.folder);
    const before = await hashOf(target);
    const call = disk({
      device: target.path,
      mountPoint: `${host.folder}/mnt/refused`,
      ...(verifyEmpty !== undefined && { verifyEmpty }),
    });
    for (const way of ["check", "apply"] as const) {
      const [end] = await host[way](call);
      expect(end?.error?.failure).toMatchObject({
        what: expect.stringMatching(called) as string,
        details: ["refused: disk-not-empty"],
      });
      expect(end?.steps).toEqual([]);
    }
    expect(await hashOf(target)).toBe(before);
  });
});
