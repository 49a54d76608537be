import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ipmiPower } from "../../../tasks/ipmi-power/ipmi-power.ts";
import { IpmiSimulator, missingIpmiPrograms as missing } from "../../../test/power/ipmi-simulator.ts";
import { taskHost } from "../../../test/tasks/on-host.ts";
import { isFurrowError } from "../../core/errors.ts";
import { ipmiDriverWith } from "./ipmi.ts";

if (missing.length > 0) process.stderr.write(`skipped without ${missing.join(" and ")} (Debian: ipmitool, openipmi)\n`);

const { signal } = new AbortController();
const driver = ipmiDriverWith({ requestMs: 20_000, pauseMs: 50 });
const login = { user: "admin", password: "ipmi-pass-word" };
const simulator = new IpmiSimulator(login);
const write = (name: string, text: string): void => simulator.write(name, text);
const power = (): string => simulator.power;
const orders = (): string[] => simulator.orders;

async function startSimulator(): Promise<void> {
  await simulator.up();
  for (let tries = 0; tries < 50; tries += 1) {
    const answer = (await driver.read(access(), signal)) as { readonly power?: string };
    if (answer.power === "on") return;
    await sleep(100);
  }
  throw new Error("ipmi_sim does not answer");
}

const access = (more: object = {}) => ({ ...simulator.access, ...more });
const bring = async (to: string, more: object = {}): Promise<string> => {
  const change = { to, force: false, shutdownSeconds: 20, deadlineSeconds: 20, ...more };
  try {
    await driver.call?.({ ...access(), change }, signal);
    return power();
  } catch (error) {
    if (!isFurrowError(error)) throw error;
    return `${error.code} ${error.failure.what}`;
  }
};

describe.skipIf(missing.length > 0)("a machine behind a simulated controller", () => {
  beforeAll(startSimulator, 60_000);
  beforeEach(() => simulator.reset());
  afterAll(() => simulator.down());

  test("is on or off, as its controller reports", async () => {
    expect(await driver.read(access(), signal)).toEqual({ power: "on" });
    write("power", "0\n");
    expect(await driver.read(access(), signal)).toEqual({ power: "off" });
  }, 60_000);

  test("is queried with its own password, not with one that the operator has exported for another machine", async () => {
    vi.stubEnv("IPMITOOL_PASSWORD", "of-another-machine");
    try {
      expect(await driver.read(access(), signal)).toEqual({ power: "on" });
    } finally {
      vi.unstubAllEnvs();
    }
  }, 60_000);

  test("is asked to shut down, and switched on once it is off; a second call sends no request", async () => {
    expect(await bring("off")).toBe("0");
    expect(await bring("off")).toBe("0");
    expect(orders()).toEqual(["shutdown"]);
    expect(await bring("on")).toBe("1");
    expect(orders()).toEqual(["shutdown", "power 1"]);
    expect(await bring("cycled")).toBe("1");
    expect(orders().slice(2)).toEqual(["shutdown", "power 1"]);
  }, 120_000);

  test("that does not shut down stays on, unless force is given", async () => {
    write("hangs", "");
    expect(await bring("off", { shutdownSeconds: 1 })).toBe("E_WAIT 127.0.0.1 is not off after 1 s");
    expect(power()).toBe("1");
    expect(await bring("off", { shutdownSeconds: 1, force: true })).toBe("0");
    expect(orders()).toEqual(["shutdown", "shutdown", "power 0"]);
  }, 120_000);

  test("is switched off exactly once, as check mode predicted; the password appears in no argument or output", async () => {
    const seen: string[] = [];
    const watch = setInterval(() => {
      seen.push(spawnSync("sh", ["-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"]).stdout.toString());
    }, 20);
    const host = taskHost();
    const off = ipmiPower({ ...access(), state: "off" });
    const checked = await host.check(off);
    expect(orders()).toEqual([]);
    const applied = await host.apply(off);
    clearInterval(watch);
    expect([checked, applied]).toMatchObject([[{ outcome: "changed" }], [{ outcome: "changed", error: undefined }]]);
    expect(await host.apply(off)).toMatchObject([{ outcome: "ok" }]);
    expect(seen.some((all) => all.includes("ipmitool -I lanplus -H 127.0.0.1"))).toBe(true);
    expect(seen.join("\n")).not.toContain(login.password);
    const refused = await host.apply(ipmiPower({ ...access({ password: "wrong-pass-word" }), state: "on" }));
    expect(refused).toMatchObject([{ outcome: "failed", error: { failure: { details: ["refused: no-answer"] } } }]);
    expect(JSON.stringify([checked, applied, refused])).not.toMatch(/pass-word/);
  }, 180_000);
});

test("reports what to install if ipmitool is missing", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "/nonexistent";
  try {
    expect(await driver.read({ address: "bmc-1", ...login }, signal)).toMatchObject({
      problem: { code: "no-ipmitool", hint: "Install the ipmitool package on the machine that runs furrow" },
    });
  } finally {
    process.env["PATH"] = path;
  }
});
