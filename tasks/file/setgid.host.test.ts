import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { fileFunctions } from "../../src/transport/frame/compile/prelude.ts";
import { converge } from "../../test/packages/converge.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { directoryTree } from "../directory-tree/directory-tree.ts";
import { file } from "./file.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-setgid-"));
afterAll(() => rmSync(folder, { recursive: true }));
const host = taskHost();
const changed = { checked: ["changed"], ran: ["changed"] };
const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8).padStart(4, "0");

/**
 * Creates a directory like Debian's /var/local: files created in it get its group, and directories in it also get its
 * set-group-ID bit.
 */
function local(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  chmodSync(path, 0o2775);
  return path;
}

describe("a directory whose parent has the set-group-ID bit", () => {
  test("converges with `file` and mode 0755", async () => {
    const path = join(local("a"), "app");
    expect(await converge(host, file({ path, state: "directory", mode: "0755" }))).toEqual(changed);
    expect(modeOf(path)).toBe("0755");
  });

  test("is predicted with the inherited bit, as a run creates it", async () => {
    const path = join(local("e"), "app");
    const again = (name: string, mode: string) => file({ path, state: "directory", mode }, { name });
    const nodes = [file({ path, state: "directory" }), again("cleared", "0755")];
    expect(await converge(host, ...nodes)).toEqual({ checked: ["changed", "changed"], ran: ["changed", "changed"] });
    rmSync(path, { recursive: true });
    const kept = [file({ path: join(path, ".."), state: "directory" }), file({ path, state: "directory" })];
    const below = file({ path: join(path, "sub"), state: "directory" });
    const same = file({ path: join(path, "sub"), state: "directory", mode: "2755" }, { name: "same" });
    const outcomes = ["ok", "changed", "changed", "ok"];
    expect(await converge(host, ...kept, below, same)).toEqual({ checked: outcomes, ran: outcomes });
  });

  test("converges with `directoryTree`", async () => {
    const source = join(folder, "source");
    mkdirSync(join(source, "sub"), { recursive: true });
    writeFileSync(join(source, "sub", "file"), "x");
    const path = join(local("b"), "tree");
    expect(await converge(host, directoryTree({ source, path }))).toEqual(changed);
    expect([path, join(path, "sub"), join(path, "sub", "file")].map(modeOf)).toEqual(["0755", "0755", "0644"]);
  });

  test("loses or gets the bit as `mode` requires", async () => {
    const path = local("c");
    expect(await converge(host, file({ path, state: "directory", mode: "0750" }))).toEqual(changed);
    expect(modeOf(path)).toBe("0750");
    expect(await converge(host, file({ path, state: "directory", mode: "2770" }))).toEqual(changed);
    expect(modeOf(path)).toBe("2770");
  });

  test("gets the same mode from busybox's chmod and mkdir", () => {
    const path = join(local("d"), "app");
    const applets = 'chmod() { busybox chmod "$@"; }; mkdir() { busybox mkdir "$@"; }; chown() { busybox chown "$@"; }';
    execFileSync("busybox", ["sh", "-c", `${fileFunctions}\n${applets}\n_fm "$1" -p 0755 '' ''`, "sh", path]);
    expect(modeOf(path)).toBe("0755");
    execFileSync("busybox", ["sh", "-c", `${fileFunctions}\n${applets}\n_fk "$1" 2750 '' ''`, "sh", path]);
    expect(modeOf(path)).toBe("2750");
  });
});
