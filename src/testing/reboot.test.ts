import { describe, expect, test } from "vitest";
import { absent, playbook } from "../authoring.ts";
import { allKinds, kindOf } from "../core/facts/kind.ts";
import * as t from "../../tasks/index.ts";
import { simulate } from "./index.ts";

type Tasks = Parameters<typeof playbook>[0]["plays"][number]["tasks"];

const running = {
  load: "loaded",
  active: "active",
  sub: "running",
  file: "disabled",
  type: "simple",
  state: "started",
  enabled: false,
  masked: false,
  outdated: false,
  reloadable: false,
  refusesStart: false,
  refusesStop: false,
  lasting: true,
  invocation: "8eac",
  since: 1000,
  startedWith: {},
  reloadedWith: {},
  startedBefore: {},
};
const enabled = { ...running, file: "enabled", enabled: true };
const text = (content: string) => ({ type: "file", text: content, mode: "0644", owner: "root", group: "root" });

/**
 * Runs these tasks in check mode, after a task that reboots the host, on a host that already satisfies them. Returns
 * their results.
 */
async function behindReboot(
  tasks: readonly ReturnType<typeof t.file>[],
  host: Readonly<Record<string, unknown>>,
  before: readonly ReturnType<typeof t.file>[] = [],
) {
  const body: Tasks = () => [...before, t.reboot({ when: "always" }), ...tasks];
  const book = playbook({ name: "test", plays: [{ hosts: "all", become: true, tasks: body }] });
  const checked = await simulate(book, { hosts: ["web"], mode: "check", state: { web: host } });
  return checked.tasks.slice(before.length + 1).map(({ outcome }) => outcome);
}

describe("check mode after a reboot predicts that", () => {
  test("a file below /run is gone, and a file on disk is not", async () => {
    const tasks = ["/run/app.conf", "/var/run/app.conf", "/srv/app.conf"].map((path) => t.file({ path, content: "x" }));
    const host = Object.fromEntries(
      tasks.map((_, n) => [`file:${["/run", "/var/run", "/srv"][n]}/app.conf`, text("x")]),
    );
    expect(await behindReboot(tasks, host)).toEqual(["changed", "changed", "ok"]);
  });
  test("a folder below /run may exist again and /tmp may be kept, so both are undecided", async () => {
    const tasks = [t.file({ path: "/run/app", state: "directory" }), t.file({ path: "/tmp/x", content: "x" })];
    const host = {
      "file:/run/app": { type: "directory", mode: "0755", owner: "root", group: "root" },
      "file:/tmp/x": text("x"),
    };
    expect(await behindReboot(tasks, host)).toEqual(["undecided", "undecided"]);
  });
  test("a started unit that is not enabled is stopped, and an enabled one runs", async () => {
    const tasks = [t.service({ name: "off", state: "started" }), t.service({ name: "on", state: "started" })];
    expect(await behindReboot(tasks, { "unit:off.service": running, "unit:on.service": enabled })).toEqual([
      "changed",
      "ok",
    ]);
  });
  test("an enabled unit that was not running before may be running, so it is undecided", async () => {
    const stopped = { ...enabled, active: "inactive", sub: "dead", state: "stopped" };
    expect(await behindReboot([t.service({ name: "on", state: "started" })], { "unit:on.service": stopped })).toEqual([
      "undecided",
    ]);
  });
  test("an enabled unit that must be stopped was started by the boot", async () => {
    const stopped = t.service({ name: "on", state: "stopped" });
    expect(await behindReboot([stopped], { "unit:on.service": enabled })).toEqual(["changed"]);
  });
  test("no restart is due for earlier changes, because the boot started the unit after them", async () => {
    const conf = t.file({ path: "/etc/app.conf", content: "new" });
    const service = t.service({ name: "on", state: "started", restartOn: [conf] });
    const host = { "unit:on.service": enabled, "file:/etc/app.conf": text("old") };
    expect(await behindReboot([service], host, [conf])).toEqual(["ok"]);
  });
  test("a kernel parameter is kept if it is set at every boot, and is unknown otherwise", async () => {
    const tasks = [
      t.sysctl({ key: "vm.swappiness", value: 10 }),
      t.sysctl({ key: "vm.dirty_ratio", value: 10, persist: false }),
    ];
    const host = {
      "sysctl:vm/swappiness": "10",
      "sysctl:vm/dirty_ratio": "10",
      "file:/etc/sysctl.d": { type: "directory", mode: "0755", owner: "root", group: "root" },
      "file:/etc/sysctl.d/99-zz-furrow-vm-swappiness.conf": text("vm/swappiness = 10\n"),
    };
    expect(await behindReboot(tasks, host)).toEqual(["ok", "undecided"]);
    // An earlier task in the same play sets the value for every boot.
    const before = t.sysctl({ key: "vm.swappiness", value: 20 });
    expect(await behindReboot([t.sysctl({ key: "vm.swappiness", value: 20 })], host, [before])).toEqual(["ok"]);
  });
});

describe("after a boot,", () => {
  const mount = (key: string, value: object, fstab: string | undefined): unknown =>
    kindOf("mount").afterBoot?.(key, value, (id) =>
      id === "file:/etc/fstab" && fstab !== undefined ? { text: fstab } : undefined,
    );
  const flags = {};
  const there = { mounted: true, source: "tmpfs", fileSystem: "tmpfs", flags, automount: false };
  const none = { ...there, mounted: false, source: "", fileSystem: "" };
  test.each([
    { what: "in fstab", value: there, fstab: "tmpfs /mnt tmpfs defaults 0 0\n", mounted: true },
    { what: "in fstab and not mounted now", value: none, fstab: "tmpfs /mnt tmpfs defaults 0 0\n", mounted: true },
    { what: "noauto", value: there, fstab: "tmpfs /mnt tmpfs noauto 0 0\n", mounted: false },
    { what: "not in fstab", value: there, fstab: "", mounted: false },
  ])("a mount $what is mounted: $mounted", ({ value, fstab, mounted }) => {
    expect(mount("/mnt", value, fstab)).toMatchObject({ mounted });
  });
  test("an automount point is unknown if fstab asks for one now, or if there was one before", () => {
    const asked = "tmpfs /mnt tmpfs x-systemd.automount 0 0\n";
    for (const told of [mount("/mnt", none, asked), mount("/mnt", { ...none, automount: true }, "")]) {
      expect(typeof (told as { automount: unknown }).automount).toBe("symbol");
    }
  });
  test("a mount is unknown if fstab was not read, but the system's own mounts remain", () => {
    expect(typeof (mount("/mnt", there, undefined) as { mounted: unknown }).mounted).toBe("symbol");
    expect(mount("/run", there, "")).toEqual(there);
  });
  test("/tmp is empty if it is a file system in memory", () => {
    const law = kindOf("file").afterBoot;
    const before = (id: string): unknown => (id === "mount:/tmp" ? { fileSystem: "tmpfs" } : undefined);
    expect(law?.("/tmp/x", { type: "directory" }, before)).toBe(absent);
  });
  test("the state is known for the most common kinds of facts", () => {
    const told = allKinds().filter(({ afterBoot }) => afterBoot !== undefined);
    const most = [
      "crontab",
      "entries",
      "file",
      "group",
      "hostname",
      "mount",
      "package",
      "sysctl",
      "tree",
      "unit",
      "user",
    ];
    expect(told.map(({ name }) => name)).toEqual(expect.arrayContaining(most));
  });
});
