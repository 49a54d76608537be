import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptOf } from "../../src/core/facts/kind.ts";
import { unit, unitKind } from "../../src/facts/systemd/unit.ts";
import { oneLabHost, outcomes } from "../../test/tasks/one-lab-host.ts";
import { sysctl } from "../sysctl/sysctl.ts";
import { file } from "../file/file.ts";
import { service } from "./service.ts";

let host: Awaited<ReturnType<typeof oneLabHost>>;
beforeAll(async () => {
  host = await oneLabHost("odd-units");
});
afterAll(() => host.down());

describe("service with unusual units", () => {
  test("stops a transient unit, which then disappears", async () => {
    await host.sh("systemd-run --quiet --unit furrow-transient sleep 600");
    const call = service({ name: "furrow-transient", state: "stopped" });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
  });

  test("removes a mask that lasts only until the next boot", async () => {
    await host.sh("systemctl mask --runtime --quiet cron");
    const call = service({ name: "cron", masked: false });
    expect(await host.apply(call)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.apply(call)).toMatchObject([{ outcome: "ok" }]);
  });

  test("refuses to mask a unit whose own file is in /etc/systemd/system, in check mode and in the run", async () => {
    const unit = "[Service]\\nExecStart=/bin/sleep 600\\n";
    await host.sh(`printf '${unit}' >/etc/systemd/system/furrow-own.service; systemctl daemon-reload`);
    const call = service({ name: "furrow-own", masked: true });
    for (const [end] of [await host.check(call), await host.apply(call)]) {
      expect(end?.error?.failure.details).toEqual(["refused: unit-file-in-the-way"]);
    }
  });

  test.each([
    ["oneshot", "[Service]\nType=oneshot\nExecStart=/bin/true\n", "refused: unit-oneshot"],
    ["static", "[Service]\nExecStart=/bin/sleep 600\n", "refused: unit-not-installable"],
    [
      "kept",
      "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n[Install]\nWantedBy=a.target\n",
      undefined,
    ],
  ])(
    "reaches the same verdict in check mode and in the run on a %s unit that the playbook writes",
    async (name, content, code) => {
      const nodes = [
        file({ path: `/etc/systemd/system/furrow-${name}.service`, content }),
        service({ name: `furrow-${name}`, state: "started", enabled: true }),
      ];
      for (const [written, end] of [await host.check(...nodes), await host.apply(...nodes)]) {
        expect([written?.outcome, end?.error?.failure.details?.[0]]).toEqual(["changed", code]);
      }
    },
  );

  test("a unit that only dependencies may stop or start is refused in check mode and in the run", async () => {
    const unit = "[Unit]\\nRefuseManualStop=yes\\n[Service]\\nExecStart=/bin/sleep 600\\n";
    const waiting = "[Unit]\\nRefuseManualStart=yes\\n[Service]\\nExecStart=/bin/sleep 600\\n";
    await host.sh(`cd /etc/systemd/system; printf '${unit}' >furrow-kept.service; systemctl daemon-reload
systemctl start furrow-kept; printf '${waiting}' >furrow-waiting.service; systemctl daemon-reload`);
    const conf = file({ path: "/etc/furrow-kept.conf", content: "a" });
    const stop = service({ name: "furrow-kept", state: "stopped" });
    const restart = service({ name: "furrow-kept", restartOn: [conf] });
    const start = service({ name: "furrow-waiting", state: "started" });
    for (const [call, code] of [
      [stop, "unit-refuses-stop"],
      [restart, "unit-refuses-stop"],
      [start, "unit-refuses-start"],
    ] as const) {
      const nodes = call === restart ? [conf, call] : [call];
      for (const ends of [await host.check(...nodes), await host.apply(...nodes)])
        expect(ends.at(-1)?.error?.failure.details).toEqual([`refused: ${code}`]);
    }
  });

  test("starts an instance with an @ in its name, and reports a name that systemctl refuses", async () => {
    await host.sh("printf '[Service]\\nExecStart=/bin/sleep 600\\n' >/etc/systemd/system/furrow-at@.service");
    expect(await host.apply(service({ name: "furrow-at@b@c", state: "started" }))).toMatchObject([
      { outcome: "changed" },
    ]);
    const asked = [unit("cron"), unit("furrow-at@.service")];
    const answers = await host.sh(
      scriptOf(
        unitKind,
        asked.map((question, number) => ({ ...question, number })),
      ),
    );
    expect(answers).toMatch(/^0 load=loaded$/m);
    expect(answers).toMatch(/^1 !systemctl show failed: .*furrow-at@\.service/m);
  });
});

describe("a unit that watches a kernel parameter", () => {
  test("needs a restart after a boot only if the boot does not set the parameter", async () => {
    const unit = "[Service]\\nExecStart=/bin/sleep 6000\\n[Install]\\nWantedBy=multi-user.target\\n";
    await host.sh(`printf '${unit}' >/etc/systemd/system/own.service; systemctl enable --now --quiet own`);
    const key = "net.ipv4.tcp_keepalive_time";
    const kept = sysctl({ key, value: 7000 });
    const watching = service({ name: "own", state: "started", restartOn: [kept] });
    expect(outcomes(await host.apply(kept, watching))).toEqual(["changed", "changed"]);
    await host.reboot();
    expect(await host.sh("cat /proc/sys/net/ipv4/tcp_keepalive_time")).toBe("7000\n");
    expect(outcomes(await host.check(kept, watching))).toEqual(["ok", "ok"]);
    expect(outcomes(await host.apply(kept, watching))).toEqual(["ok", "ok"]);
    const other = sysctl({ key, value: 7100 });
    expect(outcomes(await host.apply(other))).toEqual(["changed"]);
    // This is the state after a run that was killed before the restart.
    const owed = service({ name: "own", state: "started", restartOn: [other] });
    expect(outcomes(await host.check(other, owed))).toEqual(["ok", "changed"]);
    expect(outcomes(await host.apply(other, owed))).toEqual(["ok", "changed"]);
    expect(outcomes(await host.apply(other, owed))).toEqual(["ok", "ok"]);
    const passing = sysctl({ key: "net.ipv4.tcp_keepalive_intvl", value: 70, persist: false });
    const notKept = service({ name: "own", state: "started", restartOn: [passing] });
    expect(outcomes(await host.apply(passing, notKept))).toEqual(["changed", "changed"]);
    await host.reboot();
    expect(outcomes(await host.apply(passing))).toEqual(["changed"]);
    expect(outcomes(await host.apply(passing, notKept))).toEqual(["ok", "changed"]);
  });
});
