import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { block, type Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";

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
const gone = (name: string): Node => t.file({ path: join(folder, name), state: "absent", recursive: true });
const outcomes = (ends: readonly TaskEnd[]): string[] => ends.map(({ outcome }) => outcome);

describe("two names for one file, one of them through a link", () => {
  test.each(["check", "apply"] as const)(
    "are refused if tasks give them different contents, before any file is written: %s",
    async (way) => {
      const [end, ...rest] = await host[way](file("first", "1"), file("v1/conf", "a\n"), file("current/conf", "b\n"));
      expect(end?.error?.code).toBe("E_CONFLICTING_WANTS");
      expect(end?.error?.message).toContain(`text of file:${folder}/v1/conf`);
      expect(rest).toEqual([]);
      expect([readdirSync(folder), readdirSync(join(folder, "v1"))]).toEqual([["current", "v1", "v2"], []]);
    },
  );

  test("are refused if two tasks undo each other's line, or if a task removes the directory under its other name", async () => {
    const line = t.fileLine({ path: join(folder, "v1/conf"), line: "a", create: true });
    const other = t.fileLine({ path: join(folder, "current/conf"), line: "a", state: "absent" });
    expect((await host.check(line, other))[0]?.error?.code).toBe("E_CONFLICTING_WANTS");
    const gone = t.file({ path: join(folder, "v1/sub"), state: "absent", recursive: true });
    expect((await host.check(file("current/sub/x", "x"), gone))[0]?.error?.code).toBe("E_CONFLICTING_WANTS");
  });

  test("do not conflict if both tasks want the same content", async () => {
    const same = await host.apply(file("v1/conf", "a\n"), file("current/conf", "a\n"));
    expect(same.map(({ outcome }) => outcome)).toEqual(["changed", "ok"]);
  });

  test.each(["check", "apply"] as const)("are refused despite ignoreFailure and rescue: %s", async (way) => {
    const first = (name: string): Node => t.file({ path: join(folder, name), content: "1" }, { ignoreFailure: true });
    const nodes = [file("v1/conf", "a\n"), file("current/conf", "b\n")];
    const ignored = await host[way](first("one"), ...nodes, first("two"));
    expect(ignored.map(({ error, outcome }) => error?.code ?? outcome)).toEqual(["E_CONFLICTING_WANTS"]);
    const caught = await host[way](block("risky", [first("one"), ...nodes], { rescue: [first("two")] }));
    expect(caught.map(({ error, outcome }) => error?.code ?? outcome)).toEqual(["E_CONFLICTING_WANTS"]);
    expect(readdirSync(folder)).toEqual(["current", "v1", "v2"]);
  });

  const link = (target: string, when = {}): Node =>
    t.file({ path: join(folder, "current"), state: "link", target }, when);
  const left = () => [readlinkSync(join(folder, "current")), readdirSync(join(folder, "v2"))];

  test.each([
    [
      "through a link that is created before a task sets the content under that name",
      () => [file("v2/conf", "a\n"), link("v2"), file("current/conf", "b\n")],
    ],
    [
      "through a link that is created after a task sets the content under that name",
      () => [file("current/conf", "a\n"), link("v2"), file("v2/conf", "b\n")],
    ],
    [
      "through a link that is created before a task removes a directory",
      () => [link("v2"), file("current/sub/x", "b\n"), gone("v2/sub")],
    ],
  ])("are refused by check and by the run if they arise %s", async (_, nodes) => {
    for (const way of ["check", "apply"] as const) {
      const ends = await host[way](...nodes());
      expect(ends.map(({ error, outcome }) => error?.code ?? outcome)).toEqual(["E_CONFLICTING_WANTS"]);
      expect(left()).toEqual(["v1", []]);
    }
  });

  test.each([
    ["then removes the file with the old name", () => [link("v2"), file("current/conf", "b\n"), gone("v1/conf")]],
    [
      "then writes other content under the old name",
      () => [link("v2"), file("current/conf", "b\n"), file("v1/conf", "a\n")],
    ],
  ])("do not conflict if the play changes the link and %s", async (_, nodes) => {
    expect(outcomes(await host.check(...nodes()))).not.toContain("failed");
    expect(outcomes(await host.apply(...nodes()))).not.toContain("failed");
    expect(left()).toEqual(["v2", ["conf"]]);
    expect(outcomes(await host.apply(...nodes()))).toEqual(["ok", "ok", "ok"]);
  });

  test("are refused before a later command runs, if the task that would change the link is skipped", async () => {
    const conf = t.file({ path: join(folder, "first"), content: "1" });
    const nodes = [
      conf,
      link("v2", { when: conf.changed.map((changed) => !changed) }),
      t.command({ command: ["touch", join(folder, "restored")], always: true, disturbs: [] }),
      file("current/conf", "b\n"),
      file("v1/conf", "a\n"),
    ];
    const refused = await host.apply(...nodes);
    expect(refused.map(({ error, outcome }) => error?.code ?? outcome)).toEqual([
      "changed",
      "skipped",
      "E_CONFLICTING_WANTS",
    ]);
    expect([readdirSync(folder), left()]).toEqual([
      ["current", "first", "v1", "v2"],
      ["v1", []],
    ]);
  });

  test("are refused if the task that would change the link is skipped", async () => {
    const nodes = (acts: boolean): Node[] => {
      const asked = t.command({ command: [acts ? "true" : "echo"], always: true, disturbs: [] });
      const isWanted = asked.output.map(({ stdout }) => stdout === "");
      return [
        asked,
        block("maybe", [link("v2")], { when: isWanted }),
        file("current/conf", "b\n"),
        file("v1/conf", "a\n"),
      ];
    };
    const refused = await host.apply(...nodes(false));
    expect(refused.at(-1)?.error?.code).toBe("E_CONFLICTING_WANTS");
    expect(left()).toEqual(["v1", []]);
    expect(outcomes(await host.apply(...nodes(true)))).toEqual(["changed", "changed", "changed", "changed"]);
    expect(left()).toEqual(["v2", ["conf"]]);
  });
});
