import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kindOf } from "../../core/facts/kind.ts";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { selinuxLabel } from "./selinux.ts";

// This machine's kernel has no SELinux, so a stand-in for stat prints what the real stat prints on a host with SELinux.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-selinux-"));
  const label = `#!/bin/sh
for path; do :; done
case $path in /etc) echo system_u:object_r:etc_t:s0;; /usr) echo 'system_u:object_r:svirt_image_t:s0:c1,c2';; *) echo '?';; esac
`;
  writeFileSync(join(folder, "stat"), label);
  chmodSync(join(folder, "stat"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const questions = ["/etc", "/usr", "/no such", "/proc"].map((path) => selinuxLabel(path));

describe.each(["sh", "bash", "busybox sh"])("SELinux labels in %s", (shell) => {
  const view = (before: string): string[] => {
    const script = `${before}; PATH=$0:$PATH; exec ${shell} -c "$1"`;
    return ["unshare", "--mount", "--map-root-user", "sh", "-ec", script, folder];
  };
  const enforcing = "mount -t tmpfs tmpfs /sys; mkdir -p /sys/fs/selinux; echo 1 >/sys/fs/selinux/enforce";

  test("are read with their type and the kernel's mode, or with the reason why they cannot be read", async () => {
    const answers = await readKind(questions, { shell: view(enforcing) });
    expect(answers.map(({ value }) => value).slice(0, 3)).toEqual([
      { mode: "enforcing", type: "etc_t" },
      { mode: "enforcing", type: "svirt_image_t" },
      { mode: "enforcing", type: absent },
    ]);
    expect(answers[3]?.unreadable).toContain("the SELinux label of /proc cannot be read");
    const { print } = kindOf("selinuxLabel");
    for (const [at, { value, lines }] of answers.slice(0, 3).entries()) {
      expect(print?.(value, questions[at]!)).toEqual(lines);
    }
  });

  test("do not exist on a host without SELinux", async () => {
    const answers = await readKind(questions, { shell: view("true") });
    expect(answers.map(({ value }) => value)).toEqual(questions.map(() => absent));
  });
});
