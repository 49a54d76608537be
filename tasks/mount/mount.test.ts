import { describe, expect, test } from "vitest";
import { absent, type MountState } from "../../src/authoring.ts";
import { parseInput } from "../../src/core/params/params.ts";
import { explain } from "../../src/testing/explain.ts";
import { mount } from "./mount.ts";

const flags = { noatime: false, nodev: false, nodiratime: false, noexec: false, nosuid: false, ro: false, sync: false };
const unmounted: MountState = { mounted: false, source: "", fileSystem: "", flags, automount: false };
const mounted: MountState = { ...unmounted, mounted: true, source: "/dev/sdb1", fileSystem: "ext4" };
const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const file = (text: string): object => ({ type: "file", mode: "0644", owner: "root", group: "root", text });
const device = { type: "partition", path: "/dev/sdb1", sizeBytes: 1, sectorBytes: 512, serial: "", readOnly: false };
const line = "UUID=1 /srv ext4 defaults,nofail 0 2\n";

const call = mount({ path: "/srv", source: "UUID=1", fileSystem: "ext4", check: 2 });
const right = { mount: mounted, fstab: file(line), device, directory, disks: [] };

describe("mount with state: mounted", () => {
  test("leaves a correct mount alone", () => {
    expect(explain(call, right).steps).toEqual([]);
  });

  test.each([
    {
      is: "everything is missing",
      now: { mount: unmounted, fstab: absent, directory: absent },
      steps: ["make directory /srv and its parents", "write /etc/fstab", "mount UUID=1 at /srv"],
    },
    { is: "it is not mounted", now: { mount: unmounted }, steps: ["mount UUID=1 at /srv"] },
    { is: "the line is missing", now: { fstab: file("") }, steps: ["write /etc/fstab", "make systemd read fstab"] },
    {
      is: "it is read-only",
      now: { mount: { ...mounted, flags: { ...flags, ro: true } } },
      steps: ["timeout -k 5 60 mount -o remount,defaults,nofail /srv"],
    },
  ])("acts if $is", ({ now, steps }) => {
    expect(
      explain(call, { ...right, ...now }).described.map((step) => step.replace(/^make directory.*/, steps[0] ?? "")),
    ).toEqual(steps);
  });

  test.each([
    { code: "device-missing", now: { device: absent } },
    { code: "mount-point-taken", now: { mount: { ...mounted, source: "/dev/sdc1" } } },
    { code: "in-the-way", now: { mount: unmounted, directory: { ...directory, type: "link" } } },
  ])("refuses with $code", ({ code, now }) => {
    expect(explain(call, { ...right, ...now })).toMatchObject({ refusal: { code }, steps: [] });
  });

  test("reads no directory or device for a mounted network file system", () => {
    const share = mount({ path: "/mnt/share", source: "nas:/export/", fileSystem: "nfs" });
    const now = {
      mount: { ...mounted, source: "nas:/export", fileSystem: "nfs4" },
      fstab: file("nas:/export/ /mnt/share nfs defaults,nofail 0 0"),
    };
    expect(explain(share, now)).toMatchObject({ facts: ["mount:/mnt/share", "file:/etc/fstab"], steps: [] });
  });

  test("leaves an automount point unmounted until its first use, and says so in a note", () => {
    const now = { ...right, mount: { ...unmounted, automount: true } };
    expect(explain(call, now)).toMatchObject({ notes: ["/srv is mounted at first use"], steps: [] });
  });
});

describe("mount with another state", () => {
  test("with state: absent, unmounts the path and removes its line", () => {
    expect(explain(mount({ path: "/srv", state: "absent" }), { ...right, use: { uses: [] } }).described).toEqual([
      "unmount /srv",
      "write /etc/fstab",
      "make systemd read fstab",
    ]);
    expect(explain(mount({ path: "/srv", state: "absent" }), { mount: unmounted, fstab: absent }).steps).toEqual([]);
  });

  test.each([{ state: "absent" as const }, { state: "unmounted" as const, source: "UUID=1", fileSystem: "ext4" }])(
    "with state: $state, also removes an idle automount point, because any access would mount the path again",
    (rest) => {
      const now = { ...right, mount: { ...unmounted, automount: true }, use: { uses: [] } };
      const { change, described } = explain(mount({ path: "/srv", ...rest }), now);
      expect(described[0]).toBe("remove the automount point /srv");
      expect(change).toHaveProperty(["mount:/srv"]);
    },
  );

  test("with state: unmounted, keeps the line", () => {
    const kept = mount({ path: "/srv", state: "unmounted", source: "UUID=1", fileSystem: "ext4", check: 2 });
    expect(explain(kept, { ...right, use: { uses: [] } }).described).toEqual(["unmount /srv"]);
  });
});

test.each([
  { input: { path: "srv", state: "absent" }, param: "path", expected: /an absolute path/ },
  { input: { path: "/srv", source: "a b", fileSystem: "ext4" }, param: "source", expected: /without spaces/ },
  {
    input: { path: "/srv", source: "UUID=1", fileSystem: "ext4", options: "a b" },
    param: "options",
    expected: /commas/,
  },
])("refuses a bad $param and names the expected form", ({ input, param, expected }) => {
  expect(() => parseInput(mount.card.params, input, {})).toThrow(
    expect.objectContaining({
      failure: expect.objectContaining({
        where: expect.objectContaining({ param }) as unknown,
        expected: expect.stringMatching(expected) as string,
      }) as unknown,
    }) as Error,
  );
});
