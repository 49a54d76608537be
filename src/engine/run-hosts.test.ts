import { describe, expect, test } from "vitest";
import { on, once } from "../core/group.ts";
import type { Play } from "../core/playbook.ts";
import { type Ran, runPlays } from "../../test/engine/runs.ts";
import { say, set } from "../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });
const three = { hosts: ["a", "b", "c"] };
const ran = ({ cells }: Ran): Record<string, string[]> =>
  Object.fromEntries(Object.entries(cells).map(([host, found]) => [host, Object.keys(found).toSorted()]));

describe("tasks for other hosts", () => {
  test("run there, in the order of this host, and are named so", async () => {
    const play: Play<never> = { hosts: "a", tasks: () => [put("one"), on("b", [put("two")]), put("three")] };
    const run = await runPlays([play], three);
    expect(ran(run)).toEqual({ a: ["one", "three"], b: ["two"] });
    const event = run.events.find((one) => one.type === "taskFinished" && one.task.title === "two");
    expect(event).toMatchObject({ host: "a", task: { on: "b" } });
  });
  test("fail this host where that one is lost", async () => {
    const run = await runPlays([{ hosts: "a", tasks: () => [on("b", [put("two")])] }], { ...three, down: ["b"] });
    expect(run.result).toMatchObject({ unreachable: ["a"] });
  });
  test("that are no hosts of the inventory are refused by name", async () => {
    const run = await runPlays([all({ tasks: () => [on("nobody", [put("x")])] })]);
    expect(run.result.errors[0]).toMatchObject({ code: "E_PATTERN" });
  });
  test("run once for all, and a failure there is everybody's", async () => {
    const tasks: Play<never>["tasks"] = ({ hosts }) => [once(hosts, [put("one")]), put("two")];
    expect(ran(await runPlays([all({ tasks })], three))).toEqual({ a: ["one", "two"], b: ["two"], c: ["two"] });
    const down = await runPlays([all({ tasks })], { ...three, down: ["a"] });
    expect(down.result).toMatchObject({ unreachable: ["a"], failed: ["b", "c"] });
    const twice = await runPlays([all({ tasks }), all({ tasks })], three);
    expect(twice.ends.filter((end) => end.includes(" one "))).toEqual(["a one changed", "a one ok"]);
  });
  test("run once for the whole play, whatever its batches", async () => {
    const tasks: Play<never>["tasks"] = ({ hosts }) => [once(hosts, [put("one")])];
    expect(ran(await runPlays([all({ serial: 2, tasks })], three))).toEqual({ a: ["one"] });
  });
});

describe("hosts that an earlier play makes", () => {
  const make = say({ text: "node", about: "c" });
  const made = make.output.map((name) => [{ name, address: "10.0.0.9" }]);
  const plays: readonly Play<never>[] = [
    { hosts: "a", tasks: () => [make] },
    { hosts: made, name: "nodes", tasks: ({ host }) => [put(`on-${host.address}`)] },
  ];
  test("are played on in a run", async () => {
    expect(ran(await runPlays(plays))).toEqual({ a: [], node: ["on-10.0.0.9"] });
  });
  test("are left out of check mode with a word", async () => {
    const { ends, events } = await runPlays(plays, { mode: "check" });
    expect(ends).toEqual(["a say node changed"]);
    expect(events.find(({ type }) => type === "warning")).toMatchObject({
      text: expect.stringContaining("nodes is left out") as string,
    });
  });
});
