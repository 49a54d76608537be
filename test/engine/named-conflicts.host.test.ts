import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { block, type Node } from "../../src/core/group.ts";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";

const host = taskHost();
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-names-"));
  mkdirSync(join(folder, "v1"));
  mkdirSync(join(folder, "v2"));
  symlinkSync("v1", join(folder, "current"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, content: string): Node => t.file({ path: join(folder, name), content });

describe("two names of one file through a link", () => {
  test.each(["check", "apply"] as const)(
    "with two contents are refused before anything is written: %s",
    async (way) => {
      const [end, ...rest] = await host[way](file("first", "1"), file("v1/conf", "a\n"), file("current/conf", "b\n"));
      expect(end?.error?.code).toBe("E_CONFLICTING_WANTS");
      expect(end?.error?.message).toContain(`text of file:${folder}/v1/conf`);
      expect(rest).toEqual([]);
      expect([readdirSync(folder), readdirSync(join(folder, "v1"))]).toEqual([["current", "v1", "v2"], []]);
    },
  );

  test("of which a line and a block undo each other, and a directory that is removed by its other name", async () => {
    const line = t.fileLine({ path: join(folder, "v1/conf"), line: "a", create: true });
    const other = t.fileLine({ path: join(folder, "current/conf"), line: "a", state: "absent" });
    expect((await host.check(line, other))[0]?.error?.code).toBe("E_CONFLICTING_WANTS");
    const gone = t.file({ path: join(folder, "v1/sub"), state: "absent", recursive: true });
    expect((await host.check(file("current/sub/x", "x"), gone))[0]?.error?.code).toBe("E_CONFLICTING_WANTS");
  });

  test("that want the same, or that the play itself leads apart first, are none", async () => {
    const same = await host.apply(file("v1/conf", "a\n"), file("current/conf", "a\n"));
    expect(same.map(({ outcome }) => outcome)).toEqual(["changed", "ok"]);
  });

  test.each(["check", "apply"] as const)("were tolerated by ignoreFailure and caught by a rescue: %s", async (way) => {
    const first = (name: string): Node => t.file({ path: join(folder, name), content: "1" }, { ignoreFailure: true });
    const nodes = [file("v1/conf", "a\n"), file("current/conf", "b\n")];
    const ignored = await host[way](first("one"), ...nodes, first("two"));
    expect(ignored.map(({ error, outcome }) => error?.code ?? outcome)).toEqual(["E_CONFLICTING_WANTS"]);
    const caught = await host[way](block("risky", [first("one"), ...nodes], { rescue: [first("two")] }));
    expect(caught.map(({ error, outcome }) => error?.code ?? outcome)).toEqual(["E_CONFLICTING_WANTS"]);
    expect(readdirSync(folder)).toEqual(["current", "v1", "v2"]);
  });

  test("to which the play itself leads are refused where it does", async () => {
    const link = t.file({ path: join(folder, "current"), state: "link", target: "v2" });
    const nodes = [file("v2/conf", "a\n"), link, file("current/conf", "b\n")];
    const checked = await host.check(...nodes);
    expect(checked.at(-1)?.error?.code).toBe("E_CONFLICTING_WANTS");
    const applied = await host.apply(...nodes);
    expect(applied.at(-1)?.error?.code).toBe("E_CONFLICTING_WANTS");
    expect([readlinkSync(join(folder, "current")), readdirSync(join(folder, "v2"))]).toEqual(["v2", ["conf"]]);
  });
});
