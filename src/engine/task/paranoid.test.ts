import { expect, test } from "vitest";
import { z } from "zod";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { cell, disturb, provide, set, wreak } from "../../../test/engine/toy-tasks.ts";
import type { Node } from "../../core/authoring/group.ts";
import { block } from "../../core/authoring/group.ts";
import { run } from "../../core/host/step.ts";
import { task } from "../../core/authoring/task.ts";

/** Touches another cell although it declares that it touches none. */
const lie = task({
  name: "lie",
  summary: "Change a cell that the task does not name",
  params: z.strictObject({ cell: z.string(), target: z.string(), back: z.boolean().default(false) }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want(() => ({ own: { v: 1 } }))
  .steps((p) => [
    run`put ${p.cell} ${'{"v":1}'}`,
    run`put ${p.target} ${'{"v":7}'}`,
    p.back && run`put ${p.target} ${'{"v":0}'}`,
  ]);

const cells = { b: { v: 0, w: "x" } };
const play = (...nodes: Node[]): Promise<Ran> =>
  runPlays([{ hosts: "all", tasks: () => nodes }], { cells, request: { paranoid: true } });
const errorOf = ({ result }: Ran): unknown => result.errors[0]?.code;

test("fails a task whose step touches an undeclared fact of a later task", async () => {
  const ran = await play(lie({ cell: "a", target: "b" }), set({ cell: "b", w: "x" }));
  expect(ran.ends).toEqual(["a lie a failed"]);
  const [error] = ran.result.errors;
  expect(error?.code).toBe("E_UNDECLARED");
  expect(error?.failure.what).toBe(
    `the step "put b '{"v":7}'" changed cell:b, which the task neither names nor declares`,
  );
  expect(error?.failure).toMatchObject({ current: "v 0 → 7", where: { host: "a", task: "lie a" } });
  expect(error?.failure.hint).toContain(`disturbs: () => ["cell:b"]`);
});

test("does not notice an undeclared change without --paranoid", async () => {
  const tasks = () => [lie({ cell: "a", target: "b" }), set({ cell: "b", w: "x" })];
  const { result } = await runPlays([{ hosts: "all", tasks }], { cells });
  expect(result.failed).toEqual([]);
});

test("also checks the facts of earlier tasks, of rescues, and of tasks whose params are outputs", async () => {
  const text = set({ cell: "c", v: 2 });
  expect(errorOf(await play(set({ cell: "b", w: "x" }), lie({ cell: "a", target: "b" })))).toBe("E_UNDECLARED");
  const rescued = block("block", [lie({ cell: "a", target: "b" })], { rescue: [set({ cell: "b", w: "x" })] });
  expect((await play(rescued)).events).toContainEqual(expect.objectContaining({ type: "rescued" }));
  const later = set({ cell: text.output.map((v) => (v === 2 ? "b" : "z")), w: "x" });
  expect(errorOf(await play(text, lie({ cell: "a", target: "b" }), later))).toBe("E_UNDECLARED");
});

test("catches an undeclared change even if the next step undoes it", async () => {
  expect(errorOf(await play(lie({ cell: "a", target: "b", back: true }), set({ cell: "b", w: "x" })))).toBe(
    "E_UNDECLARED",
  );
});

test("does not retry the task, because a retry would hide the undeclared change", async () => {
  const { events } = await play(
    lie({ cell: "a", target: "b" }, { retries: { times: 3, delaySeconds: 0 } }),
    set({ cell: "b", w: "x" }),
  );
  expect(events.filter(({ type }) => type === "taskRetry")).toEqual([]);
});

test("accepts changes to declared and provided facts, and tasks without declarations", async () => {
  const ran = await play(
    disturb({ cell: "a", target: "b", v: 3 }),
    provide({ cell: "c", target: "d", v: 1 }),
    wreak({ cell: "e", target: "b", v: 2 }),
    set({ cell: "d", w: "x" }),
    set({ cell: "b", w: "x" }),
  );
  expect(ran.result.errors).toEqual([]);
  expect(ran.ends).toHaveLength(5);
});

test("accepts a change to an undeclared fact that no task names", async () => {
  expect((await play(lie({ cell: "a", target: "z" }))).result.failed).toEqual([]);
});
