import { describe, expect, test } from "vitest";
import { z } from "zod";
import { on } from "../../core/authoring/group.ts";
import { composite } from "../../core/authoring/role.ts";
import type { Node } from "../../core/authoring/group.ts";
import { type RunSettings, runPlays } from "../../../test/engine/runs.ts";
import { say, set } from "../../../test/engine/toy-tasks.ts";

const pair = composite(
  { name: "pair", summary: "Set two", params: z.strictObject({ cell: z.string() }), examples: [] },
  ({ cell }) => [set({ cell: `${cell}1`, v: 1 }), set({ cell: `${cell}2`, v: 1 })],
);
const said = say({ text: "x", about: "c" }, { name: "said" });
const absentSaid = say({ text: "x", about: "c" }, { name: "left out", when: false });
const last = set({ cell: "y", v: 1 }, { name: "last" });
const settings = { mode: "check", cells: { y: { v: 1, w: "" } } } as const;
const ends = async (tasks: readonly Node[], own: RunSettings = settings) =>
  (await runPlays([{ hosts: "a", tasks: () => tasks }], { hosts: ["a", "b"], ...own })).ends;

describe("a composite whose params check mode cannot know", () => {
  test("is undecided, names the task that decides, and does not stop the host", async () => {
    const { events, result } = await runPlays([{ hosts: "all", tasks: () => [said, pair({ cell: said.output })] }], {
      ...settings,
    });
    const ended = events.filter((event) => event.type === "taskFinished").at(-1);
    expect(ended).toMatchObject({
      task: { title: "pair", module: "pair" },
      outcome: "undecided",
      dependsOn: { task: "said", facts: ["output"] },
    });
    expect(result.failed).toEqual([]);
  });
  test("marks everything that its tasks may change as unknown", async () => {
    expect(await ends([last, said, pair({ cell: said.output }), last])).toEqual([
      "a last ok",
      "a said changed",
      "a pair undecided",
      "a last undecided",
    ]);
  });
  test("leaves other hosts known, unless its tasks act there", async () => {
    const elsewhere = (node: Node): Node => on("b", [node]);
    expect(await ends([said, elsewhere(pair({ cell: said.output })), last, elsewhere(last)])).toEqual([
      "a said changed",
      "a pair undecided",
      "a last ok",
      "a last undecided",
    ]);
  });
  test("is skipped if its condition does not hold", async () => {
    expect(await ends([said, pair({ cell: said.output }, { when: false, name: "both" }), last])).toEqual([
      "a said changed",
      "a both skipped",
      "a last ok",
    ]);
  });
});

describe.each(["check", "apply"] as const)("a composite whose params come from a skipped task (%s)", (mode) => {
  test("is skipped with that task", async () => {
    const pairing = pair({ cell: absentSaid.output }, { when: false });
    expect(await ends([absentSaid, pairing, last], { ...settings, mode })).toEqual([
      "a left out skipped",
      "a pair skipped",
      "a last ok",
    ]);
  });
  test("fails without a condition of its own", async () => {
    const { result } = await runPlays(
      [{ hosts: "all", tasks: () => [absentSaid, pair({ cell: absentSaid.output }), last] }],
      { ...settings, mode },
    );
    expect(result.errors).toMatchObject([{ code: "E_PARAMS", failure: { hint: expect.stringContaining("earlier") } }]);
  });
});
