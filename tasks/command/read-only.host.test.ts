import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { taskHost, watchTasks } from "../../test/tasks/on-host.ts";
import * as t from "../index.ts";

const host = taskHost();
let folder = "";
const at = (path: string): string => join(folder, path);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "furrow-reading-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a command that only reads is ok in check mode too, and later tasks know its output there", async () => {
  const kernel = t.command({ command: ["uname", "-r"], readOnly: true });
  const nodes = [kernel, t.file({ path: at("kernel"), content: kernel.output.map(({ stdout }) => stdout) })];
  const outcomes = async (way: "apply" | "check"): Promise<string[]> =>
    (await host[way](...nodes)).map(({ outcome }) => outcome);
  expect(await outcomes("check")).toEqual(["ok", "changed"]);
  expect(await outcomes("apply")).toEqual(["ok", "changed"]);
  expect(readFileSync(at("kernel"), "utf8")).toBe(`${release()}\n`);
  expect(await outcomes("check")).toEqual(["ok", "ok"]);
  expect(await outcomes("apply")).toEqual(["ok", "ok"]);
});

test("a command that only reads is undecided in check mode if an earlier task would change the host", async () => {
  const nodes = [
    t.file({ path: at("a"), content: "new\n" }),
    t.command({ command: ["cat", at("a")], readOnly: true }),
    t.command({ command: ["cat", at("a")], readOnly: true, okExit: [0, 1] }),
  ];
  const foreseen = await host.check(...nodes);
  expect(foreseen.map(({ outcome, dependsOn }) => [outcome, dependsOn])).toEqual([
    ["changed", undefined],
    ["undecided", `file ${at("a")}`],
    ["undecided", `file ${at("a")}`],
  ]);
  expect((await host.apply(...nodes)).map(({ outcome }) => outcome)).toEqual(["changed", "ok", "ok"]);
});

test("a command that only reads fails both in check mode and in the run", async () => {
  const call = t.command({ command: "echo no queue >&2; exit 3", readOnly: true });
  for (const way of ["check", "apply"] as const) {
    const [end] = await host[way](call);
    expect([end?.outcome, end?.error?.code, end?.error?.message]).toEqual(["failed", "E_STEP", expect.any(String)]);
  }
});

test("a command that claims to only read but changes something is refused with --paranoid", async () => {
  const nodes = [
    t.command({ command: ["touch", at("made")], readOnly: true }),
    t.file({ path: at("made"), content: "x\n" }),
  ];
  const [end] = await watchTasks(["sh"], nodes);
  expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_UNDECLARED"]);
  expect(existsSync(at("made"))).toBe(true);
});
