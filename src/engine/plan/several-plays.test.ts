import { describe, expect, test } from "vitest";
import { z } from "zod";
import { block, type Node } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { refuse } from "../../core/authoring/refusal.ts";
import { task } from "../../core/authoring/task.ts";
import { runPlays } from "../../../test/engine/runs.ts";
import { risky, set } from "../../../test/engine/toy-tasks.ts";

const put = (cell: string, v = 1) => set({ cell, v }, { name: cell });
const boom = (name = "boom") => risky({ cell: name, way: "fails", times: 0 }, { name });
const all = (over: Partial<Play<never>>): Play<never> => ({ hosts: "all", tasks: () => [], ...over });
const three = { hosts: ["a", "b", "c"] };

describe("if all hosts of a play fail", () => {
  const one: Play<never> = { hosts: "a", tasks: () => [boom()] };
  const other: Play<never> = { hosts: "b", tasks: () => [put("later")] };
  test.each(["apply", "check"] as const)("later plays for other hosts do not begin: %s", async (mode) => {
    const refused = task({ name: "refused", summary: "Refuse", params: z.strictObject({}), examples: [] })
      .facts(() => ({}))
      .want(() => refuse({ code: "never", message: "not here" }))
      .steps(() => []);
    const plays = [{ ...one, tasks: () => [refused({}, { name: "boom" })] }, other];
    const run = await runPlays(plays, { ...three, mode });
    expect(run.ends).toEqual(["a boom failed"]);
    expect(run.events.filter(({ type }) => type === "runStopping")).toEqual([
      { type: "runStopping", reason: "every host of the play failed, so no later play begins" },
    ]);
    expect(run.result.recap.map(({ host, end }) => `${host} ${end}`)).toEqual(["a failed", "b notStarted"]);
    expect(run.result).toMatchObject({ failed: ["a"], interrupted: false });
  });
  test("later plays do not begin either if the hosts could not be reached", async () => {
    const run = await runPlays([{ ...one, tasks: () => [put("one")] }, other], { ...three, down: ["a"] });
    expect(run.ends).toEqual(["a one unreachable"]);
  });
  test("the run does not say that it stops if no later play has a host", async () => {
    const run = await runPlays([one, { ...one, tasks: () => [put("later")] }], three);
    expect(run.ends).toEqual(["a boom failed"]);
    expect(run.events.filter(({ type }) => type === "runStopping")).toEqual([]);
  });
});

describe("a task that the plays share", () => {
  test("does not count as changed on a host that skipped it, although it changed another host", async () => {
    const listed = set({ cell: "conf", v: 1 }, { name: "conf" });
    const both: Play<never> = all({
      tasks: ({ host }) => [
        block("only a", [listed], { when: host.name === "a" }),
        set({ cell: "restarted", v: 1 }, { name: "restart", when: listed.changed }),
      ],
    });
    const run = await runPlays([both], { hosts: ["a", "b"], request: { forks: 1 } });
    expect(run.ends).toEqual(["a conf changed", "a restart changed", "b conf skipped", "b restart skipped"]);
  });
  test("gives its output to a host that does not list it", async () => {
    const listed = set({ cell: "conf", v: 1 }, { name: "conf" });
    const restart = (): Node[] => [set({ cell: "restarted", v: 1 }, { name: "restart", when: listed.changed })];
    const plays: Play<never>[] = [
      { hosts: "a", tasks: () => [listed] },
      { hosts: "b", tasks: restart },
    ];
    const run = await runPlays(plays, { hosts: ["a", "b"] });
    expect(run.ends).toEqual(["a conf changed", "b restart changed"]);
  });
});
