import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { HostFacts } from "../../core/authoring/playbook.ts";
import { task } from "../../core/authoring/task.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { say, set } from "../../../test/engine/toy-tasks.ts";

describe("an error in the playbook's code", () => {
  const broken = (): never => {
    throw new TypeError("x is not a function");
  };
  const made = say({ text: "x", about: "c" });
  const own = task({ name: "own", summary: "Break", params: z.strictObject({}), examples: [] })
    .facts(() => ({}))
    .want(broken)
    .steps(() => []);
  test.each([
    { what: "`until` threw TypeError", tasks: [say({ text: "x", about: "c" }, { name: "bad", until: broken })] },
    {
      what: "the function given to map() threw TypeError",
      tasks: [made, set({ cell: "c", w: made.output.map(broken) }, { name: "bad" })],
    },
    {
      what: "the function given to map() threw TypeError",
      tasks: [made, set({ cell: "c", v: 1 }, { name: "bad", when: made.output.map(broken) })],
    },
    { what: "playbook code threw TypeError", tasks: [own({}, { name: "bad" })] },
  ])("is reported with its task and position: $what", async ({ what, tasks }) => {
    const { result } = await runPlays([{ hosts: "all", tasks: () => tasks }]);
    expect(result.errors[0]).toMatchObject({
      code: "E_PLAYBOOK",
      failure: {
        what,
        current: "x is not a function",
        where: { host: "a", task: "bad", source: expect.stringMatching(/user-code\.test\.ts:\d+:\d+$/) as string },
      },
    });
  });
});

test("reports an `until` that returns a promise", async () => {
  const late = (() => Promise.resolve(false)) as unknown as () => boolean;
  const tasks = [say({ text: "x", about: "c" }, { name: "late", until: late, retries: 0 })];
  const { result } = await runPlays([{ hosts: "all", tasks: () => tasks }]);
  expect(result.errors[0]).toMatchObject({
    code: "E_PLAYBOOK",
    failure: {
      what: "`until` returned a promise, but its result is needed immediately",
      where: { host: "a", task: "late" },
    },
  });
});

test("refuses `become: true` on a task, because only a play accepts it", async () => {
  const become = true as unknown as string;
  const run = runPlays([{ hosts: "all", tasks: () => [say({ text: "x", about: "c" }, { name: "root", become })] }]);
  await expect(run).rejects.toMatchObject({
    code: "E_PLAYBOOK",
    failure: { hint: 'Write become: "root"; only a play accepts true' },
  });
});

test("reports a fact that is used only inside map(), and shows the correct code", async () => {
  const made = say({ text: "x", about: "c" });
  const tasks = ({ facts }: { facts: HostFacts }) => [
    made,
    set({ cell: "c", w: made.output.map(() => facts.os.id) }, { name: "bad" }),
  ];
  const { result } = await runPlays([{ hosts: "all", tasks }]);
  expect(result.errors[0]).toMatchObject({
    code: "E_PLAYBOOK",
    failure: { current: expect.stringContaining("const os = facts.os") as string, where: { task: "bad" } },
  });
});
