import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { pkg } from "./package.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("package-task");
});
afterAll(() => host.down());

describe("package on a whole Debian host with its own mirror", () => {
  test("installs a service on a fresh image as check mode predicts, and is undecided about what the package may set up", async () => {
    const nodes = [pkg({ name: ["cron", "bc"] }), pkg({ name: "bc" })];
    expect(outcomes(await host.check(...nodes))).toEqual(["changed", "ok"]);
    expect(outcomes(await host.apply(...nodes))).toEqual(["changed", "ok"]);
    expect(await host.sh("systemctl is-active cron")).toBe("active\n");
    expect(await host.sh("echo 6*7 | bc")).toBe("42\n");
    expect(outcomes(await host.apply(...nodes))).toEqual(["ok", "ok"]);
  });

  test("waits for a running cloud-init, and names it as the reason", async () => {
    await host.sh(`mkdir -p /run/cloud-init
printf '[Service]\\nType=oneshot\\nExecStart=/bin/sh -c "until [ -e /run/go-on ]; do sleep 0.2; done"\\nExecStartPost=/bin/touch /run/cloud-init/result.json\\n' >/run/systemd/system/cloud-final.service
systemctl daemon-reload; systemctl start --no-block cloud-final`);
    const [end] = await host.apply(pkg({ name: "bc", state: "absent", waitSeconds: 2 }));
    expect(end?.error?.failure.details?.at(-1)).toBe(
      "gave up after 2 s: the package database is in use by cloud-init, which is still setting up the host",
    );
    await host.sh("(sleep 2; touch /run/go-on) >/dev/null 2>&1 &");
    expect(outcomes(await host.apply(pkg({ name: "bc", state: "absent" })))).toEqual(["changed"]);
    expect(await host.sh("systemctl is-active cloud-final || ls /run/cloud-init")).toContain("result.json");
  });

  test("does not wait for a cloud-init that died before it finished", async () => {
    await host.sh(
      "rm -f /run/cloud-init/result.json; dpkg -P bc >/dev/null; ! systemctl --quiet is-active cloud-final",
    );
    const started = Date.now();
    expect(outcomes(await host.apply(pkg({ name: "bc", waitSeconds: 300 })))).toEqual(["changed"]);
    expect(Date.now() - started).toBeLessThan(300_000);
  });

  test.each([150, 300, 450, 600, 800, 1100])(
    "is finished by the next run if it was killed %i ms after it began",
    async (delay) => {
      await host.sh("dpkg -P bc cron >/dev/null 2>&1 || dpkg --configure -a && dpkg -P bc cron");
      await host.sh("(DEBIAN_FRONTEND=noninteractive apt-get -y install cron bc >/dev/null 2>&1 &)");
      await sleep(delay);
      await host.sh("kill -9 $(pidof apt-get dpkg dpkg-deb dpkg-preconfigure) 2>/dev/null; true");
      const [end] = await host.apply(pkg({ name: ["cron", "bc"] }));
      expect(end?.error?.failure).toBeUndefined();
      expect(outcomes(await host.apply(pkg({ name: ["cron", "bc"] })))).toEqual(["ok"]);
      expect(await host.sh("dpkg --audit; systemctl is-active cron")).toBe("active\n");
    },
  );
});
