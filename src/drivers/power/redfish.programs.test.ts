import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { redfishPower } from "../../../tasks/redfish-power/redfish-power.ts";
import { Issuer } from "../../../test/issued.ts";
import { RedfishServer } from "../../../test/power/redfish-server.ts";
import { taskHost } from "../../../test/tasks/on-host.ts";
import { isFurrowError } from "../../core/errors.ts";
import type { Json } from "../../core/facts/fact.ts";
import { redact } from "../../core/secrets/redact.ts";
import { redfishDriverWith } from "./redfish.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-redfish-"));
const issuer = new Issuer(folder);
let bmc: RedfishServer;
let fingerprint = "";
beforeAll(() => {
  issuer.authority("ca");
  issuer.authority("other");
  issuer.issue("bmc", "ca", "IP:127.0.0.1");
  const shown = execFileSync("openssl", ["x509", "-in", issuer.path("bmc.crt"), "-noout", "-fingerprint", "-sha256"]);
  fingerprint = shown.toString().trim().split("=")[1] ?? "";
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  bmc?.down();
  bmc = new RedfishServer();
  await bmc.up({ cert: issuer.text("bmc.crt"), key: issuer.text("bmc.key") });
});
afterAll(() => bmc?.down());

const driver = redfishDriverWith({ requestMs: 3000, pauseMs: 10 });
const { signal } = new AbortController();
const access = (more: object = {}): { readonly [name: string]: Json } => ({
  url: bmc.url,
  ...bmc.login,
  caCert: issuer.text("ca.crt"),
  ...more,
});
const look = (more: object = {}): Promise<unknown> => driver.read(access(more), signal);
const change = { force: false, shutdownSeconds: 2, deadlineSeconds: 2 };
const say: string[] = [];
const bring = async (to: string, more: object = {}): Promise<string> => {
  say.length = 0;
  try {
    await driver.call?.({ ...access(), change: { ...change, to, ...more } }, signal, (text) => void say.push(text));
    return bmc.power;
  } catch (error) {
    if (!isFurrowError(error)) throw error;
    const { what, current = "" } = error.failure;
    return `${error.code} ${what}; ${current}`.replaceAll(new URL(bmc.url).host, "BMC");
  }
};
const posts = (): string[] =>
  bmc.seen
    .flatMap((one) => /^POST \S+ (?<body>.*)$/.exec(one)?.groups?.["body"] ?? [])
    .map((body) => (JSON.parse(body) as { ResetType: string }).ResetType);

test("no output shows the password, even one that was not given as a secret", async () => {
  await look({ password: "written-in-plain-text" });
  expect(redact("Basic written-in-plain-text")).toBe("Basic «secret bmc-password»");
});

describe("the power of a machine", () => {
  test.each(["action", "info"] as const)(
    "is read together with the resets that the controller accepts (%s)",
    async (listsIn) => {
      bmc.listsIn = listsIn;
      expect(await look()).toEqual({ power: "on", ways: bmc.resets });
      bmc.power = "PoweringOff";
      expect(await look()).toMatchObject({ power: "powering off" });
      bmc.listsIn = "nowhere";
      expect(await look()).toEqual({ power: "powering off", ways: undefined });
    },
  );

  test("is read from the named machine; a controller with several machines is refused if no machine is named", async () => {
    bmc.systems = ["1", "2"];
    expect(await look()).toMatchObject({ problem: { message: expect.stringContaining("set `system`") as string } });
    for (const system of ["2", "/redfish/v1/Systems/2"]) expect(await look({ system })).toMatchObject({ power: "on" });
    expect(await look({ system: "3" })).toMatchObject({ problem: { code: "no-answer" } });
  });

  test("is not guessed: a wrong password, an unknown state and an unreachable controller are reported as problems", async () => {
    expect(await look({ password: "wrong" })).toMatchObject({
      problem: {
        message: expect.stringContaining("HTTP 401: Unauthorized") as string,
        hint: "Correct the user and the password, and give the user the permission to control power",
      },
    });
    bmc.power = "Paused" as "On";
    expect(await look()).toMatchObject({
      problem: { message: expect.stringContaining("PowerState is Paused") as string },
    });
    const gone = access();
    bmc.down();
    expect(await driver.read(gone, signal)).toMatchObject({
      problem: { code: "no-answer", hint: expect.stringContaining("reachable") as string },
    });
  });
});

describe("the certificate of a controller", () => {
  test("is checked before the password is sent", async () => {
    expect(await look({ caCert: issuer.text("other.crt") })).toMatchObject({
      problem: {
        hint: expect.stringContaining("as caCert, or the SHA-256 of its own certificate as fingerprint") as string,
      },
    });
    const pinned = { caCert: undefined, fingerprint: "ab".repeat(32) };
    const { caCert: _, ...plain } = access();
    expect(await driver.read({ ...plain, fingerprint: pinned.fingerprint }, signal)).toMatchObject({
      problem: { code: "other-certificate", current: `SHA-256 ${fingerprint.replaceAll(":", "").toLowerCase()}` },
    });
    expect(await driver.read(plain, signal)).toMatchObject({ problem: { code: "no-answer" } });
    expect(bmc.seen).toEqual([]);
    expect(bmc.logins).toBe(0);
  });

  test("is accepted if its authority or its fingerprint is given, and without any check if insecure is set", async () => {
    const { caCert: _, ...plain } = access();
    const pin = fingerprint.replaceAll(":", "").toLowerCase();
    for (const more of [{ fingerprint: pin }, { insecure: true }])
      expect(await driver.read({ ...plain, ...more }, signal)).toMatchObject({ power: "on" });
    expect(await look()).toMatchObject({ power: "on" });
  });
});

describe("a machine", () => {
  test("is asked to shut down, and the call waits until it is off; a second call sends no request", async () => {
    expect(await bring("off")).toBe("Off");
    expect(posts()).toEqual(["GracefulShutdown"]);
    expect(await bring("off")).toBe("Off");
    expect(posts()).toEqual(["GracefulShutdown"]);
    expect(await bring("on")).toBe("On");
    expect(posts()).toEqual(["GracefulShutdown", "On"]);
  });

  test("that is already shutting down gets no request: the call only waits", async () => {
    bmc.power = "PoweringOff";
    setTimeout(() => (bmc.power = "Off"), 50);
    expect(await bring("off")).toBe("Off");
    expect(posts()).toEqual([]);
  });

  test("that is starting is asked to shut down as soon as it is on, even if force is given", async () => {
    bmc.power = "PoweringOn";
    setTimeout(() => (bmc.power = "On"), 100);
    expect(await bring("off", { force: true })).toBe("Off");
    expect(posts()).toEqual(["GracefulShutdown"]);
  });

  test("that is shutting down is switched on once it is off; for one that is starting, the call only waits", async () => {
    bmc.power = "PoweringOff";
    bmc.onReset = () => expect(bmc.power).toBe("Off");
    setTimeout(() => (bmc.power = "Off"), 100);
    expect(await bring("on")).toBe("On");
    expect(posts()).toEqual(["On"]);
    bmc.power = "PoweringOn";
    setTimeout(() => (bmc.power = "On"), 100);
    expect(await bring("on")).toBe("On");
    expect(posts()).toEqual(["On"]);
  });

  test("that does not shut down stays on, unless force is given", async () => {
    bmc.guest = "hangs";
    expect(await bring("off", { shutdownSeconds: 0.1 })).toBe("E_WAIT BMC is not off after 0.1 s; ");
    expect(bmc.power).toBe("On");
    expect(await bring("off", { shutdownSeconds: 0.1, force: true })).toBe("Off");
    expect(posts()).toEqual(["GracefulShutdown", "GracefulShutdown", "ForceOff"]);
    expect(say.join("\n")).toContain("did not shut down in 0.1 s, and is switched off");
  });

  test("whose controller refuses a shutdown fails with the controller's words, unless force is given", async () => {
    bmc.guest = "refused";
    expect(await bring("off")).toBe(
      "E_DRIVER BMC does not accept ComputerSystem.Reset (shutdown); HTTP 503: The host does not take part in power management.",
    );
    expect(await bring("off", { force: true })).toBe("Off");
    bmc.power = "On";
    bmc.resets = ["On", "ForceOff"];
    expect(await bring("off")).toContain("it offers On, ForceOff, but not GracefulShutdown");
  });

  test("is switched off and on again", async () => {
    expect(await bring("cycled")).toBe("On");
    expect(posts()).toEqual(["GracefulShutdown", "On"]);
  });

  test("that does not turn on in time causes an error", async () => {
    bmc.power = "Off";
    bmc.takesMs = 3000;
    expect(await bring("on", { deadlineSeconds: 0.1 })).toContain("E_WAIT BMC is not on after 0.1 s");
  });
});

test("the task does exactly once what check mode predicted, and no output contains the password", async () => {
  const host = taskHost();
  const task = (state: "on" | "off" | "cycled") =>
    redfishPower({ url: bmc.url, ...bmc.login, state, fingerprint, shutdownSeconds: 20 });
  const checked = await host.check(task("off"));
  expect(checked).toMatchObject([{ outcome: "changed" }]);
  expect(posts()).toEqual([]);
  const applied = await host.apply(task("off"));
  expect(applied).toMatchObject([{ outcome: "changed", error: undefined }]);
  expect(bmc.power).toBe("Off");
  expect(await host.apply(task("off"))).toMatchObject([{ outcome: "ok", steps: [] }]);
  bmc.login.password = "another";
  const refused = await host.apply(
    redfishPower({ url: bmc.url, user: "furrow", password: "bmc-pass-word", state: "on", fingerprint }),
  );
  expect(refused).toMatchObject([{ outcome: "failed" }]);
  expect(JSON.stringify([checked, applied, refused])).not.toContain("bmc-pass-word");
}, 60_000);
