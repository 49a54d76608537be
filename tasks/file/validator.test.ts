import { expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { playbook } from "../../src/core/authoring/playbook.ts";
import { simulate, type SimulateOptions } from "../../src/testing/simulate.ts";
import * as t from "../index.ts";

const absent = Symbol.for("furrow.absent");
const validated = (): Node => t.file({ path: "/srv/a.json", content: "{}", validate: "jq . %s" });

/** Returns how each task in a play ends in check mode: its outcome, or why it is refused. */
async function checked(tasks: () => Node[], state: object): Promise<unknown[]> {
  const book = playbook({ name: "validated", plays: [{ hosts: "a", tasks }] });
  const { tasks: ends } = await simulate(book, { hosts: ["a"], state: { a: state }, mode: "check" } as SimulateOptions);
  return ends.map(({ outcome, error }) => error?.failure.details?.[0] ?? outcome);
}

test.each([
  { what: "content", task: validated },
  { what: "a line", task: () => t.fileLine({ path: "/srv/a.json", line: "{}", create: true, validate: "jq . %s" }) },
  { what: "a block", task: () => t.fileBlock({ path: "/srv/a.json", block: "{}", create: true, validate: "jq . %s" }) },
  { what: "a command", task: () => t.command({ command: ["jq", "."], always: true }) },
])("check mode refuses $what if the program that it needs is missing", async ({ task }) => {
  expect(await checked(() => [task()], { "program:jq": absent })).toEqual(["refused: no-program"]);
});

test("content is undecided in check mode if an earlier package task installs or removes its validator", async () => {
  const task = validated;
  const there = {
    "package:jq": { present: true, version: "1", complete: true, held: false, manual: true, providedBy: [] },
  };
  const come = await checked(() => [t.package({ name: "jq" }), task()], { "program:jq": absent });
  expect(come).toEqual(["changed", "undecided"]);
  const gone = await checked(() => [t.package({ name: "jq", state: "absent" }), task()], there);
  expect(gone).toEqual(["changed", "undecided"]);
});
