import { expect, test } from "vitest";
import { runPlays } from "../../../test/engine/runs.ts";
import { risky, set } from "../../../test/engine/toy-tasks.ts";
import { block, once } from "../../core/authoring/group.ts";
import type { Play } from "../../core/authoring/playbook.ts";
import { RunText } from "../run-text.ts";

const boom = (name: string): ReturnType<typeof risky> => risky({ cell: name, way: "fails", times: 0 }, { name });
const put = (cell: string): ReturnType<typeof set> => set({ cell, v: 1 }, { name: cell });

/** Returns the plain report of a run. */
async function shown(tasks: Play<never>["tasks"], hosts = ["a"], down: readonly string[] = []): Promise<string[]> {
  const { events } = await runPlays([{ hosts: "all", tasks }], { hosts, down });
  const text = new RunText({ color: false, diff: false, verbose: false, fold: true, folder: "/" });
  return events.flatMap((event) => text.lines(event));
}

test("counts all failures as tolerated if an outer rescue catches them", async () => {
  const inner = block("inner", [boom("first")], { rescue: [boom("second")], always: [boom("third")] });
  const lines = await shown(() => [block("outer", [inner], { rescue: [put("fixed")] })]);
  expect(lines).not.toContain("failed");
  expect(lines).toContain("  a  1 changed, 3 failed, 3 tolerated");
});

test("counts only the failures in the rescue's own block as tolerated", async () => {
  const lines = await shown(() => [block("b", [boom("first")], { rescue: [put("fixed")] }), boom("last")]);
  const failed = lines.slice(lines.indexOf("failed"));
  expect(failed.filter((line) => /first|last/.test(line))).toHaveLength(1);
  expect(lines).toContain("  a  1 changed, 2 failed, 1 tolerated");
});

test("reports a host as failed, not as having nothing to do, if it failed because once() failed on another host", async () => {
  const lines = await shown(({ hosts }) => [once(hosts, [boom("first")]), put("two")], ["a", "b"]);
  expect(lines).toContain("  b  failed before its first task, 2 not reached");
  expect(lines.at(-1)).toMatch(/^0 changed, 0 ok, 1 failed, 1 more host failed, 3 not reached on 2 hosts/);
});
