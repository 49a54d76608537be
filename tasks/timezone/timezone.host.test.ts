import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { timezone } from "./timezone.ts";

const hasZones = existsSync("/usr/share/zoneinfo/Europe/Berlin");
if (!hasZones) process.stderr.write("skipped without the tzdata package: time zones\n");

describe.runIf(hasZones)("timezone", () => {
  // The host has its own /etc, so this machine's time zone stays unchanged.
  let host: LoopHost;
  beforeAll(async () => {
    host = await loopHost();
  });
  afterAll(() => host.close());

  const berlin = timezone({ name: "Europe/Berlin" });

  test("is set as check mode predicts, and only once, and programs use it", async () => {
    await host.sh("ln -sf /usr/share/zoneinfo/Etc/UTC /etc/localtime; echo Etc/UTC >/etc/timezone");
    expect(await host.check(berlin)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("date -d @0 +%Z")).toBe("UTC\n");
    expect(await host.apply(berlin)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("date -d @0 +%Z; cat /etc/timezone")).toBe("CET\nEurope/Berlin\n");
    expect(await host.apply(berlin)).toMatchObject([{ outcome: "ok", steps: [] }]);
  });

  test("replaces a copy of a zone, and does not create /etc/timezone", async () => {
    await host.sh("rm /etc/localtime /etc/timezone; cp /usr/share/zoneinfo/Asia/Tokyo /etc/localtime");
    expect(await host.apply(berlin)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("readlink /etc/localtime; ls /etc/timezone 2>/dev/null || echo none")).toBe(
      "/usr/share/zoneinfo/Europe/Berlin\nnone\n",
    );
  });

  test("is refused in check mode and in the run if the host has no such zone, and nothing changes", async () => {
    const call = timezone({ name: "Europe/Berln" });
    for (const [end] of [await host.check(call), await host.apply(call)]) {
      expect(end?.error?.failure).toMatchObject({ details: ["refused: no-zone"], hint: 'Write name: "Europe/Berlin"' });
    }
    expect(await host.sh("readlink /etc/localtime")).toBe("/usr/share/zoneinfo/Europe/Berlin\n");
  });
});
