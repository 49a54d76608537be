import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { allKinds } from "../../src/core/facts/kind.ts";
import { questionsOf, scriptOf } from "./questions.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-kinds-"));
afterAll(() => rmSync(folder, { recursive: true }));

const calls =
  "open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,chmod,fchmod,fchmodat," +
  "chown,fchown,lchown,fchownat,truncate,ftruncate,link,linkat,symlink,symlinkat,utimensat,setxattr,mount,umount2";

/**
 * The changes that a process and its children made on the host, according to their successful system calls. A temporary
 * file without a name is ignored.
 */
function deeds(script: string): string[] {
  const log = join(folder, "log");
  const { error } = spawnSync(
    "strace",
    ["-f", "--seccomp-bpf", "-qq", "-o", log, "-e", `trace=${calls}`, "sh", "-c", script],
    {
      stdio: "ignore",
      env: { ...process.env, LC_ALL: "C" },
      timeout: 600_000,
    },
  );
  if (error) throw error;
  return readFileSync(log, "latin1").split("\n").filter(isDeed);
}

function isDeed(line: string): boolean {
  const [, call = "", args = ""] = /^\d+\s+(\w+)\((.*)/.exec(line) ?? [];
  if (call === "" || /= -1 E/.test(line)) return false;
  if (call.startsWith("open"))
    return /O_(WRONLY|RDWR|CREAT|TRUNC)/.test(args) && !/"\/dev\/(null|tty)"|O_TMPFILE/.test(args);
  return true;
}

// Excludes the kinds that are never read ahead: some run the user's own commands, and some send network requests.
const quiet = allKinds().filter(({ neverAhead }) => neverAhead !== true);

describe.skipIf(!existsSync("/usr/bin/strace"))("the script of every kind changes nothing on the host", () => {
  test.each(quiet.map((kind) => ({ name: kind.name, kind })))("$name", ({ kind }) => {
    expect(deeds(scriptOf(kind, questionsOf(kind)))).toEqual([]);
  });

  test("the test catches a script that changes the host", () => {
    expect(deeds(`echo x >${folder}/x`).join("\n")).toContain("O_CREAT");
    expect(deeds(`mkdir ${folder}/d; cat /etc/hostname 2>/dev/null`).join("\n")).toMatch(/^\d+ +mkdir/);
  });
});
