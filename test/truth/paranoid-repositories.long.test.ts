import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import { covered } from "../covered.ts";
import { openPackageRoot, type PackageRoot } from "../packages/root.ts";
import { type TaskEnd, taskHost, type TaskHost, watchTasks } from "../tasks/on-host.ts";

const setUps = [
  { id: "opensuse-leap", manager: "zypper", lists: "/etc/zypp/repos.d" },
  { id: "fedora", manager: "dnf", lists: "/etc/yum.repos.d" },
] as const;

describe.each(setUps)("repository lists of $manager", ({ id, manager, lists }) => {
  let root: PackageRoot;
  let host: TaskHost;

  beforeAll(async () => {
    root = await openPackageRoot(id);
    host = taskHost([...root.enter, "sh"]);
  }, 900_000);
  afterAll(() => root.close());

  const url = "file:///srv/rpm";
  const tasks = (): Node[] => [
    t.file({ path: lists, state: "directory" }),
    t.file({
      path: `${lists}/test.repo`,
      content: `[test]\nname=test\nenabled=1\nbaseurl=${url}\ngpgcheck=0\n`,
    }),
    t.packageIndex({}),
    t.fileLine({ path: `${lists}/other.repo`, line: "# none", create: true }),
    t.packageIndex({}),
    t.packageRepo({ manager, name: "more", url, gpgCheck: false, enabled: false }),
    t.packageIndex({}),
    t.package({ name: "hello" }),
  ];

  test("make the index outdated when any task changes them, as check predicts and a watched run confirms", async () => {
    const outcomes = (ends: readonly TaskEnd[]): string[] =>
      ends.map(({ title, outcome, error }) => `${outcome} ${title} ${error?.message ?? ""}`);
    const check = await host.check(...tasks());
    const run = await watchTasks([...root.enter, "sh"], tasks());
    expect(outcomes(run)).toEqual(outcomes(check));
    expect(run.map(({ outcome }) => outcome)).toEqual(tasks().map(() => "changed"));
    expect((await host.apply(...tasks())).map(({ outcome }) => outcome)).toEqual(tasks().map(() => "ok"));
    covered(`${run.length} tasks about lists of ${manager} under --paranoid: no undeclared effect`);
  });
});
