import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost } from "../../test/disk/loop-host.ts";
import { command } from "../command/command.ts";
import { sysctl } from "../sysctl/sysctl.ts";
import { kernelModule } from "./kernel-module.ts";

/**
 * Stand-ins for modprobe and rmmod: they change a /sys/module that only this host sees, and obey the host's
 * modprobe.d.
 */
const modprobe = `#!/bin/sh
[ "$1" != -- ] || shift
grep -qs "^install $1 /bin/false" /etc/modprobe.d/*.conf && exit 1
mkdir -p /sys/module/$1/holders /sys/module/$1/parameters
sed -n "s/^options $1 nested=//p" /etc/modprobe.d/*.conf >/sys/module/$1/parameters/nested
echo 0 >/sys/module/$1/refcnt; echo live >/sys/module/$1/initstate
`;
const rmmod = `#!/bin/sh
[ "$(cat /sys/module/$1/refcnt)" = 0 ] && rm -r /sys/module/$1
`;

let host: LoopHost;
const oldPath = process.env["PATH"] ?? "";
beforeAll(async () => {
  host = await loopHost();
  const programs = `${host.folder}/programs`;
  await host.sh(`mkdir -p ${programs} ${host.folder}/upper ${host.folder}/work
cat >${programs}/modprobe <<'END'
${modprobe}END
cat >${programs}/rmmod <<'END'
${rmmod}END
chmod +x ${programs}/*
mount -t overlay -o lowerdir=/usr/lib,upperdir=${host.folder}/upper,workdir=${host.folder}/work overlay /usr/lib
mount -t tmpfs tmpfs /sys/module
d=/usr/lib/modules/$(uname -r); mkdir -p $d
echo 'kernel/a/br_netfilter.ko:' >$d/modules.dep; echo 'kernel/a/kvm-intel.ko.xz:' >>$d/modules.dep
echo kernel/fs/ext4.ko >$d/modules.builtin`);
  process.env["PATH"] = `${programs}:${oldPath}`;
});
afterAll(async () => {
  process.env["PATH"] = oldPath;
  await host.close();
});

const bridge = kernelModule({ name: "br_netfilter" });

describe("kernelModule", () => {
  test("loads the module now and at boot, as check mode predicted; a second run changes nothing", async () => {
    expect(await host.check(bridge)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("ls /sys/module")).toBe("");
    expect(await host.apply(bridge)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("ls /sys/module; cat /etc/modules-load.d/furrow-br_netfilter.conf")).toBe(
      "br_netfilter\nbr_netfilter\n",
    );
    expect(await host.apply(bridge)).toMatchObject([{ outcome: "ok", steps: [] }]);
  });

  test("sets the module's options before it loads the module; a note reports a later change to the options", async () => {
    const nested = (flag: boolean) => kernelModule({ name: "kvm-intel", options: { nested: flag } });
    expect(await host.apply(nested(true))).toMatchObject([{ outcome: "changed", notes: [] }]);
    expect(await host.sh("cat /sys/module/kvm_intel/parameters/nested")).toBe("Y\n");
    const [end] = await host.apply(nested(false));
    expect(end?.notes).toEqual(["nested is still Y; it becomes N when kvm-intel is loaded again, such as at boot"]);
    expect(await host.apply(nested(false))).toMatchObject([{ outcome: "ok" }]);
  });

  test("refuses to unload a module in use, in check mode and in the run, unless an earlier task ends that use", async () => {
    await host.sh("echo 1 >/sys/module/br_netfilter/refcnt; mkdir /sys/module/br_netfilter/holders/xt_physdev");
    const gone = kernelModule({ name: "br_netfilter", state: "unloaded" });
    for (const [end] of [await host.check(gone), await host.apply(gone)]) {
      expect(end?.error?.failure).toMatchObject({
        details: ["refused: module-in-use"],
        current: "used by the modules xt_physdev",
      });
    }
    const free = command({
      command: ["sh", "-c", "cd /sys/module/br_netfilter && echo 0 >refcnt && rmdir holders/*"],
      always: true,
      mayProvide: ["kernelModule:*"],
    });
    expect(await host.check(free, gone)).toMatchObject([{ outcome: "changed" }, { outcome: "undecided" }]);
    expect(await host.apply(free, gone)).toMatchObject([{ outcome: "changed" }, { outcome: "changed" }]);
    expect(await host.sh("ls /sys/module /etc/modules-load.d | grep br_netfilter || :")).toBe("");
  });

  test("unloads and blacklists a module, and can then load it again", async () => {
    const never = kernelModule({ name: "br_netfilter", state: "blacklisted" });
    await host.apply(bridge);
    expect(await host.apply(never)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("modprobe br_netfilter || echo refused; ls /sys/module")).toBe("refused\nkvm_intel\n");
    expect(await host.apply(never)).toMatchObject([{ outcome: "ok" }]);
    expect(await host.apply(bridge)).toMatchObject([{ outcome: "changed" }]);
    expect(await host.sh("ls /sys/module")).toBe("br_netfilter\nkvm_intel\n");
  });

  test("notes an initramfs that is older than a blacklist, until it is rebuilt", async () => {
    const initramfs = `/boot/initrd.img-${(await host.sh("uname -r")).trim()}`;
    await host.sh(`mount -t tmpfs tmpfs /boot; touch -d 2020-01-01 ${initramfs}`);
    const never = kernelModule({ name: "kvm-intel", state: "blacklisted" });
    const [first] = await host.apply(never);
    expect(first).toMatchObject({ outcome: "changed" });
    expect(first?.notes?.join()).toContain(`${initramfs} is older than /etc/modprobe.d/furrow-kvm_intel.conf`);
    expect((await host.apply(never))[0]?.notes).toHaveLength(1);
    await host.sh(`touch ${initramfs}`);
    expect(await host.apply(never)).toMatchObject([{ outcome: "ok", notes: [] }]);
    await host.sh("umount /boot");
  });

  test("a built-in module counts as loaded, and cannot be blacklisted", async () => {
    expect(await host.apply(kernelModule({ name: "ext4" }))).toMatchObject([{ outcome: "ok" }]);
    const gone = kernelModule({ name: "ext4", state: "blacklisted" });
    for (const [end] of [await host.check(gone), await host.apply(gone)])
      expect(end?.error?.failure.details).toEqual(["refused: built-in"]);
  });

  test("names the running kernel if that kernel has no such module", async () => {
    const kernel = (await host.sh("uname -r")).trim();
    const [end] = await host.check(kernelModule({ name: "no_such" }));
    expect(end?.error?.failure.current).toContain(`uname -r: ${kernel}`);
  });

  test("check mode leaves a kernel parameter undecided if the module may add it", async () => {
    const parameter = sysctl({ key: "net.nothing.such", value: 1 });
    await host.apply(kernelModule({ name: "br_netfilter", state: "unloaded" }));
    expect(await host.check(parameter)).toMatchObject([{ outcome: "failed", error: { code: "E_REFUSED" } }]);
    expect(await host.check(bridge, parameter)).toMatchObject([{ outcome: "changed" }, { outcome: "undecided" }]);
  });
});
