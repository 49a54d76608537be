import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { slowLine } from "../../../test/engine/slow-line.ts";
import { cell, disturb, performToy, say, set } from "../../../test/engine/toy-tasks.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { ControllerFact } from "../../core/facts/fact.ts";
import type { Session } from "../../core/host/frame.ts";
import type { Node } from "../../core/authoring/group.ts";
import { block, on } from "../../core/authoring/group.ts";
import { ask, defineKind } from "../../core/facts/kind.ts";
import { run } from "../../core/host/step.ts";
import { task } from "../../core/authoring/task.ts";
import { SimulatedHost } from "../../transport/simulated.ts";

const play = (tasks: readonly Node[], settings: Parameters<typeof runPlays>[1] = {}): Promise<Ran> =>
  runPlays([{ hosts: "all", tasks: () => tasks }], settings);
const framesOf = ({ hosts }: Ran, name = "a"): number => hosts.get(name)?.counts.frames ?? 0;
const warningsOf = ({ events }: Ran): string[] => events.flatMap((one) => (one.type === "warning" ? [one.text] : []));

let calls = 0;
/** A task that breaks the contract: it returns different steps each time. */
const fickle = task({
  name: "fickle",
  summary: "Write a number that cannot be predicted",
  params: z.strictObject({ cell: z.string() }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { w: "done" } }))
  .steps((p) => [run`put ${p.cell} ${JSON.stringify({ w: "done", v: (calls += 1) })}`]);

test("reports a task as changed, with a warning, if its steps differ from those that were sent ahead and performed", async () => {
  const ran = await play([set({ cell: "b", v: 1 }), fickle({ cell: "c" }), set({ cell: "d", v: 1 })]);
  expect(ran.ends).toEqual(["a set b changed", "a fickle c changed", "a set d changed"]);
  expect(warningsOf(ran)).toEqual([expect.stringContaining("sent ahead")]);
  expect(ran.cells["a"]).toMatchObject({ b: 1, d: 1 });
});

test("reports tasks separately, each with its output, although they were sent ahead together", async () => {
  const ran = await play([
    say({ text: "one", about: "x" }),
    set({ cell: "b", v: 1 }),
    say({ text: "two", about: "x" }),
  ]);
  const told = ran.events.flatMap((event) =>
    event.type === "stepStarted"
      ? [`begins ${event.step}`]
      : event.type === "stepOutput"
        ? [`prints ${event.text}`]
        : event.type === "taskFinished"
          ? [`${event.task.title} ${event.outcome}`]
          : [],
  );
  expect(told).toEqual([
    "begins say one cell:x",
    "prints one",
    "say one changed",
    `begins put b '{"v":1}'`,
    "set b changed",
    "begins say two cell:x",
    "prints two",
    "say two changed",
  ]);
  expect(framesOf(ran)).toBe(2);
});

test("sends no steps of tasks that come after a task for another host", async () => {
  const tasks = [set({ cell: "b", v: 1 }), on("z", [set({ cell: "x", v: 1 })]), set({ cell: "c", v: 1 })];
  const ran = await play(tasks, { hosts: ["a", "z"], request: { forks: 1 } });
  expect(ran.ends.slice(0, 3)).toEqual(["a set b changed", "a set x changed", "a set c changed"]);
  expect(framesOf(ran)).toBeGreaterThanOrEqual(3);
});

test("ends the sent frame at a failed step, and starts the rescue from the current state", async () => {
  const fails = task({
    name: "fails",
    summary: "Fail",
    params: z.strictObject({ cell: z.string() }),
    examples: [],
    disturbs: () => [],
  })
    .facts((p) => ({ own: cell(p.cell) }))
    .want(() => ({ own: { v: 9 } }))
    .steps(() => [run`fail`]);
  const ran = await play([
    block("b", [set({ cell: "b", v: 1 }), fails({ cell: "c" }), set({ cell: "never", v: 1 })], {
      rescue: [set({ cell: "c", v: 9 })],
    }),
    set({ cell: "d", v: 1 }),
  ]);
  expect(ran.ends.map((end) => end.replace("a ", ""))).toEqual([
    "set b changed",
    "fails c failed",
    "set c changed",
    "set d changed",
  ]);
  expect(ran.cells["a"]).not.toHaveProperty("never");
  expect(warningsOf(ran)).toEqual([]);
});

/** Wants a cell to contain the controller's number. */
const follows = task({
  name: "follows",
  summary: "Follow the controller",
  params: z.strictObject({ cell: z.string() }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.cell), here: { driver: "here", request: {} } as ControllerFact<number> }))
  .want((_p, { here }) => ({ own: { v: here } }))
  .steps((p, { now }) => [run`put ${p.cell} ${JSON.stringify({ v: now.here })}`]);

const forecastOfWrites = defineKind<{ readonly writes: number }>({
  name: "forecastOfWrites",
  summary: "What an action would do: advice, which no guard checks",
  facets: {},
  advice: true,
  read: () => "",
  parse: () => ({ writes: 0 }),
  print: ({ writes }) => ({ writes: String(writes) }),
});
const heeds = task({
  name: "heeds",
  summary: "Want a word only if the advice says so",
  params: z.strictObject({ cell: z.string() }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.cell), advice: ask(forecastOfWrites, "x") }))
  .want((_p, { advice }) => (advice.writes === 0 ? {} : { own: { w: "heeded" } }))
  .steps((p) => [run`put ${p.cell} ${JSON.stringify({ w: "heeded" })}`]);
const stirs = task({
  name: "stirs",
  summary: "Change the advice, and declare nothing",
  params: z.strictObject({ cell: z.string() }),
  examples: [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { v: 1 } }))
  .steps((p) => [run`put ${p.cell} ${JSON.stringify({ v: 1 })}`, run`stir`]);

test.each([false, true])(
  "asks for advice again before a task relies on it to decide that nothing changes",
  async (oneByOne) => {
    const host = new SimulatedHost(
      new Map<string, unknown>([
        ["forecastOfWrites:x", { writes: 0 }],
        ["cell:c", { v: 0, w: "" }],
      ]),
      (step, state) => {
        const argv = step.step === "run" ? step.argv : [];
        if (argv[0] === "stir") state.set("forecastOfWrites:x", { writes: 1 });
        return performToy(argv, state);
      },
    );
    const connect = (): Promise<Session> => Promise.resolve(host.open());
    const tasks = [set({ cell: "a", v: 1 }), stirs({ cell: "b" }), heeds({ cell: "c" }), set({ cell: "d", v: 1 })];
    const ran = await play(tasks, { request: { connect, oneByOne } });
    expect(ran.ends).toEqual(["a set a changed", "a stirs b changed", "a heeds c changed", "a set d changed"]);
    expect(warningsOf(ran)).toEqual([]);
  },
);

test.each([
  { shows: [], touches: "y", frames: 2 },
  { shows: ["cell:y"], touches: "y", frames: 3 },
  { shows: undefined, touches: "z", frames: 3 },
])("reads local files ahead unless a task changes them: $shows", async ({ shows, touches, frames }) => {
  const here: Driver = { name: "here", read: () => Promise.resolve(4), ...(shows && { ahead: () => shows }) };
  const tasks = [disturb({ cell: "b", target: touches, v: 1 }), follows({ cell: "c" })];
  const ran = await play(tasks, { request: { drivers: () => Promise.resolve(here) } });
  expect(ran.cells["a"]).toMatchObject({ b: 1, c: 4 });
  expect(framesOf(ran)).toBe(frames);
});

describe("a run with several tasks in one open frame", () => {
  const here: Driver = { name: "here", read: () => Promise.resolve(4), ahead: () => [], call: () => Promise.resolve() };
  const slowly = async (tasks: readonly Node[], ahead = here): Promise<{ ran: Ran; overlaps: number }> => {
    let overlaps = 0;
    const host = new SimulatedHost(
      new Map([
        ["cell:c", { v: 4, w: "" }],
        ["cell:y", { v: 2, w: "" }],
      ]),
      (step, state) => performToy(step.step === "run" ? step.argv : [], state),
    );
    const connect = (): Promise<Session> => Promise.resolve(slowLine(host.open(), () => (overlaps += 1)));
    const drivers = (): Promise<Driver> => Promise.resolve(ahead);
    return { ran: await play(tasks, { request: { connect, drivers } }), overlaps };
  };

  test("does not stall at a converged task that reads local files", async () => {
    const tasks = [
      set({ cell: "b", v: 1 }),
      disturb({ cell: "d", target: "y", v: 1 }),
      follows({ cell: "c" }),
      disturb({ cell: "e", target: "y", v: 1 }),
      set({ cell: "y", v: 2 }),
    ];
    const { ran, overlaps } = await slowly(tasks);
    expect(overlaps).toBe(0);
    expect(ran.ends.map((end) => end.replace("a ", ""))).toEqual([
      "set b changed",
      "disturb d changed",
      "follows c ok",
      "disturb e changed",
      "set y ok",
    ]);
  });

  test("once the steps of later tasks have begun, calls no driver for a task that was expected to be converged", async () => {
    let reads = 0;
    const calls = task({
      name: "calls",
      summary: "Call the controller to change its own answer",
      params: z.strictObject({ cell: z.string() }),
      examples: [],
      disturbs: () => [],
    })
      .facts((p) => ({ own: cell(p.cell), here: { driver: "here", request: {} } as ControllerFact<number> }))
      .want(() => ({ here: 4 }))
      .steps(() => [{ step: "call", driver: "here", label: "call", request: {} }]);
    // The cell is converged in the forecast, differs when the task's turn comes, and is converged again after its call.
    let called = false;
    const read = (): Promise<number> => Promise.resolve((reads += 1) === 1 || called ? 4 : 5);
    const call = (): Promise<void> => Promise.resolve(void (called = true));
    const fickleHere = { ...here, read, call };
    const tasks = [set({ cell: "b", v: 1 }), calls({ cell: "c" }), disturb({ cell: "d", target: "y", v: 1 })];
    const { ran, overlaps } = await slowly(tasks, fickleHere);
    expect(overlaps).toBe(0);
    expect(ran.ends).toEqual(["a set b changed", "a calls c failed"]);
    expect(called).toBe(false);
  });
});
