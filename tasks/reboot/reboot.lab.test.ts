import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { labDown, labUp } from "../../src/lab/index.ts";
import { taskHost, type TaskHost } from "../../test/tasks/on-host.ts";
import { command } from "../command/command.ts";
import { waitFor } from "../wait-for/wait-for.ts";
import { reboot } from "./reboot.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-reboot-lab-"));
let host: TaskHost;

beforeAll(async () => {
  const { hosts, identityFile, knownHostsFile } = await labUp({ hosts: 1, name: "reboot-task", replace: true });
  // Another way in than the shell of a host that is about to go: ssh itself, anew for every connection.
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

test("a host that needs a reboot gets one, and the play goes on after it", async () => {
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

test("a reboot can be had every time", async () => {
  const before = await bootId();
  const [end] = await host.apply(reboot({ when: "always", deadlineSeconds: 120 }));
  expect(end).toMatchObject({ outcome: "changed", steps: ["reboot"] });
  expect(await bootId()).not.toBe(before);
});
