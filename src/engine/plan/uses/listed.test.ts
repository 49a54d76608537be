import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TaskCall } from "../../../core/authoring/call.ts";
import { block, type Node } from "../../../core/authoring/group.ts";
import type { PlayContext } from "../../../core/authoring/playbook.ts";
import { composite, role } from "../../../core/authoring/role.ts";
import { task } from "../../../core/authoring/task.ts";
import type { TaskOptions } from "../../../core/authoring/task-options.ts";
import { watched } from "../../../core/facts/watched.ts";
import type { RunRequest } from "../request.ts";
import { file } from "../../../../tasks/file/file.ts";
import { service } from "../../../../tasks/service/service.ts";
import { runPlays } from "../../../../test/engine/runs.ts";
import { say, set } from "../../../../test/engine/toy-tasks.ts";

const watch = task({
  name: "watch",
  summary: "Name other tasks",
  params: z.strictObject({ on: watched(), more: z.string().optional() }),
  examples: [],
})
  .facts(() => ({}))
  .want(() => ({}))
  .steps(() => []);

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
const cell = () => set({ cell: "c", v: 1 }, { name: "conf" });
type Body = (context: PlayContext<never>) => readonly Node[];
const plays = (...bodies: Body[]) => bodies.map((tasks) => ({ hosts: "all", tasks }));

describe("a task in restartOn that no play lists, so the file is never written", () => {
  test("is refused before any host is touched, and the error names both tasks", async () => {
    const extra = () => file({ path: "/etc/cron.extra", content: "x\n" });
    const run = runPlays(plays(() => [service({ name: "cron", state: "started", restartOn: [extra()] })]));
    await expect(run).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: {
        what: "service cron names file /etc/cron.extra, which no play lists",
        where: {
          host: "a",
          task: "service cron",
          source: expect.stringMatching(/listed\.test\.ts:\d+:\d+$/) as string,
        },
        expected: expect.stringMatching(/^the task from .*listed\.test\.ts:\d+:\d+, listed in a play$/) as string,
        hint: "List file /etc/cron.extra before service cron, or remove it from the params of service cron",
      },
    });
  });

  const outside = cell();
  test.each<{ at: string; bodies: Body[] }>([
    { at: "created outside the plays", bodies: [() => [watch({ on: [outside] })]] },
    { at: "named in a block's rescue", bodies: [() => [block("b", [], { rescue: [watch({ on: [cell()] })] })]] },
    {
      at: "named by a task that waits for an output",
      bodies: [
        () => {
          const made = say({ text: "x", about: "c" });
          return [made, watch({ on: [cell()], more: made.output.map(String) })];
        },
      ],
    },
    {
      at: "next to a play whose tasks depend on facts",
      bodies: [({ facts: { kernel } }) => [cell(), kernel === "6" && cell()], () => [watch({ on: [cell()] })]],
    },
  ])("is refused if it is $at", async ({ bodies }) => {
    await expect(runPlays(plays(...bodies), { facts })).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: { what: "watch names conf, which no play lists" },
    });
  });

  test("fails the host before its first task if the tasks of the play depend on facts", async () => {
    const body: Body = ({ facts: { kernel } }) => [
      kernel === "6" && say({ text: "x", about: "c" }),
      watch({ on: [cell()] }),
    ];
    const { result, ends } = await runPlays(plays(body), { facts });
    expect(ends).toEqual([]);
    expect(result.errors[0]).toMatchObject({
      code: "E_PLAYBOOK",
      failure: { what: "watch names conf, which no play lists" },
    });
  });
});

describe("an output of a task that no play lists", () => {
  const kernel = () => say({ text: "x", about: "c" }, { name: "kernel" });
  const using = (from: TaskCall, options: TaskOptions = {}) =>
    set({ cell: "c", w: from.output.map(String) }, { name: "motd", ...options });

  test.each<{ at: string; bodies: Body[] }>([
    { at: "created in the play", bodies: [() => [using(kernel())]] },
    { at: "used in a rescue", bodies: [() => [block("b", [], { rescue: [using(kernel())] })]] },
    {
      at: "created outside the plays",
      bodies: ((outside) => [() => [], () => [using(outside)]])(kernel()),
    },
  ])("is refused before any host is touched: $at", async ({ bodies }) => {
    await expect(runPlays(plays(...bodies))).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: {
        what: "motd uses the output of kernel, which no play lists",
        where: { source: expect.stringMatching(/listed\.test\.ts:\d+:\d+$/) as string },
        hint: "List kernel before motd, or remove its output from the params of motd",
      },
    });
  });

  test("is accepted if the task that uses it is skipped on this host", async () => {
    const { ends, result } = await runPlays(
      plays(
        () => [using(kernel(), { when: false })],
        () => [block("b", [using(kernel(), { when: kernel().changed })], { when: false })],
      ),
    );
    expect(ends).toEqual(["a motd skipped", "a motd skipped"]);
    expect(result.errors).toEqual([]);
  });

  test("is refused if a `when` depends on the same task, which used to skip the task that uses it", async () => {
    const run = runPlays(
      plays(() => {
        const made = kernel();
        return [using(made, { when: made.changed })];
      }),
    );
    await expect(run).rejects.toMatchObject({
      code: "E_PLAYBOOK",
      failure: { what: "the `when` of motd uses the outcome of kernel, which no play lists" },
    });
  });

  test("is accepted if another play or another host lists the task", async () => {
    const shared = kernel();
    const bodies: Body[] = [({ host }) => [host.name === "a" && shared], () => [using(shared)]];
    const { result } = await runPlays(plays(...bodies), { hosts: ["a", "b"] });
    expect(result.errors).toEqual([]);
  });
});

describe("a task that restartOn names may be listed in", () => {
  const params = z.strictObject({});
  const own = role({ name: "own", summary: "Both", params }, () => {
    const conf = cell();
    return [block("b", [], { rescue: [conf] }), watch({ on: [conf] })];
  });
  const pair = composite({ name: "pair", summary: "Both", params, examples: [{}] }, () => {
    const conf = cell();
    return [conf, watch({ on: [conf] })];
  });
  /** `shared` is created outside the plays, separately for each case. */
  type Bodies = (shared: TaskCall) => Body[];
  test.each<{ at: string; bodies: Bodies; request?: Partial<RunRequest> }>([
    { at: "an earlier play", bodies: (shared) => [() => [shared], () => [watch({ on: [shared] })]] },
    { at: "a later play", bodies: (shared) => [() => [watch({ on: [shared] })], () => [shared]] },
    {
      at: "a play for other hosts",
      bodies: (shared) => [({ host }) => (host.name === "b" ? [shared] : [watch({ on: [shared] })])],
    },
    { at: "a rescue in a role", bodies: () => [() => [own({})]] },
    { at: "a composite", bodies: () => [() => [pair({})]] },
    {
      at: "a task that --tags leaves out",
      bodies: (shared) => [
        () => [block("b", [shared], { tags: ["other"] }), watch({ on: [shared] }, { tags: ["it"] })],
      ],
      request: { selection: { tags: ["it"], skipTags: [] } },
    },
    {
      at: "a task before --start-at",
      bodies: (shared) => [() => [shared, watch({ on: [shared] }, { name: "begin" })]],
      request: { startAt: "begin" },
    },
    {
      at: "a task that `when` leaves out",
      bodies: (shared) => [() => [block("b", [shared], { when: false }), watch({ on: [shared] })]],
    },
    {
      at: "a play whose tasks depend on facts",
      bodies: (shared) => [({ facts: { kernel } }) => [kernel === "6" && shared], () => [watch({ on: [shared] })]],
    },
    {
      at: "a play for hosts that --limit leaves out",
      bodies: (shared) => [({ host }) => (host.name === "c" ? [shared] : [watch({ on: [shared] })])],
      request: { isLimited: true },
    },
  ])("$at", async ({ bodies, request = {} }) => {
    const { result } = await runPlays(plays(...bodies(cell())), { facts, hosts: ["a", "b"], request });
    expect(result.errors).toEqual([]);
  });

  test("a play that has no hosts", async () => {
    const shared = cell();
    const noHosts = { hosts: "nobody", tasks: () => [shared] };
    const { result } = await runPlays([noHosts, ...plays(() => [watch({ on: [shared] })])]);
    expect(result.errors).toEqual([]);
  });
});
