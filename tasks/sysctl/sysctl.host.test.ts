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
  test.each(["0100", "0x40"])("%s is refused, in check too: the kernel shows it in decimal", async (value) => {
    const call = sysctl({ key, value });
    for (const [end] of [await host.check(call), await host.apply(call)]) {
      expect(end?.error?.failure).toMatchObject({ details: ["refused: not-decimal"], hint: 'Write value: "64"' });
    }
    expect(await host.sh(saved)).toBe("");
  });

  test("a value that the kernel changes fails with the changed value, and is not saved for the next boot", async () => {
    const [end] = await host.apply(sysctl({ key, value: "65 66" }));
    expect(end).toMatchObject({ outcome: "failed", error: { code: "E_STEP" } });
    expect(end?.error?.failure.details?.join("\n")).toContain("the kernel made 65 of it");
    expect(await host.sh(saved)).toBe("");
  });

  test("a value in decimal is set and saved", async () => {
    expect(await host.apply(sysctl({ key, value: 65 }))).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh(saved)).toBe("99-zz-furrow-net-ipv4-ip_default_ttl.conf\n");
  });

  test("several parts are set and compared with single blanks between them", async () => {
    const range = sysctl({ key: "net.ipv4.ip_local_port_range", value: "20000\t 60999", persist: false });
    expect(await host.apply(range)).toMatchObject([{ outcome: "changed" }]);
  });
});
