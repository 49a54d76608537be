import { describe, expect, test } from "vitest";
import { block } from "../../core/authoring/group.ts";
import { set } from "../../../test/engine/toy-tasks.ts";
import { labelOf, mainTasks, planNodes } from "./plan.ts";
import { selectedByTags, selectTasks, startAt, titlesOf } from "./select.ts";

describe("tags", () => {
  test.each([
    { tags: [], wanted: [], skip: [], runs: true },
    { tags: [], wanted: ["a"], skip: [], runs: false },
    { tags: ["a"], wanted: ["a"], skip: [], runs: true },
    { tags: ["a", "b"], wanted: ["a"], skip: ["b"], runs: false },
    { tags: ["b"], wanted: ["a"], skip: [], runs: false },
    { tags: ["b"], wanted: ["all"], skip: [], runs: true },
    { tags: ["always"], wanted: ["a"], skip: [], runs: true },
    { tags: ["always"], wanted: ["a"], skip: ["always"], runs: false },
    { tags: ["always", "b"], wanted: [], skip: ["b"], runs: false },
    { tags: ["never"], wanted: [], skip: [], runs: false },
    { tags: ["never"], wanted: ["all"], skip: [], runs: false },
    { tags: ["never"], wanted: ["never"], skip: [], runs: true },
    { tags: ["never", "a"], wanted: ["a"], skip: [], runs: true },
    { tags: ["a"], wanted: ["tagged"], skip: [], runs: true },
    { tags: [], wanted: ["tagged"], skip: [], runs: false },
    { tags: [], wanted: ["untagged"], skip: [], runs: true },
    { tags: ["a"], wanted: ["untagged"], skip: [], runs: false },
    { tags: ["a"], wanted: [], skip: ["tagged"], runs: false },
    { tags: ["always"], wanted: [], skip: ["tagged"], runs: false },
    { tags: [], wanted: [], skip: ["tagged"], runs: true },
    { tags: [], wanted: [], skip: ["untagged"], runs: false },
    { tags: ["a"], wanted: [], skip: ["untagged"], runs: true },
    { tags: [], wanted: [], skip: ["all"], runs: false },
    { tags: ["a"], wanted: [], skip: ["all"], runs: false },
    { tags: ["a"], wanted: ["a"], skip: ["all"], runs: false },
    { tags: ["never"], wanted: ["never"], skip: ["all"], runs: false },
    { tags: ["always"], wanted: [], skip: ["all"], runs: true },
    { tags: ["always", "a"], wanted: [], skip: ["all", "a"], runs: true },
    { tags: ["always"], wanted: [], skip: ["all", "always"], runs: false },
    { tags: ["a"], wanted: [], skip: ["always"], runs: true },
    { tags: ["never"], wanted: ["never"], skip: ["never"], runs: false },
    { tags: ["never", "a"], wanted: ["tagged"], skip: [], runs: false },
    { tags: ["never", "always"], wanted: [], skip: [], runs: true },
    { tags: ["a"], wanted: ["always"], skip: [], runs: false },
  ])("$tags select a task with --tags $wanted --skip-tags $skip: $runs", ({ tags, wanted, skip, runs }) => {
    expect(selectedByTags(tags, { tags: wanted, skipTags: skip })).toBe(runs);
  });
});

const call = (name: string, tags: readonly string[] = []) => set({ cell: name, v: 1 }, { name, tags });
const nodes = [
  call("first"),
  block("outer", [call("second", ["web"]), block("inner", [call("third")], { tags: ["db"] })], {
    tags: ["app"],
    rescue: [call("rescued"), call("cleaned", ["web"])],
    always: [call("last", ["web"])],
  }),
  block("empty", []),
];
const setting = { target: "h", path: [], tags: [], when: [], become: undefined };
const plan = planNodes(nodes, setting, "");
const names = (of: ReturnType<typeof selectTasks>): string[] => mainTasks(of).map((task) => labelOf(task, "h").title);

describe("the tasks of a plan", () => {
  test.each([
    { tags: ["web"], skip: [], left: ["second", "last"] },
    { tags: ["app"], skip: [], left: ["second", "third", "last"] },
    { tags: ["db"], skip: [], left: ["third"] },
    { tags: [], skip: ["app"], left: ["first"] },
    { tags: ["nothing"], skip: [], left: [] },
  ])("--tags $tags --skip-tags $skip leaves $left", ({ tags, skip, left }) => {
    expect(names(selectTasks(plan, { tags, skipTags: skip }))).toEqual(left);
  });

  test.each([
    { tags: [], skip: [], rescue: ["rescued", "cleaned"] },
    { tags: ["app"], skip: [], rescue: ["rescued", "cleaned"] },
    { tags: ["app"], skip: ["web"], rescue: ["rescued"] },
    { tags: ["web"], skip: [], rescue: ["cleaned"] },
    { tags: ["db"], skip: [], rescue: undefined },
  ])("for a rescue, --tags $tags --skip-tags $skip leaves $rescue", ({ tags, skip, rescue }) => {
    const [group] = selectTasks(plan, { tags, skipTags: skip }).filter(({ node }) => node === "group");
    const left = group?.node === "group" ? group.rescue : [];
    expect(left && names([...left])).toEqual(rescue);
  });

  test("an empty rescue catches any failure", () => {
    const [group] = planNodes([block("any", [call("a")], { rescue: [] })], setting, "");
    expect(selectTasks([group!], { tags: [], skipTags: [] })).toMatchObject([{ rescue: [] }]);
  });

  test("starting in the middle of a group keeps its whole rescue", () => {
    const cut = startAt(plan, "third", (task) => titlesOf(labelOf(task, "h")));
    expect(cut).toMatchObject([{ rescue: [{ node: "task" }, { node: "task" }] }]);
  });

  test.each([
    { title: "second", left: ["second", "third", "last"] },
    { title: "th*", left: ["third", "last"] },
    { title: "*", left: ["first", "second", "third", "last"] },
    { title: "last", left: ["last"] },
    { title: "thir", left: undefined },
    { title: "f.rst", left: undefined },
  ])("starting at $title leaves $left", ({ title, left }) => {
    const cut = startAt(plan, title, (task) => titlesOf(labelOf(task, "h")));
    expect(cut && names(cut)).toEqual(left);
  });
});
