import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type KeyFiles, keyFiles, keyFilesKind, keyFilesScript } from "./key-files.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "furrow-keys-"));
  mkdirSync(join(root, "etc/ssh/sshd_config.d"), { recursive: true });
  mkdirSync(join(root, "bin"));
});
afterEach(() => rmSync(root, { recursive: true }));

/** Lets the host's sshd answer with a line, or not at all. */
function sshdSays(text: string | undefined): void {
  const path = join(root, "bin/sshd");
  writeFileSync(path, `#!/bin/sh\n${text === undefined ? "exit 1" : `[ "$1$2" = -T-C ] && echo '${text}'`}\n`);
  chmodSync(path, 0o755);
}

function found(shell: string, user = "ana"): KeyFiles {
  const question = { ...keyFiles(user), number: 1 };
  const { stdout } = spawnSync(shell, ["-c", keyFilesScript([question], root)], {
    encoding: "utf8",
    env: { PATH: `${root}/bin:/usr/bin:/bin` },
  });
  const lines = stdout.split("\n").flatMap((line) => {
    const [, key = "", value = ""] = /^1 (\w+)=(.*)$/.exec(line) ?? [];
    return key === "" ? [] : [[key, value] as const];
  });
  return keyFilesKind.parse(Object.fromEntries(lines), question);
}

describe.each(["dash", "bash"])("with %s", (shell) => {
  test.each<[string, string[]]>([
    [
      "authorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2",
      [".ssh/authorized_keys", ".ssh/authorized_keys2"],
    ],
    ["authorizedkeysfile /etc/ssh/authorized_keys/%u", ["/etc/ssh/authorized_keys/%u"]],
    ["authorizedkeysfile none", []],
  ])("sshd answers: %s", (line, files) => {
    sshdSays(`port 22\n${line}\nauthorizedkeyscommand none`);
    expect(found(shell)).toEqual({ from: "sshd", files });
  });

  test("an sshd that does not answer may read every file that its configuration names", () => {
    sshdSays(undefined);
    const defaults = [".ssh/authorized_keys", ".ssh/authorized_keys2"];
    expect(found(shell)).toEqual({ from: "config", files: defaults });
    writeFileSync(
      join(root, "etc/ssh/sshd_config"),
      "# AuthorizedKeysFile /no\nPort 22\n  authorizedkeysfile = /a/%u\n",
    );
    writeFileSync(join(root, "etc/ssh/sshd_config.d/b.conf"), 'Match User x\n\tAuthorizedKeysFile "/b/%h" .ssh/c\n');
    expect(found(shell)).toEqual({ from: "config", files: [...defaults, "/a/%u", "/b/%h", ".ssh/c"] });
  });

  test("a configuration that cannot be read may name other files", () => {
    sshdSays(undefined);
    symlinkSync("/usr/bin/false", join(root, "bin/sed"));
    writeFileSync(join(root, "etc/ssh/sshd_config"), "AuthorizedKeysFile /a/%u\n");
    expect(found(shell).from).toBe("unreadable");
  });

  test("a user's name is never part of a command", () => {
    sshdSays("authorizedkeysfile none");
    expect(found(shell, "a'b $(touch x)")).toEqual({ from: "sshd", files: [] });
  });
});
