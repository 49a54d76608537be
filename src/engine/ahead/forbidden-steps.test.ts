import { expect, test } from "vitest";
import { z } from "zod";
import { type Ran, runPlays } from "../../../test/engine/runs.ts";
import { cell, performToy, say, set } from "../../../test/engine/toy-tasks.ts";
import type { Session } from "../../core/host/frame.ts";
import { block, type Node } from "../../core/authoring/group.ts";
import { task } from "../../core/authoring/task.ts";
import { ran } from "../../core/facts/ran.ts";
import { SimulatedHost } from "../../transport/simulated.ts";

/** A task that acts in every run, and promises that its step changes nothing. */
const look = task({
  name: "look",
  summary: "Look at the host",
  params: z.strictObject({ at: z.string() }),
  examples: [],
  readsOnly: () => true,
  disturbs: () => [],
})
  .facts((p) => ({ ran: ran(p.at) }))
  .want(() => ({ ran: true }))
  .steps((p) => [{ step: "run", argv: ["look", p.at] }])
  .outputs(() => "seen");

/** A task that manages a thing completely. */
const keep = task({
  name: "keep",
  summary: "Keep a thing",
  params: z.strictObject({ cell: z.string(), v: z.number() }),
  examples: [],
  disturbs: () => [],
  keeps: (p) => [{ id: "thing", name: "the thing", as: { v: p.v } }],
})
  .facts((p) => ({ own: cell(p.cell) }))
  .want((p) => ({ own: { v: p.v } }))
  .steps((p) => [{ step: "run", argv: ["put", p.cell, JSON.stringify({ v: p.v })] }]);

/** Runs tasks. Returns the steps that the host has performed, in the order in which it performed them. */
async function play(
  tasks: readonly Node[],
  oneByOne: boolean,
): Promise<{ ran: Ran; performed: string[]; warnings: string[] }> {
  const performed: string[] = [];
  const host = new SimulatedHost(new Map([["cell:right", { v: 1, w: "" }]]), (step, state) => {
    const argv = step.step === "run" ? step.argv : [];
    performed.push(argv.slice(0, 2).join(" "));
    return performToy(argv, state);
  });
  const connect = (): Promise<Session> => Promise.resolve(host.open());
  const all = await runPlays([{ hosts: "all", tasks: () => tasks }], { request: { connect, oneByOne } });
  const warnings = all.events.flatMap((one) => (one.type === "warning" ? [one.text] : []));
  return { ran: all, performed, warnings };
}

const restore = (when: boolean | ReturnType<typeof look>["changed"]): Node =>
  say({ text: "restore", about: "x" }, { when });
const again = { times: 1, delaySeconds: 0.001 };

test.each<{ what: string; nodes: () => Node[]; performed: string[]; ends: string[] }>([
  {
    what: "is skipped because a command that only reads has not changed anything",
    nodes: () => {
      const probe = look({ at: "db" });
      return [set({ cell: "b", v: 1 }), probe, restore(probe.changed)];
    },
    performed: ["put b", "look db"],
    ends: ["a set b changed", "a look db ok", "a say restore skipped"],
  },
  {
    what: "is skipped because a command that only reads was the first one to act",
    nodes: () => {
      const probe = look({ at: "db" });
      return [set({ cell: "right", v: 1 }), probe, restore(probe.changed)];
    },
    performed: ["look db"],
    ends: ["a set right ok", "a look db ok", "a say restore skipped"],
  },
  {
    what: "follows a task that has nothing to do and whose `until` is false",
    nodes: () => [
      set({ cell: "b", v: 1 }),
      set({ cell: "right", v: 1 }, { until: () => false, retries: again }),
      restore(true),
    ],
    performed: ["put b"],
    ends: ["a set b changed", "a set right failed"],
  },
  {
    what: "follows a task that manages a thing in a different way from an earlier task",
    nodes: () => {
      const first = set({ cell: "b", v: 2 });
      return [first, keep({ cell: "c", v: 1 }), keep({ cell: "d", v: first.output }), restore(true)];
    },
    performed: ["put b", "put c"],
    ends: ["a set b changed", "a keep c changed", "a keep failed"],
  },
  {
    what: "follows the same failure inside a block",
    nodes: () => {
      const first = set({ cell: "b", v: 2 });
      const both = [keep({ cell: "c", v: 1 }), keep({ cell: "d", v: first.output }), restore(true)];
      return [first, block("both", both)];
    },
    performed: ["put b", "put c"],
    ends: ["a set b changed", "a keep c changed", "a keep failed"],
  },
])("the host does not perform a command that $what", async ({ nodes, performed, ends }) => {
  for (const oneByOne of [true, false]) {
    const found = await play(nodes(), oneByOne);
    expect(found.performed).toEqual(performed);
    expect(found.ran.ends).toEqual(ends);
    expect(found.warnings).toEqual([]);
  }
});
