import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Node, on, once } from "../../src/core/authoring/group.ts";
import type { Play } from "../../src/core/authoring/playbook.ts";
import { refuse } from "../../src/core/authoring/refusal.ts";
import { task } from "../../src/core/authoring/task.ts";
import type { RunEvent } from "../../src/core/events.ts";
import type { ControllerFact, Json } from "../../src/core/facts/fact.ts";
import { ask, defineKind } from "../../src/core/facts/kind.ts";
import type { Driver } from "../../src/core/host/driver.ts";
import { useWorld } from "../../src/core/world.ts";
import { type Ran, runPlays, type RunSettings } from "./runs.ts";
import { type Cell, cell, risky, set } from "./toy-tasks.ts";

afterEach(() => useWorld());

const waitForCell = task({
  name: "waitForCell",
  summary: "Wait for a number in a cell",
  params: z.strictObject({ cell: z.string(), v: z.number() }),
  examples: [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: { v: p.v } }))
  .wait((p) => ({ intervalSeconds: 0.01, deadlineSeconds: 5, waitsFor: `${p.cell} to be ${p.v}` }));

const service = (request: string): ControllerFact<string> => ({ driver: "service", request });

/**
 * Calls a service, but only if the service reports that it is healthy. The call does not declare that it may change the
 * service's health.
 */
const request = task({
  name: "request",
  summary: "Call a service that is well",
  params: z.strictObject({ as: z.string() }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ health: service("health"), done: service(p.as) }))
  .want((_p, { health }) =>
    health === "well" ? { done: "yes" } : refuse({ code: "not-well", message: `it is ${health}` }),
  )
  .steps((p) => [
    { step: "call", driver: "service", request: p.as, label: `call ${p.as}`, disturbs: [`service:${p.as}`] },
  ]);

/** The answer that a user's own command gives: it may depend on anything. */
const answerKind = defineKind<number>({
  name: "answer",
  summary: "The answer of a user's command",
  facets: {},
  neverAhead: true,
  readsAnything: true,
  read: () => "",
  parse: () => 0,
});

/** Refuses unless the user's command answers 1. */
const needsAnswer = task({
  name: "needsAnswer",
  summary: "Need the answer 1",
  params: z.strictObject({ about: z.string() }),
  examples: [],
})
  .facts((p) => ({ it: ask(answerKind, p.about) }))
  .want((_p, { it }) => (it === 1 ? {} : refuse({ code: "wrong", message: `the answer is ${it}` })))
  .steps(() => []);

/** A service that is healthy until a test changes its state. */
class Service {
  health = "well";
  readonly calls: Json[] = [];
  readonly driver: Driver = {
    name: "service",
    read: async (asked) => (asked === "health" ? this.health : this.calls.includes(asked) ? "yes" : "no"),
    call: async (asked) => void this.calls.push(asked),
  };
}

const right: Cell = { v: 1, w: "" };
const late = set({ cell: "late", v: 1 });
const alsoLate = set({ cell: "late", v: 1 });
const wait = waitForCell({ cell: "ready", v: 1 });
const playOn = (hosts: string, ...tasks: readonly Node[]): Play<never> => ({ hosts, tasks: () => tasks });

/**
 * Runs plays. At the first event of the type `at` that a task of the module `of` causes, the cell `late` becomes 2 and
 * the cell `ready` becomes 1 on every host.
 */
async function run(
  list: readonly Play<never>[],
  { at = "stepOutput", of, ...settings }: RunSettings & { at?: RunEvent["type"]; of?: string } = {},
): Promise<Ran> {
  let hasHappened = false;
  return runPlays(list, {
    cells: { first: right, late: right },
    watch: (event, hosts) => {
      const module = "task" in event && typeof event.task === "object" ? event.task.module : undefined;
      if (event.type !== at || hasHappened || (of !== undefined && module !== of)) return;
      hasHappened = true;
      for (const { state } of hosts.values()) {
        state.set("cell:late", { v: 2, w: "" });
        state.set("cell:ready", right);
      }
    },
    ...settings,
  });
}

const endsOf = ({ ends }: Ran, word: string): string[] => ends.filter((end) => end.includes(word));

describe.each([false, true])("what changes by itself while a run waits (one by one: %s)", (oneByOne) => {
  const one = { request: { oneByOne } };

  test("is seen by the tasks after the wait, although they were read ahead before it", async () => {
    const ran = await run([playOn("a", set({ cell: "first", v: 1 }), wait, late)], one);
    expect([endsOf(ran, "late"), ran.cells["a"]?.["late"]]).toEqual([["a set late changed"], 1]);
  });

  test("is seen by a task that asks for what an earlier task has read", async () => {
    const ran = await run([playOn("a", late, wait, alsoLate)], one);
    expect(endsOf(ran, "late")).toEqual(["a set late ok", "a set late changed"]);
  });

  test("is seen on the other hosts that the tasks act on", async () => {
    const ran = await run([playOn("a", on("b", [late]), wait, on("b", [alsoLate]))], { ...one, hosts: ["a", "b"] });
    expect(endsOf(ran, "late")).toEqual(["a set late ok", "a set late changed"]);
  });

  test("is seen by the tasks after a task that was retried", async () => {
    const retried = risky({ cell: "x", way: "flaky", times: 1 }, { retries: { times: 1, delaySeconds: 0.01 } });
    const ran = await run([playOn("a", late, retried, alsoLate)], { ...one, at: "taskRetry" });
    expect(endsOf(ran, "late")).toEqual(["a set late ok", "a set late changed"]);
  });

  test("is seen by a request to a service: a guard before the wait does not count for a request after it", async () => {
    const cluster = new Service();
    const ran = await run([playOn("a", request({ as: "early" }), wait, request({ as: "late" }))], {
      request: { oneByOne, drivers: () => Promise.resolve(cluster.driver) },
      watch: (event, hosts) => {
        if (event.type !== "stepOutput") return;
        cluster.health = "ill";
        for (const { state } of hosts.values()) state.set("cell:ready", right);
      },
    });
    expect(cluster.calls).toEqual(["early"]);
    expect(ran.result.errors[0]?.message).toContain("it is ill");
  });
});

test("a rerun with nothing to change reads each host once, even with waits, once() and several plays", async () => {
  const tasks = [set({ cell: "first", v: 1 }), once(["a"], [set({ cell: "x", v: 1 })]), late];
  const cells = { first: right, late: right, x: right, ready: right };
  const ran = await runPlays([playOn("all", ...tasks), playOn("all", late)], { hosts: ["a", "b"], cells });
  expect(ran.result.changed).toBe(false);
  expect([...ran.hosts.values()].map(({ counts }) => counts.frames)).toEqual([1, 1]);
  const waiting = await runPlays([playOn("all", set({ cell: "first", v: 1 }), wait, late)], { cells });
  // A wait queries the host only when the wait's turn comes, in a separate frame.
  expect([...waiting.hosts.values()].map(({ counts }) => counts.frames)).toEqual([2]);
});

describe("a later play or batch", () => {
  test("sees what changed by itself while an earlier play waited", async () => {
    const ran = await run([playOn("a", late), playOn("b", wait), playOn("a", alsoLate)], { hosts: ["a", "b"] });
    expect(endsOf(ran, "late")).toEqual(["a set late ok", "a set late changed"]);
  });

  test("sees what an earlier play's change on one host changed on another", async () => {
    const list = [playOn("a", late), playOn("b", set({ cell: "first", v: 3 })), playOn("a", alsoLate)];
    const ran = await run(list, { hosts: ["a", "b"], at: "stepStarted" });
    expect(endsOf(ran, "late")).toEqual(["a set late ok", "a set late changed"]);
  });

  test("asks a user's command on a shared host again for each host: one node is not rebooted because of another's answer", async () => {
    const play: Play<never> = {
      hosts: "all",
      serial: 1,
      tasks: () => [on("c", [needsAnswer({ about: "ready" })]), set({ cell: "rebooted", v: 1 })],
    };
    const ran = await runPlays([play], {
      hosts: ["a", "b"],
      request: { hostNamed: (name) => ({ name, address: name, groups: [], vars: {} }) },
      watch: (event, hosts) => {
        if (event.type === "hostDone") hosts.get("c")?.state.set("answer:ready", 0);
      },
      values: { "answer:ready": 1 },
    });
    expect(endsOf(ran, "rebooted")).toEqual(["a set rebooted changed"]);
    expect(ran.result.errors[0]?.message).toContain("the answer is 0");
  });
});

test("a host that waits for a once() group sees what changed while the group ran", async () => {
  const group = once(
    ["a"],
    [risky({ cell: "x", way: "flaky", times: 1 }, { retries: { times: 1, delaySeconds: 0.1 } })],
  );
  const ran = await run([playOn("all", late, group, alsoLate)], { hosts: ["a", "b"], at: "taskRetry" });
  expect(endsOf(ran, "b set late")).toEqual(["b set late ok", "b set late changed"]);
});

test("a guard whose answer from a service is old asks again right before the next request", async () => {
  let skipped = 0;
  useWorld({
    now: () => performance.now() + skipped,
    sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
    after: (ms, act) => {
      const timer = setTimeout(act, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    every: (ms, act) => {
      const timer = setInterval(act, ms);
      return { cancel: () => clearInterval(timer) };
    },
    random: () => 0.5,
    fill: (bytes) => bytes,
  });
  const cluster = new Service();
  const ran = await runPlays(
    [playOn("a", request({ as: "check" }), set({ cell: "image", v: 1 }), request({ as: "upgrade" }))],
    {
      request: { drivers: () => Promise.resolve(cluster.driver) },
      watch: (event) => {
        if (event.type !== "stepStarted" || event.task.module !== "set") return;
        skipped += 600_000;
        cluster.health = "ill";
      },
    },
  );
  expect(cluster.calls).toEqual(["check"]);
  expect(ran.result.errors[0]?.message).toContain("it is ill");
});
