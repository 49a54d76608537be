import { describe, expect, test } from "vitest";
import { z } from "zod";
import { command } from "../../../../tasks/command/command.ts";
import { file } from "../../../../tasks/file/file.ts";
import { runPlays } from "../../../../test/engine/runs.ts";
import { set } from "../../../../test/engine/toy-tasks.ts";
import { block, type Node } from "../../../core/authoring/group.ts";
import { task } from "../../../core/authoring/task.ts";
import { planNodes } from "../plan.ts";
import { refuseUnknownOutputNames } from "./output-names.ts";

interface Loose {
  readonly [name: string]: string;
}
const setting = { target: "h", path: [], tags: [], when: [], become: undefined };
const check = (nodes: readonly Node[]): void => refuseUnknownOutputNames(planNodes(nodes, setting, ""));
const uname = command({ command: ["uname"], always: true });
/** The same output without its type. */
const own = uname.output as unknown as { readonly map: (make: (output: Loose) => unknown) => never };
const page = (content: never): Node => file({ path: "/etc/motd", content });

describe("a misspelt output name, which used to be found only after earlier tasks had changed the host", () => {
  test.each<{ at: string; nodes: readonly Node[] }>([
    { at: "in map()", nodes: [uname, page(own.map((output: Loose) => output["stdot"]))] },
    {
      at: "in a pattern after known names",
      nodes: [uname, page(own.map(({ stderr, stdot }: Loose) => `${stderr}${stdot}`))],
    },
    { at: "in an object in params", nodes: [uname, set({ cell: "c", w: own.map((o: Loose) => o["stdot"]) })] },
    {
      at: "in a condition of a block",
      nodes: [uname, block("b", [], { when: own.map((output: Loose) => output["stdot"] === "") })],
    },
    {
      at: "in a rescue",
      nodes: [uname, block("b", [], { rescue: [page(own.map((output: Loose) => output["stdot"]))] })],
    },
    {
      at: "in `until`",
      nodes: [command({ command: ["x"], always: true }, { until: (output) => (output as never)["stdot"] === "" })],
    },
  ])("is refused when the tasks are planned: $at", ({ nodes }) => {
    const failure = {
      what: 'the output of command has no "stdot"',
      where: { source: expect.stringMatching(/output-names\.test\.ts:\d+:\d+$/) as string },
      hint: 'Write "stdout" instead of "stdot"',
    };
    expect(() => check(nodes)).toThrow(
      expect.objectContaining({ code: "E_PLAYBOOK", failure: expect.objectContaining(failure) as object }) as Error,
    );
  });
});

describe("is accepted", () => {
  const shape = task({ name: "shape", summary: "Have names from data", params: z.strictObject({}), examples: [] })
    .facts(() => ({}))
    .want(() => ({}))
    .steps(() => [])
    .outputs((_params, _now, results): Loose => Object.fromEntries((results ?? []).map(({ stdout }) => [stdout, ""])));
  const asking = task({ name: "asking", summary: "Have names from facts", params: z.strictObject({}), examples: [] })
    .facts(() => ({}))
    .want(() => ({}))
    .steps(() => [])
    .outputs((_params, now): Loose => ({ known: (now as Loose)["fact"] ?? "" }));
  test.each<{ at: string; nodes: readonly Node[] }>([
    { at: "a known name", nodes: [uname, page(own.map(({ stdout }: Loose) => stdout))] },
    {
      at: "a function that cannot use an empty output",
      nodes: [uname, page(own.map(({ stdout }: Loose) => JSON.parse(stdout ?? "") as unknown))],
    },
    { at: "names that are data", nodes: [shape({}), page(shape({}).output.map((o) => o["eth0"]) as never)] },
    { at: "an output that depends on facts", nodes: [page(asking({}).output.map((o) => o["other"]) as never)] },
    {
      at: "a function that asks with `in`",
      nodes: [uname, page(own.map((output: Loose) => String("stdot" in output)))],
    },
  ])("$at", ({ nodes }) => {
    expect(() => check(nodes)).not.toThrow();
  });
});

test("an `until` that reads no output is not called before the run", async () => {
  let asked = 0;
  const until = (): boolean => (asked += 1) > 0;
  const tasks = (): Node[] => [command({ command: ["x"], always: true }, { until })];
  await runPlays([{ hosts: "all", tasks }], { mode: "check" });
  expect(asked).toBe(0);
});
