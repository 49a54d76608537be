import { expect, test } from "vitest";
import { runPlays } from "../../../../test/engine/runs.ts";
import { say, set } from "../../../../test/engine/toy-tasks.ts";
import type { Node } from "../../../core/authoring/group.ts";

/** Returns the tasks and facts that the last of these tasks depends on in check mode. */
async function dependency(tasks: () => Node[]): Promise<unknown> {
  const { events } = await runPlays([{ hosts: "all", tasks }], { mode: "check", cells: { a: { v: 1, w: "x" } } });
  return events.flatMap((event) => (event.type === "taskFinished" ? [event.dependsOn] : [])).at(-1);
}

test("an undecided task names the task whose output it depends on", async () => {
  const tasks = () => {
    const conf = say({ text: "hello", about: "b" }, { name: "read conf" });
    return [conf, set({ cell: "a", w: conf.output.map(String) })];
  };
  expect(await dependency(tasks)).toEqual({ task: "read conf", facts: ["output"] });
});

test("an undecided task names each task whose output it depends on, once", async () => {
  const tasks = () => {
    const conf = say({ text: "hello", about: "b" }, { name: "read conf" });
    const port = say({ text: "1", about: "b" }, { name: "read port" });
    return [conf, port, set({ cell: port.output.map(String), w: conf.output.map(String), v: conf.output.map(Number) })];
  };
  expect(await dependency(tasks)).toEqual({ task: "read port and read conf", facts: ["output"] });
});

test("an undecided task names the task that its own condition depends on", async () => {
  const tasks = () => {
    const conf = say({ text: "hello", about: "b" }, { name: "read conf" });
    return [conf, set({ cell: "a", w: "y" }, { when: conf.output.map((text) => text === "hello") })];
  };
  expect(await dependency(tasks)).toEqual({ task: "read conf", facts: ["condition"] });
});
