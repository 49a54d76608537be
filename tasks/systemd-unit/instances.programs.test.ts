import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { shells } from "../../test/contract/shells.fixture.ts";
import { instancesScript, unitInstances, unitInstancesKind } from "./instances.ts";

const root = mkdtempSync(join(tmpdir(), "furrow-instances-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A systemctl that shows units only for the pattern `PATTERN`. */
const systemctl = (pattern: string, output: string, code = 0): void => {
  writeFileSync(join(root, "output"), output);
  writeFileSync(
    join(root, "systemctl"),
    `#!/bin/sh\n[ "$*" != 'show -p Id -- ${pattern}' ] || cat '${root}/output'\nexit ${code}\n`,
  );
  chmodSync(join(root, "systemctl"), 0o755);
};
for (const folder of ["multi-user.target.wants", "a.target.requires", "b.target.upholds"])
  mkdirSync(join(root, "etc/systemd/system", folder), { recursive: true });
const link = (name: string): void => symlinkSync("/etc/systemd/system/x", join(root, "etc/systemd/system", name));
link("multi-user.target.wants/worker@2.service");
link("multi-user.target.wants/worker@1.service");
link("multi-user.target.wants/worker@.service");
link("multi-user.target.wants/worker@1.socket");
link("a.target.requires/worker@req.service");
link("b.target.upholds/worker@up.service");
link("multi-user.target.wants/other@1.service");
link("multi-user.target.wants/web-a.service");
link(String.raw`multi-user.target.wants/web\x2da@1.service`);

describe.each(shells.map((shell) => ({ name: shell.join(" "), shell })))("in $name", ({ shell }) => {
  beforeEach(() => rmSync(join(root, "systemctl"), { force: true }));
  const linesOf = (name: string): Record<string, string> => {
    const [program = "", ...words] = shell;
    const script = `PATH=${root}:$PATH\n${instancesScript([{ ...unitInstances(name), number: 3 }], root)}`;
    const output = execFileSync(program, [...words, "-c", script], { encoding: "utf8" });
    const [, key = "", value = ""] = /^3 (!|[^=]+=)(.*)\n$/.exec(output) ?? [];
    return { [key.replace(/=$/, "")]: value };
  };
  const namesOf = (name: string) => unitInstancesKind.parse(linesOf(name), unitInstances(name)).names;

  test("the instances of a template are the loaded and the enabled ones, each listed once", () => {
    systemctl("worker@*.service", "Id=worker@1.service\n\nId=worker@9.service\n");
    expect(namesOf("worker@.service")).toEqual([
      "worker@1.service",
      "worker@2.service",
      "worker@9.service",
      "worker@req.service",
      "worker@up.service",
    ]);
  });

  test("a backslash in a name is literal and does not escape the next character", () => {
    systemctl(String.raw`web\\x2da@*.service`, "Id=web\\x2da@2.service\n");
    expect(namesOf(String.raw`web\x2da@.service`)).toEqual([
      String.raw`web\x2da@1.service`,
      String.raw`web\x2da@2.service`,
    ]);
  });

  test("drop-ins for a name prefix apply to the loaded units whose names begin with that prefix", () => {
    systemctl("web-*.service", "Id=web-b.service\n");
    expect(namesOf("web-.service")).toEqual(["web-b.service"]);
  });

  test("a template may have no instance", () => {
    systemctl("none@*.service", "");
    expect(namesOf("none@.service")).toEqual([]);
  });

  test("a host on which systemd does not answer reports an error", () => {
    systemctl("worker@*.service", "Failed to connect to bus:\nno such file\n", 1);
    expect(linesOf("worker@.service")).toEqual({
      "!": "systemctl show failed: Failed to connect to bus: no such file",
    });
  });
});
