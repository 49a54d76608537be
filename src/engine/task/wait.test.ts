import { describe, expect, test } from "vitest";
import { z } from "zod";
import { absent } from "../../core/facts/symbols.ts";
import { refuse } from "../../core/authoring/refusal.ts";
import { task } from "../../core/authoring/task.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { cell, set } from "../../../test/engine/toy-tasks.ts";

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
    expect(because).toBe("would wait for it");
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

test("says in words that something is absent but must be present", async () => {
  const there = task({ name: "there", summary: "Wait", params: z.strictObject({}), examples: [] })
    .facts(() => ({ it: cell("it") }))
    .want(() => ({ it: {} }))
    .wait(() => ({ intervalSeconds: 0.01, deadlineSeconds: 0.01, waitsFor: "it" }));
  const run = await runPlays([{ hosts: "all", tasks: () => [there({})] }]);
  expect(run.result.errors[0]?.failure.details).toEqual(["cell:it: current value is absent, expected present"]);
});
