import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runPlays } from "../../../../test/engine/runs.ts";
import { awaitCell, type say, set } from "../../../../test/engine/toy-tasks.ts";
import { block, type Node } from "../../../core/authoring/group.ts";
import { task } from "../../../core/authoring/task.ts";
import { ran } from "../../../core/facts/ran.ts";

/** Runs a program to find out its exit code. */
const probe = task({
  name: "probe",
  summary: "Ask a program",
  params: z.strictObject({ ways: z.array(z.string()), reads: z.boolean().default(false) }),
  examples: [],
  disturbs: () => [],
  readsOnly: (p) => p.reads,
})
  .facts(() => ({ ran: ran("probe") }))
  .want(() => ({ ran: true }))
  .steps((p) => p.ways.map((way) => ({ step: "run", argv: [way, "x"] })))
  .outputs((_p, _now, results) => results?.at(-1)?.exitCode ?? 0);

const restore = (when: ReturnType<typeof say>["changed"]): Node => set({ cell: "x", v: 1 }, { name: "restore", when });
const isBroken = (asked: ReturnType<typeof probe>) => asked.output.map((code) => code !== 0);

describe("a condition on the output of a task whose failure is ignored", () => {
  test("sees the exit code of the failed step", async () => {
    const asked = probe({ ways: ["fail"] }, { ignoreFailure: true });
    const run = await runPlays([{ hosts: "all", tasks: () => [asked, restore(isBroken(asked))] }]);
    expect(run.ends).toEqual(["a probe failed (ignored)", "a restore changed"]);
  });
  test("sees the same in check mode if the task only reads", async () => {
    const asked = probe({ ways: ["fail"], reads: true }, { ignoreFailure: true });
    const tasks = (): Node[] => [asked, restore(isBroken(asked))];
    const run = await runPlays([{ hosts: "all", tasks }], { mode: "check" });
    expect(run.ends).toEqual(["a probe failed (ignored)", "a restore changed"]);
  });
  test("sees the output that `until` did not accept", async () => {
    const asked = probe({ ways: ["say"] }, { until: () => false, retries: 0, ignoreFailure: true });
    const when = asked.output.map((code) => code === 0);
    const run = await runPlays([{ hosts: "all", tasks: () => [asked, restore(when)] }]);
    expect(run.ends).toEqual(["a probe failed (ignored)", "a restore changed"]);
  });
  test("sees the exit code in a rescue", async () => {
    const asked = probe({ ways: ["fail"] });
    const run = await runPlays([
      { hosts: "all", tasks: () => [block("b", [asked], { rescue: [restore(isBroken(asked))] })] },
    ]);
    expect(run.ends).toEqual(["a probe failed", "a restore changed"]);
  });
  test.each([
    { what: "its last step did not run", asked: () => probe({ ways: ["fail", "say"] }, { ignoreFailure: true }) },
    { what: "its condition is false", asked: () => probe({ ways: ["say"] }, { when: false }) },
  ])("fails if the output is not known because $what", async ({ asked }) => {
    for (const mode of ["check", "apply"] as const) {
      const made = asked();
      const when = made.output.map((code) => code !== 0);
      const run = await runPlays([{ hosts: "all", tasks: () => [made, restore(when)] }], { mode });
      if (mode === "check" && run.ends[0] === "a probe changed") continue;
      expect(run.ends.at(-1)).toBe("a restore failed");
      expect(run.result.errors[0]).toMatchObject({
        code: "E_PARAMS",
        failure: {
          what: expect.stringContaining("condition") as string,
          hint: expect.stringMatching(/^Run /) as string,
        },
      });
    }
  });
  test("fails if --start-at leaves out the task", async () => {
    const asked = probe({ ways: ["say"] });
    const run = await runPlays([{ hosts: "all", tasks: () => [asked, restore(isBroken(asked))] }], {
      request: { startAt: "restore" },
    });
    expect(run.ends).toEqual(["a restore failed"]);
  });
});

test("a condition on `changed` is false for a task that was skipped or has failed", async () => {
  const skipped = set({ cell: "y", v: 1 }, { name: "y", when: false });
  const failed = awaitCell({ cell: "never", v: 1 }, { name: "never", ignoreFailure: true });
  const tasks = (): Node[] => [skipped, failed, restore(skipped.changed), restore(failed.changed)];
  const run = await runPlays([{ hosts: "all", tasks }]);
  expect(run.ends.slice(2)).toEqual(["a restore skipped", "a restore skipped"]);
});
