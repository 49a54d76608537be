import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopHost, loopHost, run } from "../../test/disk/loop-host.ts";
import { converge } from "../../test/packages/converge.ts";
import { fileFunctions } from "../../src/transport/frame/compile/prelude.ts";
import { user } from "../user/user.ts";
import { directoryTree } from "../directory-tree/directory-tree.ts";
import { fileLine } from "../file-line/file-line.ts";
import { file } from "./file.ts";

let host: LoopHost;
let at: string;
beforeAll(async () => {
  host = await loopHost();
  at = `${host.folder}/mnt`;
  await host.sh(`mkdir ${at}/source; echo x >${at}/source/index`);
});
afterAll(() => host.close());

describe("the user and group of a file", () => {
  test("are refused if missing, in check mode and in the run, and nothing is left behind", async () => {
    const nodes = [
      file({ path: `${at}/d`, state: "directory", owner: "nobody-here" }, { ignoreFailure: true }),
      file({ path: `${at}/f`, content: "x", group: "nobody-here" }, { ignoreFailure: true }),
      directoryTree({ source: `${at}/source`, path: `${at}/t`, owner: "nobody-here" }, { ignoreFailure: true }),
      fileLine({ path: `${at}/l`, line: "x", create: true, owner: "nobody-here" }, { ignoreFailure: true }),
    ];
    for (const ends of [await host.check(...nodes), await host.apply(...nodes)]) {
      expect(ends.map(({ error }) => error?.failure.details?.[0])).toEqual([
        "refused: no-user",
        "refused: no-group",
        "refused: no-user",
        "refused: no-user",
      ]);
    }
    expect(await host.sh(`ls ${at}`)).toBe("source\n");
  });

  test("if they cannot be set, the step removes a directory that it created, but keeps an existing one", async () => {
    const make = (path: string): void =>
      void run([...host.enter, "sh", "-c", `${fileFunctions}\n_fm "$1" -p '' nobody-here ''`, "sh", path]);
    expect(() => make(`${at}/new`)).toThrow(/nobody-here/);
    await host.sh(`mkdir ${at}/old`);
    expect(() => make(`${at}/old`)).toThrow(/nobody-here/);
    expect(await host.sh(`cd ${at}; ls; rmdir old`)).toBe("old\nsource\n");
  });

  test("may be created by an earlier task", async () => {
    const nodes = [
      user({ name: "furrowz", createHome: false }),
      file({ path: `${at}/z`, content: "x", owner: "furrowz", group: "furrowz" }),
    ];
    const checked = (await host.check(...nodes)).map(({ outcome }) => outcome);
    expect(checked[0]).toBe("changed");
    expect(checked).not.toContain("failed");
    expect((await host.apply(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
    expect((await host.apply(...nodes)).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
  });

  test("may be numeric ids, even if no user or group has them", async () => {
    const nodes = [
      file({ path: `${at}/one`, state: "directory", owner: "1", group: "1" }),
      file({ path: `${at}/none`, content: "x", owner: "61234" }),
      directoryTree({ source: `${at}/source`, path: `${at}/numbered`, owner: "1" }),
    ];
    const changed = nodes.map(() => "changed");
    expect(await converge(host, ...nodes)).toEqual({ checked: changed, ran: changed });
    expect(statSync(`${at}/numbered/index`).uid).toBe(1);
  });
});

describe("a long file name", () => {
  test.each([248, 255])("is created and replaced: %d bytes", async (length) => {
    const path = `${at}/${"ü".repeat(10)}${"n".repeat(length - 20)}`;
    for (const content of ["a", "b", "c".repeat(100_000)]) {
      const call = file({ path, content });
      expect(await converge(host, call)).toEqual({ checked: ["changed"], ran: ["changed"] });
    }
    const link = file({ path, state: "link", target: "x", replace: "file" });
    expect(await converge(host, link)).toEqual({ checked: ["changed"], ran: ["changed"] });
  });

  test("may have up to 255 bytes; a longer name, or a path of more than 4095 bytes, is refused when the playbook is loaded", async () => {
    const long = [`/srv/${"n".repeat(256)}`, `/srv/${"ü".repeat(128)}`, `/${"a/".repeat(2048)}b`];
    for (const path of long) {
      await expect(host.check(file({ path, content: "x" }))).rejects.toThrow(/"path"/);
    }
    await expect(host.check(file({ path: "/srv/a\nb", content: "x" }))).rejects.toMatchObject({
      failure: { expected: "a path without a line break or NUL in it" },
    });
  });
});
