import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ControllerFact } from "../../core/facts/fact.ts";
import { block } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { FurrowError } from "../../core/errors.ts";
import { task } from "../../core/authoring/task.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { awaitCell, risky, set } from "../../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const boom = (name = "boom") => risky({ cell: name, way: "fails", times: 0 }, { name });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });
const three = { hosts: ["a", "b", "c"] };

describe("a request to stop", () => {
  test("stops every host between two tasks, and marks the run as interrupted", async () => {
    const stop = new AbortController();
    const run = await runPlays([all({ tasks: () => [put("one"), put("two")] }), all({ tasks: () => [put("later")] })], {
      ...three,
      request: { stop: stop.signal, forks: 1 },
      watch: (event) => event.type === "stepStarted" && stop.abort(),
    });
    expect(run.ends).toEqual(["a one changed"]);
    expect(run.result).toMatchObject({ interrupted: true, failed: [], unreachable: [] });
    expect(run.events.at(-1)).toMatchObject({ type: "runFinished", interrupted: true });
  });
  test("reports the playbook error that caused it, and does not mark the run as interrupted", async () => {
    const stop = new AbortController();
    const run = await runPlays([all({ tasks: () => [put("one"), put("two")] })], {
      request: { stop: stop.signal },
      watch: (event) =>
        event.type === "stepStarted" && stop.abort(new FurrowError("E_PLAYBOOK", { what: "a timer threw Error" })),
    });
    expect(run.ends).toEqual(["a one changed"]);
    expect(run.result).toMatchObject({ interrupted: false, failed: [] });
    expect(run.result.recap[0]).toMatchObject({ end: "stopped", left: 1 });
    expect(run.events.find(({ type }) => type === "runStopping")).toMatchObject({
      reason: expect.stringMatching(/^a timer threw Error, so each host finishes its current task/) as string,
    });
  });
  test.each(["stop", "kill"] as const)("lets no task start if it is given before the run: %s", async (order) => {
    const stop = new AbortController();
    const kill = new AbortController();
    stop.abort();
    if (order === "kill") kill.abort();
    const run = await runPlays([all({ tasks: () => [put("one"), put("two")] })], {
      request: { stop: stop.signal, kill: kill.signal },
    });
    expect(run.ends).toEqual([]);
    expect(run.result).toMatchObject({ interrupted: true, failed: [] });
    expect(run.result.recap[0]).toMatchObject({ left: 2 });
    expect(run.events.map(({ type }) => type).slice(0, 2)).toEqual(["runStarted", "runStopping"]);
  });
  test("leaves the rest of a group to the next run, and still reports earlier failures", async () => {
    const stop = new AbortController();
    const tasks: Play<never>["tasks"] = () => [block("b", [boom(), put("two")], { always: [put("always")] })];
    const run = await runPlays([all({ tasks })], {
      request: { stop: stop.signal },
      watch: (event) => event.type === "stepStarted" && stop.abort(),
    });
    expect(run.ends).toEqual(["a boom failed"]);
    expect(run.result).toMatchObject({ interrupted: true, failed: ["a"] });
  });
  const patient = () => {
    const wait = awaitCell({ cell: "never", v: 1 });
    const poll = () => ({ intervalSeconds: 60, deadlineSeconds: 600, waitsFor: "x" });
    return { ...wait, module: { ...wait.module, poll } };
  };
  const flaky = () =>
    risky({ cell: "x", way: "fails", times: 0 }, { name: "flaky", retries: { times: 9, delaySeconds: 60 } });
  test.each([
    { what: "a wait", begins: "taskStarted", tasks: () => [patient(), put("after")], ends: [], failed: [], left: 2 },
    {
      what: "the delay before a retry",
      begins: "taskRetry",
      tasks: () => [flaky(), put("after")],
      ends: ["a flaky failed"],
      failed: ["a"],
      left: 1,
    },
  ])(
    "ends $what immediately, and reports how many tasks were not reached",
    async ({ begins, tasks, ends, failed, left }) => {
      const stop = new AbortController();
      const started = performance.now();
      const run = await runPlays([all({ tasks }), all({ tasks: () => [put("later")] })], {
        request: { stop: stop.signal },
        watch: (event) => event.type === begins && setTimeout(() => stop.abort(), 5),
      });
      expect(performance.now() - started).toBeLessThan(20_000);
      expect(run.ends).toEqual(ends);
      expect(run.result).toMatchObject({ interrupted: true, failed });
      expect(run.result.recap[0]?.left).toBe(left + 1);
    },
  );
  test("reports which hosts did not start, and how many tasks the others have left", async () => {
    const stop = new AbortController();
    const run = await runPlays([all({ tasks: () => [put("one"), put("two")] })], {
      ...three,
      request: { stop: stop.signal, forks: 1 },
      watch: (event) => event.type === "stepStarted" && stop.abort(),
    });
    expect(run.result.recap.map(({ end, left }) => [end, left])).toEqual([
      ["stopped", 1],
      ["notStarted", 2],
      ["notStarted", 2],
    ]);
    expect(run.events.find(({ type }) => type === "runStopping")).toMatchObject({
      reason: expect.stringContaining("press Ctrl-C again to stop") as string,
    });
  });
  test("a failed host reports what it did not reach", async () => {
    const run = await runPlays([
      all({ tasks: () => [put("one"), boom(), put("two")] }),
      all({ tasks: () => [put("three")] }),
    ]);
    expect(run.result.recap[0]).toMatchObject({ end: "failed", left: 2, next: "two" });
  });
  test("a host reports how many tasks it has, and when it has finished a play", async () => {
    const run = await runPlays(
      [all({ tasks: ({ host }) => (host.name === "a" ? [put("one")] : [put("one"), boom()]) })],
      {
        hosts: ["a", "b"],
      },
    );
    const told = run.events.filter(({ type }) => type === "hostPlanned" || type === "hostDone");
    expect(told.filter((event) => "host" in event && event.host === "a")).toEqual([
      { type: "hostPlanned", host: "a", tasks: 1 },
      { type: "hostDone", host: "a" },
    ]);
    expect(told.filter((event) => "host" in event && event.host === "b")).toEqual([
      { type: "hostPlanned", host: "b", tasks: 2 },
    ]);
  });
  test("ends the run on `leave` even if a driver never answers", async () => {
    const [kill, leave] = [new AbortController(), new AbortController()];
    const deaf = task({
      name: "deaf",
      summary: "Ask a driver that never answers",
      params: z.strictObject({}),
      examples: [],
    })
      .facts(() => ({ answer: { driver: "deaf", request: null } as ControllerFact<number> }))
      .want(() => ({}))
      .steps(() => []);
    const started = performance.now();
    const run = await runPlays([all({ tasks: () => [deaf({}), put("after")] })], {
      request: {
        kill: kill.signal,
        leave: leave.signal,
        drivers: () => Promise.resolve({ name: "deaf", read: () => new Promise(() => {}) }),
      },
      watch: (event) => {
        if (event.type !== "taskStarted") return;
        kill.abort();
        leave.abort();
      },
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(run.events.at(-1)).toMatchObject({ type: "runFinished", interrupted: true });
    expect(run.result.recap[0]).toMatchObject({ end: "stopped", left: 2 });
  });
  test("interrupts the running task if it is repeated, and counts the task as failed, not as unreached", async () => {
    const kill = new AbortController();
    const slow = task({
      name: "slow",
      summary: "Ask a driver that answers late",
      params: z.strictObject({}),
      examples: [],
    })
      .facts(() => ({ answer: { driver: "slow", request: null } as ControllerFact<number> }))
      .want(() => ({}))
      .steps(() => []);
    const read = (_: unknown, signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("cut"))));
    const run = await runPlays([all({ tasks: () => [slow({}), put("two"), put("three")] })], {
      request: { kill: kill.signal, drivers: () => Promise.resolve({ name: "slow", read }) },
      watch: (event) => event.type === "taskStarted" && setTimeout(() => kill.abort(), 5),
    });
    expect(run.ends).toEqual(["a slow failed"]);
    expect(run.result.recap[0]).toMatchObject({ counts: { failed: 1 }, left: 2 });
  });
  test("ends a wait if it is repeated", async () => {
    const kill = new AbortController();
    const slow = patient();
    const started = performance.now();
    const run = await runPlays([all({ tasks: () => [slow] })], {
      request: { kill: kill.signal },
      watch: (event) => event.type === "taskStarted" && setTimeout(() => kill.abort(), 5),
    });
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(run.result.interrupted).toBe(true);
    expect(run.result.failed).toEqual([]);
  });
});
