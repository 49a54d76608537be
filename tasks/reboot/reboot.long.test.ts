import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labUp } from "../../src/lab/index.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { command } from "../command/command.ts";
import { file } from "../file/file.ts";
import { mount } from "../mount/mount.ts";
import { service } from "../service/service.ts";
import { sysctl } from "../sysctl/sysctl.ts";
import { waitFor } from "../wait-for/wait-for.ts";
import { reboot } from "./reboot.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-reboot-lab-"));
let host: TaskHost;

beforeAll(async () => {
  const { hosts, identityFile, knownHostsFile } = await labUp({ hosts: 1, name: "reboot-task", replace: true });
  // Runs each command through a new ssh connection, because a persistent shell would end with the reboot.
  const shell = join(folder, "shell");
  const ssh = `ssh -i ${identityFile} -o UserKnownHostsFile=${knownHostsFile} -o BatchMode=yes -o ConnectTimeout=3`;
  writeFileSync(shell, `#!/bin/bash\nexec ${ssh} root@${hosts[0]?.address} "$(printf '%q ' sh "$@")"\n`);
  chmodSync(shell, 0o755);
  host = taskHost([shell]);
});
afterAll(async () => {
  await labDown({ name: "reboot-task" });
  rmSync(folder, { recursive: true });
});

const bootId = (): Promise<string> => host.sh("cat /proc/sys/kernel/random/boot_id");
const outcomes = async (mode: "check" | "apply"): Promise<string[]> => {
  const after = command({ command: ["true"], always: true, disturbs: [] });
  const ends = await host[mode](reboot({ deadlineSeconds: 120 }), waitFor({ port: 22 }), after);
  return ends.map(({ outcome, error }) => error?.message ?? outcome);
};

test("reboots a host that needs it, and continues the play afterwards", async () => {
  const before = await bootId();
  expect(await outcomes("apply")).toEqual(["ok", "ok", "changed"]);
  expect(await bootId()).toBe(before);
  await host.sh("echo libc6 >/run/reboot-required.pkgs; touch /run/reboot-required");
  expect(await outcomes("check")).toEqual(["changed", "ok", "changed"]);
  expect(await bootId()).toBe(before);
  expect(await outcomes("apply")).toEqual(["changed", "ok", "changed"]);
  expect(await bootId()).not.toBe(before);
  expect(await outcomes("apply")).toEqual(["ok", "ok", "changed"]);
});

test("predicts the state after a boot: files below /run, units, kernel parameters and mounts", async () => {
  await host.sh(`mkdir -p /etc/systemd/system
for u in off on; do printf '[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/$u.service; done
systemctl daemon-reload`);
  const conf = file({ path: "/etc/boot-test.conf", content: "x\n" });
  const tasks = [
    file({ path: "/run/boot-test", content: "x\n" }),
    service({ name: "off", state: "started", enabled: false }),
    service({ name: "on", state: "started", enabled: true, restartOn: [conf] }),
    sysctl({ key: "net.ipv4.ip_default_ttl", value: 77, persist: false }),
    mount({ path: "/mnt", source: "tmpfs", fileSystem: "tmpfs", options: "noauto" }),
    file({ path: "/srv/boot-test", content: "x\n" }),
  ];
  const said = (ends: Awaited<ReturnType<typeof host.check>>): string[] => ends.map(({ outcome }) => outcome);
  // Afterwards everything is in the desired state, except the file that the unit watches.
  await host.apply(conf, ...tasks);
  await host.sh("echo old >/etc/boot-test.conf");
  // The kernel's initial values and the files below a mount that disappears are not known, so their tasks are
  // undecided.
  const play = [conf, reboot({ when: "always", deadlineSeconds: 120 }), ...tasks];
  const checked = said(await host.check(...play));
  expect(checked).toEqual(["changed", "changed", "changed", "changed", "ok", "undecided", "undecided", "ok"]);
  const done = said(await host.apply(...play));
  expect(done.map((outcome, index) => (checked[index] === "undecided" ? "undecided" : outcome))).toEqual(checked);
});

test("reboots every time if told to", async () => {
  const before = await bootId();
  const [end] = await host.apply(reboot({ when: "always", deadlineSeconds: 120 }));
  expect(end).toMatchObject({ outcome: "changed", steps: ["reboot"] });
  expect(await bootId()).not.toBe(before);
});
