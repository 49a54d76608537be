import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TaskCall } from "../../core/authoring/call.ts";
import type { ControllerFact } from "../../core/facts/fact.ts";
import { block, nested, type Node } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { refuse } from "../../core/authoring/refusal.ts";
import { task } from "../../core/authoring/task.ts";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { risky, say, set } from "../../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const boom = (name = "boom") => risky({ cell: name, way: "fails", times: 0 }, { name });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });
const three = { hosts: ["a", "b", "c"] };
const ran = ({ cells }: Ran): Record<string, string[]> =>
  Object.fromEntries(Object.entries(cells).map(([host, found]) => [host, Object.keys(found).toSorted()]));

describe("a failed host", () => {
  test("stops while the other hosts continue, and is left out of later plays", async () => {
    const tasks: Play<never>["tasks"] = ({ host }) => [put("one"), host.name === "b" && boom(), put("two")];
    const run = await runPlays([all({ tasks }), all({ tasks: () => [put("later")] })], three);
    expect(ran(run)).toEqual({ a: ["later", "one", "two"], b: ["boom", "one"], c: ["later", "one", "two"] });
    expect(run.result).toMatchObject({ failed: ["b"], unreachable: [], changed: true, interrupted: false });
    expect(run.result.errors[0]).toMatchObject({ code: "E_STEP", failure: { where: { host: "b", task: "boom" } } });
    expect(run.events.filter(({ type }) => type === "hostStopped")).toHaveLength(1);
  });

  test("ends as unreachable at its first task if it cannot be reached", async () => {
    const run = await runPlays([all({ tasks: () => [put("one")] })], { ...three, down: ["b"] });
    expect(run.ends).toContain("b one unreachable");
    expect(run.result).toMatchObject({ failed: [], unreachable: ["b"] });
    expect(run.result.recap.find(({ host }) => host === "b")?.counts).toMatchObject({ unreachable: 1, ok: 0 });
  });

  test.each([
    { what: "any failure is fatal", play: { anyFailureFatal: true }, stopped: true },
    { what: "33 % may fail and 33.3 % do", play: { maxFailPercentage: 33 }, stopped: true },
    { what: "34 % may fail", play: { maxFailPercentage: 34 }, stopped: false },
    { what: "all may fail", play: {}, stopped: false },
    { what: "none may fail", play: { maxFailPercentage: 0 }, stopped: true },
  ])("stops the run if $what: $stopped", async ({ play, stopped }) => {
    for (const down of [[], ["a"]]) {
      const tasks: Play<never>["tasks"] = ({ host }) => [host.name === "a" && down.length === 0 && boom(), put("one")];
      const plays = [all({ ...play, tasks }), all({ tasks: () => [put("later")] })];
      const run = await runPlays(plays, { ...three, down, request: { forks: 1 } });
      expect(run.events.some(({ type }) => type === "runStopping")).toBe(stopped);
      expect("b" in run.cells ? run.cells["b"] : {}).toEqual(stopped ? {} : { one: 1, later: 1 });
      expect(run.result.failed.length + run.result.unreachable.length).toBe(1);
    }
  });
});

test("ends a wait early if it can no longer succeed, and shows the reason", async () => {
  const inVain = task({
    name: "futile",
    summary: "Wait for something that never happens",
    params: z.strictObject({}),
    examples: [],
  })
    .facts(() => ({}))
    .want(() => refuse({ code: "never", message: "it will not come", hint: "Look elsewhere", final: true }))
    .wait(() => ({ intervalSeconds: 1000, deadlineSeconds: 1_000_000, waitsFor: "it" }));
  const run = await runPlays([all({ tasks: () => [inVain({})] })], { hosts: ["a"] });
  expect(run.result.errors[0]).toMatchObject({
    code: "E_WAIT",
    failure: { what: "it will not come", details: ["waited 0 s for it"], hint: "Look elsewhere" },
  });
});

test("reads a refused task's facts again for each retry", async () => {
  const asks: number[] = [];
  const patient = task({ name: "patient", summary: "Refuse twice", params: z.strictObject({}), examples: [] })
    .facts(() => ({ answer: { driver: "counter", request: null } as ControllerFact<number> }))
    .want((_p, { answer }) => (answer < 3 ? refuse({ code: "not-yet", message: "not yet" }) : {}))
    .steps(() => []);
  const read = (): Promise<number> => Promise.resolve(asks.push(asks.length + 1));
  const run = await runPlays([all({ tasks: () => [patient({}, { retries: { times: 5, delaySeconds: 0 } })] })], {
    request: { drivers: () => Promise.resolve({ name: "counter", read }) },
  });
  expect(run.result.errors).toEqual([]);
  expect(asks).toEqual([1, 2, 3]);
});

test("does not connect in check mode to a nested host that does not exist yet, and predicts what it can", async () => {
  const made = say({ text: "made", about: "m" }, { name: "made" });
  const there = made.output.map(() => true);
  const tasks = (): Node[] => [made, nested({ name: "new", address: "10.0.0.9" }, [put("inner")], { there })];
  const plays = [all({ hosts: "a", tasks })];
  const check = await runPlays(plays, { mode: "check", hosts: ["a", "new"], down: ["new"] });
  expect(check.ends).toEqual(["a made changed", "a inner undecided"]);
  expect(check.events.findLast(({ type }) => type === "taskFinished")).toMatchObject({
    dependsOn: { task: "a host that does not exist yet", facts: ["cell:inner"] },
  });
  const run = await runPlays(plays, { hosts: ["a", "new"] });
  expect(run.ends).toEqual(["a made changed", "a inner changed"]);
  expect(run.cells["new"]).toEqual({ inner: 1 });
});

describe("serial", () => {
  test("runs batches one after another", async () => {
    const { ends } = await runPlays([all({ serial: [1, 2], tasks: () => [put("one"), put("two")] })], three);
    expect(ends.slice(0, 2)).toEqual(["a one changed", "a two changed"]);
    expect(new Set(ends.slice(2).map(([host]) => host))).toEqual(new Set(["b", "c"]));
  });
  test("reports where each batch begins, unless there is only one batch", async () => {
    const tasks = (): Node[] => [put("one")];
    const begun = async (serial: Play["serial"]): Promise<unknown[]> => {
      const { events } = await runPlays([all({ ...(serial !== undefined && { serial }), tasks })], three);
      return events.flatMap((event) =>
        event.type === "batchStarted" ? [[event.batch, event.batches, event.hosts]] : [],
      );
    };
    expect(await begun([1, 2])).toEqual([
      [1, 2, ["a"]],
      [2, 2, ["b", "c"]],
    ]);
    expect(await begun(3)).toEqual([]);
    expect(await begun(undefined)).toEqual([]);
  });
  test("stops after a batch in which every host failed, and begins no later batch or play", async () => {
    const tasks: Play<never>["tasks"] = ({ host }) => [host.name === "a" && boom(), put("one")];
    const run = await runPlays([all({ serial: 1, tasks }), all({ tasks: () => [put("later")] })], three);
    expect(run.ends).toEqual(["a boom failed"]);
    expect(run.events.at(-1)).toMatchObject({ type: "runFinished", interrupted: false });
  });
  test("continues if any host in the batch has not failed", async () => {
    const tasks: Play<never>["tasks"] = ({ host }) => [host.name === "a" && boom(), put("one")];
    expect(ran(await runPlays([all({ serial: 2, tasks })], three))).toMatchObject({ b: ["one"], c: ["one"] });
  });
});

describe("a group with rescue and always", () => {
  const group = (inner: readonly TaskCall[], over: object = {}) =>
    block("risky", inner, { rescue: [put("rescued")], always: [put("always")], ...over });
  test.each([
    { what: "no task fails", nodes: () => [group([put("one")]), put("after")], cells: ["after", "always", "one"] },
    {
      what: "a task fails",
      nodes: () => [group([boom(), put("two")]), put("after")],
      cells: ["after", "always", "boom", "rescued"],
    },
    {
      what: "the rescue fails",
      nodes: () => [group([boom()], { rescue: [boom("again"), put("rescued")] }), put("after")],
      cells: ["again", "always", "boom"],
    },
    {
      what: "an inner group fails, and its own rescue catches the failure",
      nodes: () => [block("outer", [group([boom()]), put("two")], { rescue: [put("outer")] })],
      cells: ["always", "boom", "rescued", "two"],
    },
    {
      what: "there is no rescue",
      nodes: () => [block("risky", [boom()], { always: [put("always")] }), put("after")],
      cells: ["always", "boom"],
    },
  ])("runs its parts in order if $what", async ({ nodes, cells }) => {
    const run = await runPlays([all({ tasks: nodes })]);
    expect(ran(run)).toEqual({ a: cells });
    expect(run.result.failed).toEqual(cells.includes("after") || cells.includes("two") ? [] : ["a"]);
  });

  test("reports its first failure, even if its `always` also fails", async () => {
    const tasks: Play<never>["tasks"] = () => [block("b", [boom("first")], { always: [boom("second")] })];
    const { ends, result } = await runPlays([all({ tasks })]);
    expect(ends).toEqual(["a first failed", "a second failed"]);
    expect(result.errors[0]?.failure.where).toMatchObject({ task: "first" });
  });

  test("also catches the loss of a host, which then counts as tolerated", async () => {
    const run = await runPlays([all({ tasks: () => [group([put("one")]), put("after")] })], { lost: { a: "one" } });
    expect(run.ends).toEqual(["a one unreachable", "a rescued changed", "a always changed", "a after changed"]);
    expect(run.result).toMatchObject({ unreachable: [], recap: [{ tolerated: 1 }] });
    expect(run.events.find(({ type }) => type === "rescued")).toMatchObject({ error: { code: "E_UNREACHABLE" } });
  });
});

describe("a task that may fail", () => {
  test("is tried again, and an ignored failure is reported only once", async () => {
    const flaky = (times: number) =>
      risky({ cell: "f", way: "flaky", times }, { name: "flaky", retries: { times: 2, delaySeconds: 0.001 } });
    expect((await runPlays([all({ tasks: () => [flaky(2)] })])).ends).toEqual(["a flaky changed"]);
    const run = await runPlays([all({ tasks: () => [flaky(9)] })]);
    expect(run.ends).toEqual(["a flaky failed"]);
    expect(run.events.filter(({ type }) => type === "taskRetry")).toHaveLength(2);
    const ignored = risky({ cell: "x", way: "lies", times: 0 }, { name: "liar", ignoreFailure: true });
    const { ends, result } = await runPlays([all({ tasks: () => [ignored, put("after")] })]);
    expect(ends).toEqual(["a liar failed (ignored)", "a after changed"]);
    expect(result).toMatchObject({ failed: [], recap: [{ tolerated: 1 }] });
  });
  test("has its failure ignored even if its host is lost", async () => {
    const lost = set({ cell: "one", v: 1 }, { name: "one", ignoreFailure: true });
    const run = await runPlays([all({ tasks: () => [lost, put("after")] })], { lost: { a: "one" } });
    expect(run.ends).toEqual(["a one unreachable (ignored)", "a after changed"]);
  });
  test("runs until `until` accepts its output", async () => {
    let asked = 0;
    const until = say(
      { text: "x", about: "c" },
      { retries: { times: 3, delaySeconds: 0.001 }, until: () => (asked += 1) === 2 },
    );
    expect((await runPlays([all({ tasks: () => [until] })])).ends).toEqual(["a say x changed"]);
    const never = say({ text: "x", about: "c" }, { retries: { times: 1, delaySeconds: 0.001 }, until: () => false });
    const { result } = await runPlays([all({ tasks: () => [never] })]);
    expect(result.errors[0]).toMatchObject({ code: "E_NOT_CONVERGED", failure: { current: '"x"' } });
  });
});

describe("a task", () => {
  const strict = put("one");
  const asked: unknown[] = [];
  const call = {
    ...strict,
    module: {
      ...strict.module,
      steps: (params: never, context: never) => {
        asked.push((context as { change: unknown }).change);
        return strict.module.steps(params, context);
      },
    },
  };
  test("is asked for steps only if something differs", async () => {
    const plays = [all({ tasks: () => [call] })];
    await runPlays(plays, { cells: { one: { v: 1, w: "" } } });
    expect(asked).toEqual([]);
    await runPlays(plays, { cells: { one: { v: 2, w: "" } } });
    expect(asked).toEqual([{ own: { from: { v: 2, w: "" }, to: { v: 1, w: undefined }, paths: ["v"] } }]);
  });
});

describe("a wrong playbook", () => {
  test("is refused before any connection", async () => {
    const plays = [all({ tasks: () => [put("one")] }), all({ tasks: () => [set({ cell: 1 } as never)] })];
    await expect(runPlays(plays)).rejects.toMatchObject({ code: "E_PARAMS" });
    await expect(runPlays([all({ tasks: () => [set] as never })])).rejects.toThrow("something that is not a task");
  });
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  test.each<[string, () => unknown, string]>([
    ["an uncalled task module", () => set, "a task module without a call"],
    ["a task's output", () => put("one").output, "a task's output"],
    ["a function", () => async () => {}, "a function"],
    ["an object that contains itself", () => cycle, "an object that contains itself"],
    ["a number", () => 1, "1"],
  ])("is refused with a description if a play lists %s", async (_what, make, current) => {
    await expect(runPlays([all({ tasks: () => [make()] as never })])).rejects.toMatchObject({
      failure: { what: "a play lists something that is not a task", current },
    });
  });
  test("is refused, and the error names the line of a listed output; for another wrong entry, it names the line of the task before it", async () => {
    const here = expect.stringMatching(/run\.test\.ts:\d+:\d+$/) as string;
    const lists = (node: unknown) => runPlays([all({ tasks: () => [put("one"), node] as never })]);
    await expect(lists(put("two").output)).rejects.toMatchObject({ failure: { where: { source: here } } });
    await expect(lists(1)).rejects.toMatchObject({
      failure: { details: [expect.stringMatching(/^in the list after .*run\.test\.ts:\d+:\d+$/)] },
    });
  });
});
