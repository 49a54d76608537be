import { expect, test } from "vitest";
import { z } from "zod";
import { refuse } from "../../core/authoring/refusal.ts";
import { task } from "../../core/authoring/task.ts";
import { runPlays } from "../../../test/engine/runs.ts";

test("checks once more at a wait's deadline, and so notices a change in the last interval", async () => {
  const began = performance.now();
  const late = task({ name: "late", summary: "Wait", params: z.strictObject({}), examples: [] })
    .facts(() => ({}))
    .want(() => (performance.now() - began > 450 ? {} : refuse({ code: "not-yet", message: "not yet" })))
    .wait(() => ({ intervalSeconds: 0.2, deadlineSeconds: 0.5, waitsFor: "it" }));
  const run = await runPlays([{ hosts: "all", tasks: () => [late({})] }], { hosts: ["a"] });
  expect(run.result.failed).toEqual([]);
});
