/** Tests that a rewritten file keeps its access control lists and file attributes, which are not part of its mode. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fileFunctions } from "../../src/transport/frame/compile/prelude.ts";
import { converge } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-access-list-"));
afterAll(() => rmSync(folder, { recursive: true }));
const host = taskHost();
const changed = { checked: ["changed"], ran: ["changed"] };

/**
 * A file that only its owner and the user `games` may read, although its mode suggests that its group may read it too.
 */
function secretFile(name: string): string {
  const path = join(folder, name);
  writeFileSync(path, "a = 1\n", { mode: 0o600 });
  execFileSync("setfacl", ["-m", "u:games:r,g::-,m::r", path]);
  return path;
}

const accessList = (path: string): string =>
  execFileSync("getfacl", ["-cE", path], { encoding: "utf8" }).trim().replaceAll("\n", ",");
const before = "user::rw-,user:games:r--,group::---,mask::r--,other::---";

describe("a file with an access list", () => {
  test("keeps the list when a line changes, so its group still cannot read it", async () => {
    const path = secretFile("line");
    expect(await converge(host, t.fileLine({ path, line: "a = 2", match: "^a =" }))).toEqual(changed);
    expect(readFileSync(path, "utf8")).toBe("a = 2\n");
    expect(accessList(path)).toBe(before);
  });

  test("keeps the list when `file` replaces its content", async () => {
    const path = secretFile("content");
    expect(await converge(host, t.file({ path, content: "b\n" }))).toEqual(changed);
    expect(accessList(path)).toBe(before);
    expect(await converge(host, t.file({ path, content: "c\n", mode: "0640" }))).toEqual(changed);
    expect(accessList(path)).toBe(before);
  });

  test("has only the permissions of a different mode that the task sets together with the content", async () => {
    const path = secretFile("mode");
    expect(await converge(host, t.file({ path, content: "b\n", mode: "0600" }))).toEqual(changed);
    expect(accessList(path)).toBe("user::rw-,group::---,other::---");
  });

  test("does not get the time of the replaced file", async () => {
    const path = secretFile("time");
    execFileSync("touch", ["-d", "2001-01-01", path]);
    expect(await converge(host, t.file({ path, content: "b\n" }))).toEqual(changed);
    expect(statSync(path).mtime.getFullYear()).toBeGreaterThan(2001);
  });

  test("is left as it is where the host's cp cannot copy the list", () => {
    const path = secretFile("busybox");
    const script = `${fileFunctions}\ncp() { busybox cp "$@"; }\nprint() { echo b; }\n_fw print "$1" '' '' ''`;
    const shell = ["sh", "-c", script, "sh", path];
    expect(() => execFileSync("busybox", shell, { encoding: "utf8", stdio: "pipe" })).toThrow(
      `${path} has an access list, which this host's cp cannot copy`,
    );
    expect(readFileSync(path, "utf8")).toBe("a = 1\n");
    execFileSync("setfacl", ["-b", path]);
    execFileSync("busybox", shell);
    expect(readFileSync(path, "utf8")).toBe("b\n");
  });
});

test("a file with extended attributes keeps them when its content changes", async () => {
  const path = join(folder, "attributes");
  writeFileSync(path, "a\n");
  execFileSync("python3", ["-c", 'import os, sys; os.setxattr(sys.argv[1], "user.origin", b"here")', path]);
  expect(await converge(host, t.file({ path, content: "b\n" }))).toEqual(changed);
  const script = 'import os, sys; print(os.getxattr(sys.argv[1], "user.origin").decode())';
  expect(execFileSync("python3", ["-c", script, path], { encoding: "utf8" })).toBe("here\n");
});
