import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FurrowError } from "../../../core/errors.ts";
import type { ControllerFact } from "../../../core/facts/fact.ts";
import type { Driver } from "../../../core/host/driver.ts";
import { absent } from "../../../core/facts/symbols.ts";
import type { Node } from "../../../core/authoring/group.ts";
import { refuse } from "../../../core/authoring/refusal.ts";
import { task } from "../../../core/authoring/task.ts";
import { runPlays } from "../../../../test/engine/runs.ts";
import { cell, set } from "../../../../test/engine/toy-tasks.ts";

test("checks once more at a wait's deadline, and so notices a change in the last interval", async () => {
  const began = performance.now();
  const late = task({ name: "late", summary: "Wait", params: z.strictObject({}), examples: [] })
    .facts(() => ({}))
    .want(() => (performance.now() - began > 450 ? {} : refuse({ code: "not-yet", message: "not yet" })))
    .wait(() => ({ intervalSeconds: 0.2, deadlineSeconds: 0.5, waitsFor: "it" }));
  const run = await runPlays([{ hosts: "all", tasks: () => [late({})] }], { hosts: ["a"] });
  expect(run.result.failed).toEqual([]);
});

describe("a wait in check mode", () => {
  const wait = task({ name: "wait", summary: "Wait", params: z.strictObject({ least: z.number() }), examples: [] })
    .facts(() => ({ it: cell("it") }))
    .want(({ least }, { it }) => {
      if (it !== absent && it.v < 0) return refuse({ code: "never", message: "it never will", final: true });
      return it !== absent && it.v >= least ? {} : refuse({ code: "not-yet", message: "not yet" });
    })
    .wait(() => ({ intervalSeconds: 0.1, deadlineSeconds: 0.1, waitsFor: "it" }))
    .outputs((_p, { it }) => (it === absent ? 0 : it.v));

  const check = async (v: number | undefined, ...before: { readonly v: number }[]) => {
    const cells = { ...(v !== undefined && { it: { v, w: "" } }), other: { v: 1, w: "" } };
    const ready = wait({ least: 1 });
    const tasks = () => [
      ...before.map((one) => set({ cell: "other", ...one })),
      ready,
      set({ cell: "x", v: ready.output }),
    ];
    const { events, result } = await runPlays([{ hosts: "all", tasks }], { cells, mode: "check" });
    const ends = events.flatMap((event) => (event.type === "taskFinished" ? [event] : []));
    const waited = ends.find((end) => end.task.module === "wait");
    return { because: waited?.because, last: ends.at(-1), errors: result.errors.map(({ failure }) => failure.what) };
  };

  test("is ok, and its output is known, if what it waits for has already happened", async () => {
    const { because, last } = await check(7);
    expect(because).toBeUndefined();
    expect(last?.outcome).toBe("changed");
    expect(JSON.stringify(last?.changes)).toContain("7");
  });

  test.each([
    ["what it waits for has not happened", undefined],
    ["what it waits for has happened only in part", 0],
  ])("says what the run would wait for if %s", async (_name, v) => {
    const { because, last, errors } = await check(v);
    expect(because).toBe("would wait for it; now: not yet");
    expect([last?.outcome, errors]).toEqual(["undecided", []]);
  });

  test("is also refused in check mode if waiting cannot help", async () => {
    expect((await check(-1)).errors).toEqual(["it never will"]);
  });

  test("is not decided after an earlier change, on which the state may depend", async () => {
    expect(await check(-1, { v: 2 })).toMatchObject({ because: "would wait for it", errors: [] });
    expect(await check(7, { v: 2 })).toMatchObject({ because: "would wait for it" });
    expect((await check(7, { v: 1 })).because).toBeUndefined();
  });
});

describe("a wait in check mode for one thing that is there already", () => {
  const params = z.strictObject({ about: z.array(z.string()), least: z.number() });
  const wait = task({ name: "wait", summary: "Wait", params, examples: [] })
    .facts(() => ({ it: cell("it") }))
    .want(({ least }, { it }) => {
      if (least > 9) return refuse({ code: "never", message: "it never will", final: true });
      return it !== absent && it.v >= least ? {} : refuse({ code: "not-yet", message: "not yet" });
    })
    .wait(({ about }) => ({ intervalSeconds: 0.1, deadlineSeconds: 0.1, waitsFor: "it", about }))
    .outputs((_p, { it }) => (it === absent ? 0 : it.v));
  const thing = task({
    name: "thing",
    summary: "Change a thing",
    params: z.strictObject({ id: z.string(), isOnly: z.boolean() }),
    examples: [],
    disturbs: () => [],
    changesOnly: ({ id, isOnly }) => (isOnly ? [id] : undefined),
  })
    .facts(({ id }) => ({ own: cell(id) }))
    .want(() => ({ own: { v: 2 } }))
    .steps(({ id }) => [{ step: "run", argv: ["put", id, '{"v":2}'] }]);

  const check = async (before: Node, about: readonly string[], least = 1) => {
    const ready = wait({ about: [...about], least });
    const tasks = () => [before, ready, set({ cell: "x", v: ready.output })];
    const { events, result } = await runPlays([{ hosts: "all", tasks }], {
      cells: { it: { v: 7, w: "" }, a: { v: 1, w: "" }, other: { v: 1, w: "" } },
      mode: "check",
    });
    const ends = events.flatMap((event) => (event.type === "taskFinished" ? [event] : []));
    expect(result.errors).toEqual([]);
    return { because: ends[1]?.because, next: ends[2]?.outcome };
  };
  const changed = thing({ id: "a", isOnly: true });

  test("is ok if the earlier tasks change only other things, but they may still change its output", async () => {
    expect(await check(changed, ["b"])).toEqual({ because: undefined, next: "undecided" });
  });

  test("is not decided if an earlier task changes that thing, or possibly anything", async () => {
    const open = { because: "would wait for it", next: "undecided" };
    expect(await check(changed, ["a"])).toEqual(open);
    expect(await check(thing({ id: "a", isOnly: false }), ["b"])).toEqual(open);
    expect(await check(set({ cell: "other", v: 2 }), ["b"])).toEqual(open);
    expect(await check(changed, [])).toEqual(open);
  });

  test("says what is missing now if an earlier task changes only a part of what it waits for", async () => {
    expect((await check(changed, ["a", "b"], 8)).because).toBe("would wait for it; now: not yet");
    expect((await check(changed, ["b"], 10)).because).toBe("would wait for it; now: it never will");
    expect((await check(changed, ["a", "b"])).because).toBe("would wait for it");
  });
});

test("says in words that something is absent but must be present", async () => {
  const there = task({ name: "there", summary: "Wait", params: z.strictObject({}), examples: [] })
    .facts(() => ({ it: cell("it") }))
    .want(() => ({ it: {} }))
    .wait(() => ({ intervalSeconds: 0.01, deadlineSeconds: 0.01, waitsFor: "it" }));
  const run = await runPlays([{ hosts: "all", tasks: () => [there({})] }]);
  expect(run.result.errors[0]?.failure.details).toEqual(["cell:it: current value is absent, expected present"]);
});

describe("a wait for what a service reports", () => {
  const watch = task({
    name: "watch",
    summary: "Wait",
    params: z.strictObject({ deadlineSeconds: z.number() }),
    examples: [],
  })
    .facts(() => ({ it: { driver: "service", request: "it" } as ControllerFact<string> }))
    .want((_p, { it }) => (it === "done" ? {} : refuse({ code: "not-yet", message: `it is ${it}` })))
    .wait(({ deadlineSeconds }) => ({ intervalSeconds: 0.1, deadlineSeconds, waitsFor: "it" }));
  const denied = new FurrowError("E_DRIVER", {
    what: "cannot read it",
    current: "HTTP 403: you may not",
    hint: "Ask an administrator",
    isLasting: true,
  });
  const runWith = async (read: Driver["read"], deadlineSeconds: number, mode: "check" | "apply" = "apply") => {
    const drivers = () => Promise.resolve({ name: "service", read } satisfies Driver);
    const plays = [{ hosts: "all", tasks: () => [watch({ deadlineSeconds })] }];
    const { result, events } = await runPlays(plays, { hosts: ["a"], request: { drivers }, mode });
    const because = events.flatMap((event) => (event.type === "taskFinished" ? [event.because] : []));
    return { because, error: result.errors[0] };
  };

  test("ends at its deadline even if the service never answers", async () => {
    const began = performance.now();
    const silent: Driver["read"] = (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const { error } = await runWith(silent, 1);
    expect(error?.code).toBe("E_WAIT");
    expect(error?.failure.details).toEqual(["there was no complete answer before the deadline"]);
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("reports the last known reason if the service stops responding before the deadline", async () => {
    let asked = 0;
    const fallsSilent: Driver["read"] = (_request, signal) =>
      (asked += 1) === 1
        ? Promise.resolve("busy")
        : new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const { error } = await runWith(fallsSilent, 1);
    expect(error?.failure.details).toEqual(["it is busy"]);
  });

  test("names the service's reason and its hint at the deadline", async () => {
    const { error } = await runWith(() => Promise.reject(denied), 0.2);
    expect(error).toMatchObject({
      code: "E_WAIT",
      failure: { details: ["cannot read it: HTTP 403: you may not"], hint: "Ask an administrator" },
    });
  });

  test("is refused in check mode if the service denies a request that needs a permission", async () => {
    const { error } = await runWith(() => Promise.reject(denied), 300, "check");
    expect(error).toMatchObject({ code: "E_DRIVER", failure: { current: "HTTP 403: you may not" } });
  });

  test("reports in check mode why the service cannot be queried now", async () => {
    const { isLasting: _, ...passing } = denied.failure;
    const starting = () => Promise.reject(new FurrowError("E_DRIVER", passing));
    expect((await runWith(starting, 300, "check")).because).toEqual([
      "would wait for it; now: cannot read it: HTTP 403: you may not",
    ]);
  });
});
