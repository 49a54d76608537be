import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { watchTasks } from "../../test/tasks/on-host.ts";
import { file } from "../file/file.ts";
import { grubParameter } from "./grub-parameter.ts";

/** A stand-in for update-grub: it reads the same files, and writes entries as 10_linux of GRUB 2.06 does. */
const updateGrub = `#!/bin/sh
. /etc/default/grub
for f in /etc/default/grub.d/*.cfg; do [ ! -e "$f" ] || . "$f"; done
{ echo "### BEGIN /etc/grub.d/10_linux ###"
echo "menuentry 'Debian' \\$menuentry_id_option 'gnulinux-simple-u' {"
echo "	linux	/boot/vmlinuz-6.1.0 root=UUID=u ro $GRUB_CMDLINE_LINUX $GRUB_CMDLINE_LINUX_DEFAULT"
echo "}"
echo "menuentry 'Debian (recovery mode)' \\$menuentry_id_option 'gnulinux-6.1.0-recovery-u' {"
echo "	linux	/boot/vmlinuz-6.1.0 root=UUID=u ro single nomodeset $GRUB_CMDLINE_LINUX"
echo "}"
echo "### END /etc/grub.d/10_linux ###"
} >/boot/grub/grub.cfg
`;

let host: LoopHost;
const oldPath = process.env["PATH"] ?? "";
beforeAll(async () => {
  host = await loopHost();
  const programs = `${host.folder}/programs`;
  await host.sh(`mkdir -p ${programs}; mount -t tmpfs tmpfs /boot; mkdir -p /boot/grub /etc/default
cat >${programs}/update-grub <<'END'
${updateGrub}END
chmod +x ${programs}/update-grub
printf '# by hand\\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\\nGRUB_CMDLINE_LINUX=""\\n' >/etc/default/grub
${programs}/update-grub`);
  process.env["PATH"] = `${programs}:${oldPath}`;
});
afterAll(async () => {
  process.env["PATH"] = oldPath;
  await host.close();
});

const iommu = grubParameter({ name: "intel_iommu", value: "on" });
const lines = (): Promise<string> => host.sh("sed -n 's/.* ro *//p' /boot/grub/grub.cfg");

describe("grubParameter", () => {
  test("sets the parameter in every entry, as check mode predicted, and notes that a reboot is due; a second run changes nothing", async () => {
    expect(await host.check(iommu)).toMatchObject([{ outcome: "changed" }]);
    expect(await lines()).toBe("quiet\nsingle nomodeset \n");
    const [end] = await host.apply(iommu);
    expect(end).toMatchObject({ outcome: "changed", steps: ["write /etc/default/grub", "update-grub"] });
    expect(end?.notes).toEqual([
      "the running kernel does not have intel_iommu; the entries take effect at the next boot",
    ]);
    expect(await lines()).toBe("intel_iommu=on quiet\nsingle nomodeset intel_iommu=on\n");
    expect(await host.sh("cat /etc/default/grub")).toBe(
      '# by hand\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX="intel_iommu=on"\n',
    );
    expect(await host.apply(iommu)).toMatchObject([{ outcome: "ok", steps: [] }]);
  });

  test("several tasks change one file, as check mode predicted", async () => {
    const consoles = grubParameter({ name: "console", value: ["tty0", "ttyS0,115200"], entries: "normal" });
    const loud = grubParameter({ name: "quiet", state: "absent" });
    expect(await host.check(consoles, loud)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.apply(consoles, loud)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await lines()).toBe("intel_iommu=on console=tty0 console=ttyS0,115200\nsingle nomodeset intel_iommu=on\n");
    expect(await host.apply(iommu, consoles, loud)).toMatchObject([
      { outcome: "ok" },
      { outcome: "ok" },
      { outcome: "ok" },
    ]);
  });

  test("touches nothing that it does not declare", async () => {
    const fstab = file({ path: "/etc/fstab", state: "file", content: await host.sh("cat /etc/fstab") });
    const tasks = [grubParameter({ name: "nosmt" }), fstab, grubParameter({ name: "splash", value: 1 })];
    const ends = await watchTasks([...host.enter, "sh"], tasks);
    expect(ends.map(({ outcome, error }) => error?.message ?? outcome)).toEqual(["changed", "ok", "changed"]);
    const gone = ["nosmt", "splash"].map((name) => grubParameter({ name, state: "absent" }));
    expect(await host.apply(...gone)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
  });

  test("two tasks that disagree are refused before the run", async () => {
    await expect(host.check(iommu, grubParameter({ name: "intel-iommu", value: "off" }))).rejects.toThrow("intel");
  });

  test("generates the entries if an earlier run was stopped before it generated them", async () => {
    await host.sh("sed -i 's/intel_iommu=on//' /boot/grub/grub.cfg");
    expect(await host.apply(iommu)).toMatchObject([{ outcome: "changed", steps: ["update-grub"] }]);
  });

  test("removes the parameter from every entry", async () => {
    const gone = grubParameter({ name: "intel-iommu", state: "absent" });
    expect(await host.apply(gone)).toMatchObject([{ outcome: "changed" }]);
    expect(await lines()).not.toContain("iommu");
    expect(await host.apply(gone)).toMatchObject([{ outcome: "ok" }]);
  });

  test("removes nomodeset from all entries but the recovery ones, to which Ubuntu's 10_linux adds it", async () => {
    await host.sh(`mkdir -p /etc/grub.d; cp -r /etc/grub.d /etc/before.d
echo 'GRUB_CMDLINE_LINUX_RECOVERY="$GRUB_CMDLINE_LINUX_RECOVERY nomodeset"' >/etc/grub.d/10_linux`);
    const present = grubParameter({ name: "nomodeset" });
    const gone = grubParameter({ name: "nomodeset", state: "absent" });
    expect(await host.apply(gone)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.apply(present)).toMatchObject([{ outcome: "changed" }]);
    expect(await lines()).toContain("single nomodeset nomodeset");
    expect(await host.apply(present)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.apply(gone)).toMatchObject([{ outcome: "changed" }]);
    await host.sh("rm -r /etc/grub.d; mv /etc/before.d /etc/grub.d");
  });

  test("Ubuntu's cloud image sets the console later: refused in check mode and in the run, and nothing is written", async () => {
    const cloud = "/etc/default/grub.d/50-cloudimg-settings.cfg";
    await host.sh(`mkdir -p /etc/default/grub.d
echo 'GRUB_CMDLINE_LINUX_DEFAULT="console=tty1 console=ttyS0"' >${cloud}; update-grub`);
    const before = await host.sh("cat /etc/default/grub");
    const consoles = grubParameter({ name: "console", value: ["tty0", "ttyS0,115200"] });
    for (const [end] of [await host.check(consoles), await host.apply(consoles)])
      expect(end?.error?.failure).toMatchObject({
        what: `${cloud} sets console too, and GRUB reads it after /etc/default/grub`,
        details: ["refused: later-file-wins"],
      });
    expect(await host.sh("cat /etc/default/grub")).toBe(before);
    await host.sh(`rm ${cloud}; update-grub`);
  });

  test.each([
    { refusal: "later-file-wins", script: `echo 'GRUB_CMDLINE_LINUX="x"' >/etc/default/grub.d/50-cloud.cfg` },
    { refusal: "not-understood", script: `echo '. /etc/other' >>/etc/default/grub` },
    { refusal: "no-grub", script: "rm /boot/grub/grub.cfg" },
  ])("is refused in check mode and in the run: $refusal", async ({ refusal, script }) => {
    await host.sh(`mkdir -p /etc/default/grub.d; cp /etc/default/grub /etc/before; ${script}`);
    for (const [end] of [await host.check(iommu), await host.apply(iommu)])
      expect(end?.error?.failure.details).toEqual([`refused: ${refusal}`]);
    await host.sh("rm -f /etc/default/grub.d/*; mv /etc/before /etc/default/grub; update-grub");
  });
});
