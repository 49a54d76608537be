import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TaskCall } from "../../src/core/authoring/call.ts";
import { block, type Node, on, once } from "../../src/core/authoring/group.ts";
import type { PlayContext } from "../../src/core/authoring/playbook.ts";
import { composite } from "../../src/core/authoring/role.ts";
import type { TaskOptions } from "../../src/core/authoring/task-options.ts";
import type { RunRequest } from "../../src/engine/plan/request.ts";
import { runPlays } from "../engine/runs.ts";
import { say, set } from "../engine/toy-tasks.ts";

const facts = {
  hostname: "a",
  os: { id: "debian", version: "13", like: ["debian"] },
  architecture: "x86_64",
  kernel: "6",
  processors: 1,
  memoryBytes: 1,
  kvm: false,
  addresses: {},
};
type Body = (context: PlayContext<never>) => readonly Node[];
const plays = (...bodies: Body[]) => bodies.map((tasks) => ({ hosts: "all", tasks }));

describe("a task whose `when` or params use a task that has not run yet", () => {
  const kernel = () => say({ text: "x", about: "c" }, { name: "kernel" });
  const motd = (options: TaskOptions) => set({ cell: "c", w: "x" }, { name: "motd", ...options });
  const isX = (from: TaskCall) => from.output.map((text) => text === "x");
  const param = (from: TaskCall) => set({ cell: "c", w: from.output.map(String) }, { name: "motd" });
  const whole = composite(
    { name: "whole", summary: "Take an output", params: z.strictObject({ w: z.string() }), examples: [{ w: "x" }] },
    ({ w }) => [set({ cell: "c", w })],
  );
  const outside = kernel();

  type Lists = (made: TaskCall) => readonly Node[];
  const refused: { at: string; lists: Lists; what: string; hint: string }[] = [
    {
      at: "`changed` of a task that is listed later, so the task was always skipped",
      lists: (made) => [motd({ when: made.changed }), made],
      what: "the `when` of motd uses the outcome of kernel, which is listed later",
      hint: "List kernel before motd",
    },
    {
      at: "`changed` of a task that is listed nowhere, so the task was always skipped",
      lists: (made) => [motd({ when: made.changed })],
      what: "the `when` of motd uses the outcome of kernel, which no play lists",
      hint: "List kernel before motd, or remove it from the `when` of motd",
    },
    {
      at: "a condition on the output of a task that is listed later",
      lists: (made) => [motd({ when: isX(made) }), made],
      what: "the `when` of motd uses the output of kernel, which is listed later",
      hint: "List kernel before motd",
    },
    {
      at: "a condition on the output of a task that is listed nowhere",
      lists: (made) => [motd({ when: isX(made) })],
      what: "the `when` of motd uses the output of kernel, which no play lists",
      hint: "List kernel before motd, or remove it from the `when` of motd",
    },
    {
      at: "a param from a task that is listed later, so the tasks before it changed the host",
      lists: (made) => [motd({}), param(made), made],
      what: "motd uses the output of kernel, which is listed later",
      hint: "List kernel before motd",
    },
    {
      at: "a param from a task that is listed later, although a condition may skip it",
      lists: (made) => {
        const first = say({ text: "y", about: "d" }, { name: "first" });
        return [first, block("b", [param(made)], { when: first.changed }), made];
      },
      what: "motd uses the output of kernel, which is listed later",
      hint: "List kernel before motd",
    },
    {
      at: "a block whose condition is listed nowhere",
      lists: (made) => [block("b", [motd({})], { when: isX(made) })],
      what: 'the `when` of the block "b" uses the output of kernel, which no play lists',
      hint: 'List kernel before the block "b", or remove it from the `when` of the block "b"',
    },
    {
      at: "a block that contains the task of its condition",
      lists: (made) => [block("b", [made, motd({})], { when: isX(made) })],
      what: 'the `when` of the block "b" uses the output of kernel, which is listed later',
      hint: 'List kernel before the block "b"',
    },
    {
      at: "a rescue that uses a task after its block",
      lists: (made) => [block("b", [], { rescue: [param(made)] }), made],
      what: "motd uses the output of kernel, which is listed later",
      hint: "List kernel before motd",
    },
    {
      at: "a composite that uses a task after it",
      lists: (made) => [whole({ w: made.output.map(String) }), made],
      what: "whole uses the output of kernel, which is listed later",
      hint: "List kernel before whole",
    },
    {
      at: "a composite that uses a task that is listed nowhere",
      lists: (made) => [whole({ w: "x" }, { when: made.changed })],
      what: "the `when` of whole uses the outcome of kernel, which no play lists",
      hint: "List kernel before whole, or remove it from the `when` of whole",
    },
  ];

  test.each(refused)("is refused before any host is touched: $at", async ({ lists, what, hint }) => {
    const run = runPlays(plays(() => lists(kernel())));
    await expect(run).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: {
        what,
        where: { host: "a", source: expect.stringMatching(/listed-later\.test\.ts:\d+:\d+$/) as string },
        expected: expect.stringMatching(/^the task from .*listed-later\.test\.ts:\d+:\d+, listed /) as string,
        hint,
      },
    });
  });

  test.each<{ at: string; bodies: Body[]; what: string }>([
    {
      at: "is listed later, and was created outside the plays",
      bodies: [() => [motd({ when: outside.changed }), outside]],
      what: "the `when` of motd uses the outcome of kernel, which is listed later",
    },
    {
      at: "only a later play lists",
      bodies: [() => [param(outside)], () => [outside]],
      what: "motd uses the output of kernel, which only a later play lists",
    },
  ])("is refused if that task $at", async ({ bodies, what }) => {
    await expect(runPlays(plays(...bodies))).rejects.toMatchObject({ code: "E_PLAYBOOK", failure: { what } });
  });

  const accepted: { at: string; bodies: (shared: TaskCall) => Body[]; request?: Partial<RunRequest> }[] = [
    { at: "in an earlier play", bodies: (shared) => [() => [shared], () => [param(shared)]] },
    { at: "in an earlier play, and again later", bodies: (shared) => [() => [shared], () => [param(shared), shared]] },
    { at: "before and after the task", bodies: (shared) => [() => [shared, param(shared), shared]] },
    { at: "in an earlier nested list", bodies: (shared) => [() => [[shared], [[motd({ when: isX(shared) })]]]] },
    { at: "in an earlier block", bodies: (shared) => [() => [block("b", [shared]), motd({ when: shared.changed })]] },
    {
      at: "in a block, and used in its `always`",
      bodies: (shared) => [() => [block("b", [shared], { always: [param(shared)] })]],
    },
    { at: "in a once()", bodies: (shared) => [({ hosts }) => [once(hosts, [shared]), param(shared)]] },
    { at: "on another host", bodies: (shared) => [() => [on("b", [shared]), param(shared)]] },
    {
      at: "for another host of an earlier play",
      bodies: (shared) => [({ host }) => (host.name === "a" ? [shared] : []), () => [param(shared)]],
    },
    {
      at: "in a play whose tasks depend on facts",
      bodies: (shared) => [({ facts: { kernel: v } }) => [v === "6" && shared], () => [param(shared), shared]],
    },
  ];
  test.each(accepted)("is accepted if that task is listed $at", async ({ bodies, request = {} }) => {
    const { result } = await runPlays(plays(...bodies(kernel())), { facts, hosts: ["a", "b"], request });
    expect(result.errors).toEqual([]);
  });
});
