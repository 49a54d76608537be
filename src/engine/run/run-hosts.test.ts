import { describe, expect, test } from "vitest";
import { block, on, once } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { risky, say, set } from "../../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });
const three = { hosts: ["a", "b", "c"] };
const ran = ({ cells }: Ran): Record<string, string[]> =>
  Object.fromEntries(Object.entries(cells).map(([host, found]) => [host, Object.keys(found).toSorted()]));

describe("tasks for other hosts", () => {
  test("run on the other host, in this host's order, and are labeled with the other host's name", async () => {
    const play: Play<never> = { hosts: "a", tasks: () => [put("one"), on("b", [put("two")]), put("three")] };
    const run = await runPlays([play], three);
    expect(ran(run)).toEqual({ a: ["one", "three"], b: ["two"] });
    const event = run.events.find((one) => one.type === "taskFinished" && one.task.title === "two");
    expect(event).toMatchObject({ host: "a", task: { on: "b" } });
  });
  test("fail for this host if the other host cannot be reached", async () => {
    const run = await runPlays([{ hosts: "a", tasks: () => [on("b", [put("two")])] }], { ...three, down: ["b"] });
    expect(run.result).toMatchObject({ unreachable: ["a"] });
  });
  test("are refused if the host is not in the inventory, and the error names it", async () => {
    const events: unknown[] = [];
    const run = runPlays([all({ tasks: () => [put("one"), on("nobody", [put("x")])] })], {
      watch: (event) => events.push(event),
    });
    await expect(run).rejects.toMatchObject({
      code: "E_PATTERN",
      failure: { what: 'the inventory has no host "nobody"' },
    });
    expect(events).toEqual([]);
  });
  test("are skipped if their condition is false, even if the inventory has no such host", async () => {
    const run = await runPlays([all({ tasks: () => [on("nobody", [put("x")], { when: false })] })]);
    expect(run.ends).toEqual(["a x skipped"]);
  });
  test("are refused during the run if host names are known only then", async () => {
    const later = say({ text: "x", about: "x" }, { name: "later" });
    const hosts = later.output.map(() => [{ name: "made", address: "192.0.2.1" }]);
    const run = await runPlays([
      all({ tasks: () => [later, on("nobody", [put("x")])] }),
      { hosts, tasks: () => [put("y")] },
    ]);
    expect(run.result.errors[0]).toMatchObject({ code: "E_PATTERN" });
  });
  test("run only once if listed in once(), and fail for all hosts if they fail on the host that runs them", async () => {
    const tasks: Play<never>["tasks"] = ({ hosts }) => [once(hosts, [put("one")]), put("two")];
    expect(ran(await runPlays([all({ tasks })], three))).toEqual({ a: ["one", "two"], b: ["two"], c: ["two"] });
    const down = await runPlays([all({ tasks })], { ...three, down: ["a"] });
    expect(down.result).toMatchObject({ unreachable: ["a"], failed: ["b", "c"] });
    const twice = await runPlays([all({ tasks }), all({ tasks })], three);
    expect(twice.ends.filter((end) => end.includes(" one "))).toEqual(["a one changed", "a one ok"]);
  });
  test("run once for the whole play, not once per batch", async () => {
    const tasks: Play<never>["tasks"] = ({ hosts }) => [once(hosts, [put("one")])];
    expect(ran(await runPlays([all({ serial: 2, tasks })], three))).toEqual({ a: ["one"] });
  });
});

describe("tasks that run once", () => {
  const token = (): ReturnType<typeof say> => say({ text: "secret-of-the-cluster", about: "x" }, { name: "token" });
  const only = (name: string): Partial<Play<never>> => ({
    tasks: ({ host, hosts }) => [host.name === name && once(hosts, [put("one")]), put("two")],
  });
  /** A role that is listed several times. */
  const database = (name: string, hosts: readonly { name: string }[]): ReturnType<typeof once> =>
    once(hosts, [put(name)]);
  const boom = (): ReturnType<typeof risky> => risky({ cell: "boom", way: "fails", times: 0 }, { name: "boom" });
  const cases: {
    what: string;
    play: Partial<Play<never>>;
    cells?: Record<string, string[]>;
    failed?: string[];
    down?: string[];
  }[] = [
    {
      what: "hosts with different groups at the same position in their lists run both groups",
      play: {
        tasks: ({ host }) => [host.index === 0 ? once(["a"], [put("A")]) : once(["b"], [put("B")])],
      },
      cells: { a: ["A"], b: ["B"] },
    },
    {
      what: "an extra task before a group on the first host does not make it a different group",
      play: { tasks: ({ host, hosts }) => [host.index === 0 && put("first"), once(hosts, [put("one")]), put("two")] },
      cells: { a: ["first", "one", "two"], b: ["two"], c: ["two"] },
    },
    {
      what: "the first host that lists a group runs it",
      play: only("b"),
      cells: { a: ["two"], b: ["one", "two"], c: ["two"] },
    },
    {
      what: "a role that is listed twice runs twice",
      play: { tasks: ({ hosts }) => [database("p", hosts), database("q", hosts)] },
      cells: { a: ["p", "q"] },
    },
    {
      what: "a role runs twice if some hosts list it twice and others list it once",
      play: { tasks: ({ host, hosts }) => [host.index > 0 && database("p", hosts), database("q", hosts)] },
      cells: { a: ["q"], b: ["p"] },
    },
    {
      what: "a group listed in a loop runs once for each iteration",
      play: { tasks: ({ hosts }) => ["p", "q", "r"].map((name) => once(hosts, [put(name)])) },
      cells: { a: ["p", "q", "r"] },
    },
    {
      what: "a loop that differs between hosts runs if each iteration has a name",
      play: {
        tasks: ({ host, hosts }) =>
          ["p", "q"].slice(host.index % 2).map((name) => once(hosts, [put(name)], { name: `database ${name}` })),
      },
      cells: { a: ["p", "q"] },
    },
    {
      what: "each batch sees that the group has already run",
      play: { serial: 1, tasks: ({ hosts }) => [once(hosts, [put("one")]), put("two")] },
      cells: { a: ["one", "two"], b: ["two"], c: ["two"] },
    },
    {
      what: "a batch without the named host fails, with a reason for each host",
      play: { serial: 1, maxFailPercentage: 100, tasks: () => [once(["b"], [put("one")]), put("two")] },
      failed: ["a"],
      cells: {},
    },
    {
      what: "the next host runs a group if the first host failed before the group",
      play: { tasks: ({ host, hosts }) => [host.index === 0 && boom(), once(hosts, [put("one")]), put("two")] },
      failed: ["a"],
      cells: { a: ["boom"], b: ["one", "two"], c: ["two"] },
    },
    {
      what: "every host fails if the group fails",
      play: { tasks: ({ hosts }) => [once(hosts, [boom()]), put("two")] },
      failed: ["a", "b", "c"],
      cells: { a: ["boom"] },
    },
    {
      what: "every host fails if the named host cannot be reached",
      play: { tasks: () => [once(["b"], [put("one")]), put("two")] },
      down: ["b"],
      failed: ["a", "c"],
      cells: {},
    },
    {
      what: "the next host runs a group if the first host failed before the group, even if a rescue caught the failure",
      play: {
        tasks: ({ host, hosts }) => [
          block("b", [host.index === 0 && boom(), once(hosts, [put("one")])], { rescue: [put("rescued")] }),
          once(["b"], [put("then")]),
        ],
      },
      cells: { a: ["boom", "rescued"], b: ["one", "then"] },
    },
    {
      what: "a group in a rescue runs on a host that is rescued",
      play: {
        tasks: ({ host, hosts }) => [
          block("b", [host.index === 2 && boom()], { rescue: [once(hosts, [put("rescued")])] }),
          put("two"),
        ],
      },
      cells: { a: ["two"], b: ["two"], c: ["boom", "rescued", "two"] },
    },
    {
      what: "every host gets the outputs of the group",
      play: {
        tasks: ({ hosts }) => {
          const made = token();
          return [once(hosts, [made]), set({ cell: "joined", w: made.output }, { name: "joined" })];
        },
      },
      cells: { a: ["joined"], b: ["joined"], c: ["joined"] },
    },
  ];
  test.each(cases.flatMap((one) => [1, 2, 3].map((forks) => ({ forks, ...one }))))(
    "$what, with $forks forks",
    async ({ forks, play, cells, failed = [], down = [] }) => {
      const run = await runPlays([all({ ...play })], { ...three, down, request: { forks } });
      const found = Object.fromEntries(Object.entries(ran(run)).filter(([, list]) => list.length > 0));
      expect(found).toEqual(cells);
      expect(run.result.failed).toEqual(failed);
      expect(run.result.unreachable).toEqual(down);
      expect(run.events.at(-1)).toMatchObject({ type: "runFinished" });
    },
  );

  const refused: { why: string; tasks: Play<never>["tasks"] }[] = [
    {
      why: "its calls cannot be matched",
      tasks: ({ host, hosts }) => ["p", "q"].slice(host.index).map((name) => once(hosts, [put(name)])),
    },
    { why: "does not list the same hosts for every host", tasks: ({ host }) => [once([host], [put("one")])] },
  ];
  test.each(refused)("are refused before any host is touched: $why", async ({ why, tasks }) => {
    await expect(runPlays([all({ tasks })], three)).rejects.toThrow(why);
  });

  test("pass a token to the hosts that join", async () => {
    const tasks: Play<never>["tasks"] = ({ hosts }) => {
      const made = token();
      return [once(hosts, [made]), set({ cell: "joined", w: made.output })];
    };
    const { hosts } = await runPlays([all({ tasks, serial: 2 })], three);
    for (const name of three.hosts)
      expect(hosts.get(name)?.state.get("cell:joined")).toMatchObject({ w: "secret-of-the-cluster" });
    const check = await runPlays([all({ tasks })], { ...three, mode: "check" });
    expect(check.ends).toEqual(["a token changed", ...three.hosts.map((name) => `${name} set undecided`)]);
  });

  test("do not block the run if the only fork waits for a later host (-f 1)", async () => {
    const tasks: Play<never>["tasks"] = () => [once(["b"], [put("one")]), put("two")];
    const run = await runPlays([all({ tasks })], { ...three, request: { forks: 1 } });
    expect(ran(run)).toEqual({ a: ["two"], b: ["one", "two"], c: ["two"] });
    // A host that waited continues before a host that has not begun.
    expect(run.ends).toEqual(["b one changed", "b two changed", "a two changed", "c two changed"]);
  });
});

describe("hosts that an earlier play creates", () => {
  const make = say({ text: "node", about: "c" });
  const made = make.output.map((name) => [{ name, address: "10.0.0.9" }]);
  const plays: readonly Play<never>[] = [
    { hosts: "a", tasks: () => [make] },
    { hosts: made, name: "nodes", tasks: ({ host }) => [put(`on-${host.address}`)] },
  ];
  test("run the later play", async () => {
    expect(ran(await runPlays(plays))).toEqual({ a: [], node: ["on-10.0.0.9"] });
  });
  test("are skipped in check mode with a warning", async () => {
    const { ends, events } = await runPlays(plays, { mode: "check" });
    expect(ends).toEqual(["a say node changed"]);
    expect(events.find(({ type }) => type === "warning")).toMatchObject({
      text: expect.stringContaining("nodes is left out") as string,
    });
  });
});
