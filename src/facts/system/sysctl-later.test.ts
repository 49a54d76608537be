import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { laterScript } from "./sysctl-later.ts";

let root = "";
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "furrow-sysctl-"));
  write("/etc/sysctl.d/10-early.conf", "vm.swappiness = 1\n");
  write("/etc/sysctl.d/99-sysctl.conf", "vm.swappiness = 2\n");
  write("/etc/sysctl.d/99-zz-furrow-vm-swappiness.conf", "vm/swappiness = 10\n");
  write("/etc/sysctl.d/zz-local.conf", "# vm.dirty_ratio = 9\n  -vm.swappiness =  60  \nnet.ipv4.tcp_rmem=1\t 2 3\n");
  write("/usr/lib/sysctl.d/zz-local.conf", "vm.dirty_ratio = 7\n");
  write("/usr/lib/sysctl.d/zz-vendor.conf", "net.ipv4.conf.eth0/100.forwarding = 1\nnet.ipv4.conf.*.rp_filter = 2\n");
  write("/run/sysctl.d/zz-local2.conf", "vm.swappiness = 61\n");
  write("/usr/lib/sysctl.d/zz-masked.conf", "vm.dirty_ratio = 8\n");
  symlinkSync("/dev/null", join(root, "/etc/sysctl.d/zz-masked.conf"));
});
afterAll(() => rmSync(root, { recursive: true }));

const keys = ["vm/swappiness", "vm/dirty_ratio", "net/ipv4/tcp_rmem", "net/ipv4/conf/eth0.100/forwarding"];
const ask = (shell: readonly string[], names: readonly string[], where = root): string[] => {
  const questions = names.map((key, number) => ({ kind: "laterSysctl", key, facets: [], number }));
  const [program = "sh", ...words] = shell;
  const env = { ...process.env, LC_ALL: "C" };
  return execFileSync(program, [...words, laterScript(questions, where)], { encoding: "utf8", env })
    .trim()
    .split("\n");
};

describe.each([{ shell: ["sh", "-c"] }, { shell: ["busybox", "sh", "-c"] }, { shell: ["bash", "-c"] }])(
  "files that are read after furrow's own, in $shell.0",
  ({ shell }) => {
    test("are represented by the last file that sets the parameter; hidden, masked and earlier files are ignored", () => {
      expect(ask(shell, [...keys, "net/ipv4/conf/eth0/rp_filter"])).toEqual([
        `0 file=${root}/run/sysctl.d/zz-local2.conf`,
        "0 value=61",
        "1 none=yes",
        `2 file=${root}/etc/sysctl.d/zz-local.conf`,
        "2 value=1 2 3",
        `3 file=${root}/usr/lib/sysctl.d/zz-vendor.conf`,
        "3 value=1",
        "4 none=yes",
      ]);
    });
    test("do not exist on most hosts", () => {
      expect(ask(shell, keys, "/nowhere")).toEqual(keys.map((_, number) => `${number} none=yes`));
    });
  },
);
