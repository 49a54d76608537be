import { expect, test } from "vitest";
import { runPlays } from "../../../test/engine/runs.ts";
import { cell, say, set } from "../../../test/engine/toy-tasks.ts";
import { z } from "zod";
import { task } from "../../core/authoring/task.ts";

/** A task that reads its param `w` before it names its cell, as tasks that hide secrets do. */
const shy = task({
  name: "shy",
  summary: "Set a word",
  params: z.strictObject({ cell: z.string(), w: z.string() }),
  examples: [],
  disturbs: () => [],
})
  .facts((p) => ({ own: cell(p.w === "" ? "none" : p.cell) }))
  .want((p) => ({ own: { w: p.w } }))
  .steps((p) => [{ step: "run", argv: ["put", p.cell, JSON.stringify({ w: p.w })] }]);

test("names the facts of a task in check mode, even if the task first reads a text that is another task's output", async () => {
  const tasks = () => {
    const text = say({ text: "hello", about: "b" });
    return [text, shy({ cell: "a", w: text.output.map(String) }), set({ cell: "a", w: "x" }, { name: "after" })];
  };
  const { ends } = await runPlays([{ hosts: "all", tasks }], { mode: "check", cells: { a: { v: 1, w: "x" } } });
  expect(ends.at(-1)).toBe("a after undecided");
});
