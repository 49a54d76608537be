import { describe, expect, test } from "vitest";
import { z } from "zod";
import { block } from "../../core/authoring/group.ts";
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

test("reports the line of a `tasks` function that fails once it has read facts, which used to look like a bug in furrow", async () => {
  const tasks = ({ facts }: { readonly facts: HostFacts }) => [
    say({ text: String((facts as unknown as Record<string, never>)["addresses"]?.["eth9"]?.[0]), about: "c" }),
    say({ text: (facts.kernel as unknown as { readonly no: { readonly name: string } }).no.name, about: "c" }),
  ];
  const { result } = await runPlays([{ hosts: "all", name: "site", tasks }]);
  expect(result.errors[0]).toMatchObject({
    code: "E_PLAYBOOK",
    failure: {
      what: "the `tasks` function of site threw TypeError",
      current: expect.stringContaining("Cannot read properties of undefined") as string,
      where: { host: "a", source: expect.stringMatching(/user-code\.test\.ts:\d+:\d+$/) as string },
      hint: "Correct that line",
    },
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

describe("a `when` that is neither true nor false, which used to skip its task without an error", () => {
  const made = say({ text: "x", about: "c" }, { name: "made" });
  test.each([
    { at: "a text", when: made.output.map(String), current: '"x"' },
    { at: "nothing", when: made.output.map(() => undefined), current: "undefined" },
    { at: "a number", when: made.changed.map(() => 1), current: "1" },
    { at: "an object", when: made.output.map(() => ({})), current: "an object with nothing in it" },
    { at: "the whole output", when: made.output, current: '"x"' },
  ])("fails: $at", async ({ when, current }) => {
    const options = { name: "later", when: when as never };
    const tasks = [made, block("b", [set({ cell: "c", v: 1 }, options)])];
    const { result, ends } = await runPlays([{ hosts: "all", tasks: () => tasks }]);
    expect(ends).toEqual(["a made changed", "a later failed"]);
    expect(result.errors[0]).toMatchObject({
      code: "E_PLAYBOOK",
      failure: {
        what: "the task's `when` is not true or false",
        current,
        expected: "true or false, from the output of made",
        where: { host: "a", task: "later", source: expect.stringMatching(/user-code\.test\.ts:\d+:\d+$/) as string },
      },
    });
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
