import { describe, expect, test } from "vitest";
import { absent } from "../../src/authoring.ts";
import { withoutDiscard } from "../../src/facts/catalogue.ts";
import playbook from "../../playbooks/ops/guest-fstrim.ts";
import { type Simulation, simulate } from "../../src/testing/index.ts";

const listed = (kind: string, items: readonly object[]): object => ({ complete: true, kind: `${kind}List`, items });
const instance = (name: string, status: object): object => ({
  metadata: { namespace: "default", name },
  spec: {},
  status: { phase: "Running", nodeName: "harvester-1", ...status },
});
const machine = (name: string, os?: string): object => ({
  metadata: { namespace: "default", name, ...(os !== undefined && { labels: { "harvesterhci.io/os": os } }) },
  spec: { template: { spec: {} } },
});
const web = instance("web", { interfaces: [{ ipAddress: "10.52.0.7" }], guestOSInfo: { id: "ubuntu" } });

interface Options {
  readonly instances?: readonly object[];
  readonly machines?: readonly object[];
  readonly timer?: unknown;
  readonly mode?: "apply" | "check";
  readonly vars?: object;
}

const run = (
  version: string,
  {
    instances = [web],
    machines = [machine("web")],
    timer = { state: "started" },
    mode = "apply",
    vars = {},
  }: Options = {},
): Promise<Simulation> =>
  simulate(playbook, {
    hosts: { here: {}, "web.default": { groups: ["guests"] } },
    vars: { kubeconfig: "k", ...vars },
    mode,
    state: {
      "web.default": {
        "file:/etc/fstab": { type: "file", text: "/dev/vda1 / ext4 defaults,discard 0 1\n" },
        "discardMounts:host": { paths: ["/"] },
        "unit:fstrim.timer": timer === absent ? absent : { load: "loaded", masked: false, ...(timer as object) },
      },
    },
    drivers: {
      kubernetes: (request) => {
        const { path } = request as { readonly path: string };
        if (path.endsWith("/virtualmachineinstances")) return listed("VirtualMachineInstance", instances);
        if (path.endsWith("/virtualmachines")) return listed("VirtualMachine", machines);
        return { found: true, object: { kind: "Setting", metadata: { name: "server-version" }, value: version } };
      },
    },
  });

const steps = ({ events }: Simulation): string[] =>
  events.flatMap((event) => (event.type === "stepStarted" ? [`${event.host}: ${event.step}`] : []));
const notes = ({ tasks }: Simulation): string => tasks.flatMap((one) => one.notes).join("\n");
const ends = ({ tasks }: Simulation): string[] =>
  tasks.map(({ host, title, outcome }) => `${host} ${title}: ${outcome}`);

describe("guests in a cluster with an affected release", () => {
  test.each(["v1.2.0", "v1.2.1", "v1.3.0", "v1.3.0-rc2"])(
    "trim less with %s, and a second run changes nothing",
    async (version) => {
      const ran = await run(version);
      expect(ran.result.errors).toEqual([]);
      expect(steps(ran)).toEqual([
        "web.default: write /etc/fstab",
        "web.default: mount -o remount,nodiscard /",
        "web.default: make directory /etc/systemd/system/fstrim.timer.d",
        "web.default: write /etc/systemd/system/fstrim.timer.d/50-furrow-spread.conf",
        "web.default: systemctl daemon-reload",
      ]);
      const { state } = ran;
      expect(state["web.default"]?.["file:/etc/fstab"]).toMatchObject({ text: "/dev/vda1 / ext4 defaults 0 1\n" });
      const [dropIn] = Object.entries(state["web.default"] ?? {}).filter(([id]) => id.endsWith("spread.conf"));
      expect(dropIn?.[1]).toMatchObject({
        text: expect.stringContaining(
          "[Timer]\nOnCalendar=\nOnCalendar=weekly\nAccuracySec=1h\nPersistent=yes\nRandomizedDelaySec=6000\n",
        ) as string,
      });
    },
  );

  test("check mode predicts what the run does", async () => {
    const [checked, applied] = [await run("v1.3.0", { mode: "check" }), await run("v1.3.0")];
    expect(ends(checked)).toEqual(ends(applied));
    expect(steps(checked)).toEqual([]);
  });

  test("do not trim by themselves with timer: off", async () => {
    const ran = await run("v1.3.0", { vars: { timer: "off" } });
    expect(ends(ran).at(-1)).toBe("web.default service fstrim.timer: changed");
  });

  test.each([
    ["lack the timer", absent, "no fstrim.timer"],
    ["have masked it", { masked: true }, "fstrim.timer is masked, so it trims nothing"],
  ])("keep their units if they %s", async (_what, timer, says) => {
    const ran = await run("v1.3.0", { timer });
    expect(ran.result.errors).toEqual([]);
    expect(steps(ran).filter((step) => step.includes("fstrim"))).toEqual([]);
    expect(notes(ran)).toContain(says);
  });

  test("that run Windows or cannot be reached are named, with what to do by hand", async () => {
    const ran = await run("v1.2.1", {
      instances: [web, instance("win", {}), instance("mute", {}), instance("w2", { guestOSInfo: { id: "mswindows" } })],
      machines: [machine("web"), machine("win", "windows"), machine("mute"), machine("w2"), machine("old")],
    });
    expect(notes(ran)).toBe(
      [
        "Windows, as administrator on default/w2, default/win:",
        "  fsutil behavior set DisableDeleteNotify 1",
        "  fsutil behavior set DisableDeleteNotify ReFS 1",
        "  fsutil behavior query DisableDeleteNotify",
        "no known address, so not changed: default/mute; is qemu-guest-agent running?",
        "off, so not changed: default/old; rerun once they are running",
      ].join("\n"),
    );
  });
});

describe("guests in clusters with other releases", () => {
  test.each(["v1.1.2", "v1.2.2", "v1.3.1", "v1.4.0", "v1.8.1"])("stay as they are with %s", async (version) => {
    const ran = await run(version);
    expect(steps(ran)).toEqual([]);
    expect(notes(ran)).toBe(`Harvester ${version} is not affected, so the guests are not changed`);
    const [first, ...rest] = ran.tasks;
    expect(first?.outcome).toBe("ok");
    expect(rest.map(({ outcome }) => outcome)).toEqual(rest.map(() => "skipped"));
  });

  test.each(["apply", "check"] as const)(
    "stay as they are if the version is not a release: the run is refused (%s)",
    async (mode) => {
      const ran = await run("master-head", { mode });
      expect(steps(ran)).toEqual([]);
      expect(ran.tasks.find(({ error }) => error)?.error?.failure).toMatchObject({
        current: "master-head",
        details: ["refused: no-release"],
      });
    },
  );
});

test.each([
  ["/dev/vda1 / ext4 discard 0 1", "/dev/vda1 / ext4 defaults 0 1"],
  ["UUID=1\t/srv\txfs\trw,discard,noatime 0 2", "UUID=1\t/srv\txfs\trw,noatime 0 2"],
  ["  /dev/a /b btrfs subvol=@,discard=async", "  /dev/a /b btrfs subvol=@"],
  ["# /dev/vda1 / ext4 discard 0 1", "# /dev/vda1 / ext4 discard 0 1"],
  ["/dev/vda2 none swap sw,discard 0 0", "/dev/vda2 none swap sw,discard 0 0"],
  ["/dev/vda2 /nodiscard ext4 nodiscard 0 0", "/dev/vda2 /nodiscard ext4 nodiscard 0 0"],
  ["/dev/vda2 /x", "/dev/vda2 /x"],
])("fstab: %j becomes %j", (before, after) => {
  expect(withoutDiscard(`#\n${before}\n`)).toBe(`#\n${after}\n`);
});
