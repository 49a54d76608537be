import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { labDown, labUp, type Lab, runInHost } from "../../src/lab/index.ts";
import { expectOnPage } from "./on-page.ts";
import { playbookOf, Screens, tasksOf } from "./screens.ts";

const screens = new Screens(
  "On a whole machine",
  "A Debian host with systemd, reached over SSH, created for the test and destroyed afterwards.",
);
const name = "screens";
let lab: Lab;

beforeAll(async () => {
  lab = await labUp({ hosts: 1, name, replace: true });
  const [host] = lab.hosts;
  if (host === undefined) throw new Error("the lab has no host");
  screens.put(
    "inventory.ts",
    `import { inventory } from "furrow";\nexport default inventory({ hosts: { web1: ${JSON.stringify({
      address: host.address,
      user: host.user,
      identityFile: lab.identityFile,
      knownHostsFile: lab.knownHostsFile,
    })} } });\n`,
  );
  screens.steady([host.address, "192.0.2.7"], [host.name, "web1"]);
});
afterAll(async () => {
  screens.remove();
  await labDown({ name });
});

async function inside(script: string): Promise<void> {
  const [host] = lab.hosts;
  if (host !== undefined) await runInHost(host, ["sh", "-c", script]);
}

async function onHost(
  title: string,
  tasks: string,
  imports: string,
  about?: string,
  verb = "run",
): ReturnType<Screens["play"]> {
  const text = playbookOf(tasks, { imports });
  return screens.play({
    title,
    ...(about !== undefined && { about }),
    files: { "site.ts": text },
    show: { "site.ts": tasksOf(text) ?? text },
    args: [verb, "site.ts", "-i", "inventory.ts"],
  });
}

describe("on a whole machine", () => {
  it("A port in use", async () => {
    screens.steady(
      // Timestamps and process ids in the system log.
      [/[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d/g, "Nov 21 07:00:00"],
      [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}/g, "2026-11-21T07:00:00+0000"],
      [/(\w)\[\d+\]:/g, "$1[512]:"],
    );
    const unit = "[Service]\\nExecStart=/usr/sbin/sshd -D -e -p 22\\n";
    const seen = await onHost(
      "A service whose port is in use",
      `file({ path: "/etc/systemd/system/second.service", content: "${unit}" }),\nservice({ name: "second", state: "started" }),`,
      "file, service",
    );
    expect(seen.text).toMatch(/second[^]*Address already in use/);
    // The output is complete, and the recap repeats the line with the cause.
    expect(seen.text).toMatch(/\nfailed\n[^]*Address already in use/);
    expect(seen.text).not.toContain("Run again with -v");
    expect(seen.code).toBe(1);
  });

  it("A full /tmp", async () => {
    await inside("mount -t tmpfs -o size=64k tmpfs /tmp && head -c 200000 /dev/zero > /tmp/ballast || true");
    const seen = await onHost(
      "A full /tmp, which furrow does not need",
      'file({ path: "/etc/motd", content: "hello\\n" }),\ncommand({ command: "date > /run/date", creates: "/run/date" }),',
      "command, file",
    );
    await inside("umount /tmp");
    expect(seen.text).toContain("2 changed");
    expect(seen.code).toBe(0);
  });

  it("A read-only root", async () => {
    // The root file system is busy and cannot be remounted, so sshd and all logins see it as read-only instead.
    const readOnly = "[Service]\\nProtectSystem=strict\\nReadWritePaths=/run /tmp\\n";
    await inside(
      `mkdir -p /etc/systemd/system/ssh.service.d; printf '${readOnly}' > /etc/systemd/system/ssh.service.d/ro.conf`,
    );
    await inside("systemctl daemon-reload; systemctl restart ssh.service");
    const check = await onHost(
      "A root that is mounted read-only",
      'file({ path: "/etc/site.conf", content: "hello\\n" }),',
      "file",
    );
    await inside("rm -r /etc/systemd/system/ssh.service.d; systemctl daemon-reload; systemctl restart ssh.service");
    expect(check.text).toMatch(/E_READ_ONLY[^]*hint/);
    expect(check.code).toBe(1);
  });

  it("A host that goes down", async () => {
    const [host] = lab.hosts;
    if (host !== undefined)
      await runInHost(host, ["systemctl", "stop", "ssh.service", "ssh.socket"], { allowFailure: true });
    const seen = await onHost("A machine whose sshd was stopped", 'file({ path: "/etc/motd", content: "" }),', "file");
    expect(seen.text).toMatch(/E_UNREACHABLE/);
    expect(seen.code).toBe(3);
  });

  it("the page matches these transcripts", async () => {
    await expectOnPage(screens, "6-machine.md");
  });
});
