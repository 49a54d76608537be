import { expect, test } from "vitest";
import { planNodes } from "../plan.ts";
import { checkConflicts } from "./conflicts.ts";
import { file } from "../../../../tasks/file/file.ts";
import { secretOf } from "../../../core/secrets/secret.ts";

const plan = (target: string, ...contents: (string | ReturnType<typeof secretOf>)[]): ReturnType<typeof planNodes> =>
  planNodes(
    contents.map((content) => file({ path: "/etc/agreed", content })),
    { target, path: [], tags: [], when: [], become: undefined },
    "",
  );

test("finds a conflict on each host that has it, even if an earlier list on that host had none", () => {
  expect(() => checkConflicts(plan("a", "one", "one"))).not.toThrow();
  expect(() => checkConflicts(plan("b", "one", "two"))).toThrow(/different values/);
  expect(() => checkConflicts(plan("b", "one", "one"))).not.toThrow();
  expect(() => checkConflicts(plan("b", "one", "two"))).toThrow(/different values/);
});

test("distinguishes secrets by value, not by name", () => {
  const one = secretOf("one", "password");
  expect(() => checkConflicts(plan("a", one, one))).not.toThrow();
  expect(() => checkConflicts(plan("a", one, secretOf("two", "password")))).toThrow(/different values/);
});
