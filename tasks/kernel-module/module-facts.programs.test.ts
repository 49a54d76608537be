import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { moduleRulesKind, rulesScript } from "./module-rules.ts";
import { moduleStateKind, stateScript } from "./module-state.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-modules-"));
afterAll(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const modules = `/lib/modules/${release()}`;
write(
  `${modules}/modules.dep`,
  "kernel/net/bridge/br_netfilter.ko.xz: kernel/net/bridge/bridge.ko.xz\nkernel/a/xt-dash.ko:\nupdates/nvidia.ko.zst:\n",
);
write(`${modules}/modules.builtin`, "kernel/fs/ext4/ext4.ko\nkernel/crypto/sha256-generic.ko\n");
write("/sys/module/nvidia/initstate", "live\n");
write("/sys/module/nvidia/refcnt", "3\n");
mkdirSync(join(root, "/sys/module/nvidia/holders/nvidia_drm"), { recursive: true });
write("/sys/module/nvidia/parameters/modeset", "Y\n");
write("/sys/module/nvidia/parameters/none", "");
write("/sys/module/pinned/initstate", "live\n");
write("/sys/module/going/initstate", "going\n");
write("/sys/module/printk/parameters/time", "Y\n");
write("/etc/modprobe.d/a.conf", "# blacklist nvidia\n\n  options   nvidia \\\n modeset=1 \\\n x=2\nblacklist xt_dash");
write("/usr/lib/modprobe.d/a.conf", "blacklist nvidia\n");
write("/usr/lib/modprobe.d/b.conf", "install br-netfilter /bin/false\nalias nvidia x\nsoftdep nvidia pre: y\n");
write("/etc/modprobe.d/furrow-nvidia.conf", "blacklist nvidia\n");
write("/etc/modprobe.d/ignored.txt", "blacklist nvidia\n");
symlinkSync("/dev/null", join(root, "/etc/modprobe.d/c.conf"));
write("/usr/lib/modprobe.d/c.conf", "blacklist nvidia\n");
write("/etc/modprobe.d/my settings.conf", "install [n]v*a /sbin/modprobe -i nvidia\ninstall nv? /bin/false\n");
write("/etc/modules-load.d/k8s.conf", "; comment\nbr_netfilter\n");
write("/etc/modules", "nvidia\n");
write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz quiet modprobe.blacklist=x,nvidia ro module_blacklist=ext4\n");

const answers = (shell: readonly string[], script: string): Record<string, string>[] => {
  const [program = "", ...words] = shell;
  const lines = execFileSync(program, [...words, "-c", script], { encoding: "utf8" })
    .trimEnd()
    .split("\n");
  const found: Record<string, string>[] = [];
  for (const line of lines) {
    const [, number = "", name = "", value = ""] = /^(\d+) (!|[^=]+=)(.*)$/.exec(line) ?? [];
    (found[Number(number)] ??= {})[name.replace(/=$/, "")] = value;
  }
  return found;
};
const ask = (kind: string, keys: readonly string[], facets: readonly string[] = []) =>
  keys.map((key, number) => ({ kind, key, facets, number }));

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  test.each(["initrd.img-", "initramfs-", "initrd-"])(
    "an initramfs %s that is older than furrow's file is named",
    (start) => {
      const path = `/boot/${start}${release()}${start === "initramfs-" ? ".img" : ""}`;
      write(path, "");
      const stale = () => answers(shell, stateScript(ask("kernelModule", ["nvidia", "xt_dash"]), root));
      const [file, initramfs] = ["/etc/modprobe.d/furrow-nvidia.conf", path].map((one) => join(root, one));
      utimesSync(file ?? "", 2000, 2000);
      utimesSync(initramfs ?? "", 1000, 1000);
      expect(stale().map((one) => one["staleInitramfs"])).toEqual([path, undefined]);
      utimesSync(initramfs ?? "", 3000, 3000);
      expect(stale().map((one) => one["staleInitramfs"])).toEqual([undefined, undefined]);
      rmSync(initramfs ?? "");
    },
  );

  test("a module is loaded, built in, unloaded or missing", () => {
    const keys = ["nvidia", "ext4", "sha256_generic", "printk", "br_netfilter", "xt_dash", "none", "pinned", "going"];
    const questions = ask("kernelModule", keys, ["parameters"]);
    const found = answers(shell, stateScript(questions, root));
    const values = found.slice(0, -1).map((lines, at) => moduleStateKind.parse(lines, questions[at] as never));
    expect(values.map(({ state }) => state)).toEqual([
      "loaded",
      "builtin",
      "builtin",
      "builtin",
      "unloaded",
      "unloaded",
      "missing",
      "loaded",
    ]);
    expect(values[0]).toMatchObject({ holders: ["nvidia_drm"], references: 3, parameters: { modeset: "Y" } });
    expect(values[0]).toMatchObject({ kernel: release(), listed: true, locked: false });
    expect(values[7]).toMatchObject({ holders: [], references: -1 });
    expect(found[8]).toEqual({ "!": 'the kernel module going is being loaded or unloaded: its state is "going"' });
  });

  test("a host without modules and without /proc/sys has no list of modules", () => {
    const [lines = {}] = answers(shell, stateScript(ask("kernelModule", ["ext4"]), `${root}/none`));
    expect(lines).toMatchObject({ state: "missing", listed: "no", locked: "no" });
  });

  test("rules come from the files that take effect, and from the kernel's command line", () => {
    const questions = ask("kernelModuleRules", ["nvidia", "br_netfilter", "xt_dash", "ext4", "none"]);
    const values = answers(shell, rulesScript(questions, root)).map((lines, at) =>
      moduleRulesKind.parse(lines, questions[at] as never).rules.map(({ file, line }) => `${file}: ${line}`),
    );
    expect(values).toEqual([
      [
        "/etc/modprobe.d/a.conf: options nvidia modeset=1 x=2",
        "/etc/modprobe.d/my settings.conf: install [n]v*a /sbin/modprobe -i nvidia",
        "/etc/modules: load nvidia",
        "/proc/cmdline: modprobe.blacklist=x,nvidia",
      ],
      [
        "/usr/lib/modprobe.d/b.conf: install br-netfilter /bin/false",
        "/etc/modules-load.d/k8s.conf: load br_netfilter",
      ],
      ["/etc/modprobe.d/a.conf: blacklist xt_dash"],
      ["/proc/cmdline: module_blacklist=ext4"],
      [],
    ]);
  });
});
