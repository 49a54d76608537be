import { expect, test } from "vitest";
import { z } from "zod";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { cell, performToy, say, set } from "../../../test/engine/toy-tasks.ts";
import type { ControllerFact } from "../../core/facts/fact.ts";
import type { Driver } from "../../core/host/driver.ts";
import type { Session } from "../../core/host/frame.ts";
import type { Node } from "../../core/authoring/group.ts";
import { block } from "../../core/authoring/group.ts";
import { task } from "../../core/authoring/task.ts";
import { SimulatedHost } from "../../transport/simulated.ts";

let calls = 0;
/** Wants a cell to contain the controller's number. A fickle task breaks the contract: its steps differ each time. */
const follows = task({
  name: "follows",
  summary: "Follow the controller",
  params: z.strictObject({ cell: z.string(), fickle: z.boolean().default(false) }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.cell), here: { driver: "here", request: {} } as ControllerFact<number> }))
  .want((_p, { here }) => ({ own: { v: here } }))
  .steps((p, { now }) => {
    const count = p.fickle ? [String((calls += 1))] : [];
    return [{ step: "run", argv: ["put", p.cell, JSON.stringify({ v: now.here }), ...count] }];
  });

/** Runs tasks while the controller's number is 4 in the forecast, and `later` when the tasks' turns come. */
async function play(
  tasks: readonly Node[],
  later: number,
): Promise<{ ran: Ran; performed: string[]; warnings: string[] }> {
  const performed: string[] = [];
  const host = new SimulatedHost(new Map([["cell:c", { v: 4, w: "" }]]), (step, state) => {
    const argv = step.step === "run" ? step.argv : [];
    performed.push(argv.slice(0, 2).join(" "));
    return performToy(argv, state);
  });
  let reads = 0;
  const here: Driver = { name: "here", read: () => Promise.resolve((reads += 1) === 1 ? 4 : later), ahead: () => [] };
  const connect = (): Promise<Session> => Promise.resolve(host.open());
  const request = { connect, drivers: () => Promise.resolve(here) };
  const ran = await runPlays([{ hosts: "all", tasks: () => tasks }], { request });
  const warnings = ran.events.flatMap((one) => (one.type === "warning" ? [one.text] : []));
  return { ran, performed, warnings };
}

const printed = ({ events }: Ran): string[] => events.flatMap((one) => (one.type === "stepOutput" ? [one.text] : []));

test("a command that the host performed too early is reported with its output, and does not run twice", async () => {
  const tasks = [
    set({ cell: "b", v: 1 }),
    follows({ cell: "d", fickle: true }),
    say({ text: "one", about: "x" }),
    set({ cell: "e", v: 1 }),
  ];
  const { ran, performed, warnings } = await play(tasks, 4);
  expect(performed).toEqual(["put b", "put d", "say one", "put e"]);
  expect(ran.ends).toEqual(["a set b changed", "a follows d changed", "a say one changed", "a set e changed"]);
  expect(printed(ran)).toEqual(["one"]);
  expect(warnings).toEqual([
    expect.stringContaining("does not repeat the steps that it has already performed: follows d, say one, set e"),
  ]);
});

test("a task does not act after the host has performed a command of a later task", async () => {
  const { ran, performed } = await play(
    [set({ cell: "b", v: 1 }), follows({ cell: "c" }), say({ text: "one", about: "x" })],
    5,
  );
  expect(performed).toEqual(["put b", "say one"]);
  expect(ran.ends.slice(0, 2)).toEqual(["a set b changed", "a follows c failed"]);
  const errors = ran.events.flatMap((one) => (one.type === "taskFinished" && one.error ? [one.error] : []));
  expect(errors.map(({ code, failure }) => [code, failure.current])).toEqual([["E_REFUSED", "performed: say one"]]);
});

test("if the playbook ignores the task's failure, the later command counts as performed", async () => {
  const tasks = [
    set({ cell: "b", v: 1 }),
    follows({ cell: "c" }, { ignoreFailure: true }),
    say({ text: "one", about: "x" }),
    set({ cell: "e", v: 1 }),
    set({ cell: "f", v: 1 }, { when: true }),
  ];
  const { ran, performed } = await play(tasks, 5);
  expect(performed.filter((one) => one === "say one")).toEqual(["say one"]);
  expect(ran.ends.slice(2)).toEqual(["a say one changed", "a set e changed", "a set f changed"]);
});

test("a rescue does not act after the host has performed a command of a later task", async () => {
  const tasks = [
    set({ cell: "b", v: 1 }),
    block("both", [follows({ cell: "c" }), say({ text: "one", about: "x" })], { rescue: [set({ cell: "r", v: 1 })] }),
  ];
  const { ran, performed } = await play(tasks, 5);
  expect(performed).toEqual(["put b", "say one"]);
  expect(ran.ends).toContain("a set r failed");
});
