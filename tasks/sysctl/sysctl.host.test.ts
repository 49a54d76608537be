import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { type TaskHost, taskHost } from "../../test/tasks/on-host.ts";
import { sysctl } from "./sysctl.ts";

let loop: LoopHost;
let host: TaskHost;
beforeAll(async () => {
  loop = await loopHost();
  // The host has its own network namespace, so its parameters do not affect any other test.
  host = taskHost([...loop.enter, "unshare", "--net", "sh"]);
});
afterAll(() => loop.close());

const key = "net.ipv4.ip_default_ttl";
const saved = "ls /etc/sysctl.d | grep furrow || :";

describe("sysctl", () => {
  test.each(["0100", "0x40"])(
    "refuses %s, in check mode too, because the kernel shows it in decimal",
    async (value) => {
      const call = sysctl({ key, value });
      for (const [end] of [await host.check(call), await host.apply(call)]) {
        expect(end?.error?.failure).toMatchObject({ details: ["refused: not-decimal"], hint: 'Write value: "64"' });
      }
      expect(await host.sh(saved)).toBe("");
    },
  );

  test("fails if the kernel changes the value, shows the changed value and does not save it for the next boot", async () => {
    const [end] = await host.apply(sysctl({ key, value: "65 66" }));
    expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
    expect(end?.error?.failure.details?.join("\n")).toContain("the kernel set it to 65 instead");
    expect(await host.sh(saved)).toBe("");
  });

  test("sets and saves a value in decimal", async () => {
    expect(await host.apply(sysctl({ key, value: 65 }))).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(saved)).toBe("99-zz-furrow-net-ipv4-ip_default_ttl.conf\n");
  });

  test("fails in check mode and in the run if /proc/sys is read-only", async () => {
    await host.sh("mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys");
    try {
      for (const persist of [false, true]) {
        const call = sysctl({ key: "net.ipv4.tcp_fin_timeout", value: 59, persist });
        for (const [end] of [await host.check(call), await host.apply(call)])
          expect(end).toMatchObject({ outcome: "failed", error: { code: "E_READ_ONLY" } });
      }
    } finally {
      await host.sh("umount /proc/sys");
    }
  });

  test("sets and compares a value of several parts with single spaces between them", async () => {
    const range = sysctl({ key: "net.ipv4.ip_local_port_range", value: "20000\t 60999", persist: false });
    expect(await host.apply(range)).toMatchObject([{ outcome: "changed" }]);
  });
});
