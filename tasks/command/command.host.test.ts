import { expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import { taskHost } from "../../test/tasks/on-host.ts";
import { user } from "../user/user.ts";
import { command } from "./command.ts";

test("fails if the command does not create the path in `creates`, and reports the expected state", async () => {
  const [end] = await taskHost().apply(command({ command: ["true"], creates: "/nonexistent/furrow/made" }));
  expect(end?.error).toMatchObject({
    code: "E_NOT_CONVERGED",
    failure: {
      what: "all steps have finished, but file:/nonexistent/furrow/made is not in the desired state",
      current: "absent",
      expected: "present",
    },
  });
});

test.each([
  {
    name: "fails after the command",
    guard: { unless: "exit 3" },
    error: {
      code: "E_NOT_CONVERGED",
      failure: {
        what: "the guard (`unless`) still fails after the command: sh -c 'exit 3'",
        current: "exit code 3",
        expected: "exit code 0",
        hint: "Correct the guard, or the command: the guard must succeed once the command has done its work",
      },
    },
  },
  {
    name: "is not on the host",
    guard: { unless: ["no-such-program"] },
    error: {
      code: "E_NOT_CONVERGED",
      failure: {
        what: "the guard (`unless`) still fails after the command: no-such-program",
        current: "exit code 127: a program was not found",
        hint: "Correct the guard, or add an earlier task that installs the program it needs",
      },
    },
  },
  {
    name: "cannot run",
    guard: { unless: ["true"], cwd: "/nonexistent/furrow" },
    error: {
      code: "E_FACT",
      failure: {
        what: "the guard (`unless`) did not finish: true",
        current: "the working directory /nonexistent/furrow cannot be entered",
        hint: "Correct the guard, or fix the cause given in the message",
      },
    },
  },
])("names `unless`, its exit code and what to do if it $name", async ({ guard, error }) => {
  const [end] = await taskHost().apply(command({ command: ["true"], readOnly: true, ...guard }));
  expect(end?.error).toMatchObject(error);
});

test.each([
  { name: "always", guard: { always: true } as const, user: "furrow-nobody" },
  { name: "always, as a numeric user", guard: { always: true } as const, user: "61234" },
  { name: "because of `unless`", guard: { unless: ["false"], readOnly: true }, user: "furrow-nobody" },
  { name: "because of `unless`, which check does not run", guard: { unless: ["false"] }, user: "furrow-nobody" },
  { name: "because of `creates`", guard: { creates: "/nonexistent/made" }, user: "furrow-nobody" },
])("check and run refuse a command that runs $name if its user does not exist", async ({ guard, user: name }) => {
  for (const mode of ["check", "apply"] as const) {
    const [end] = await taskHost()[mode](command({ command: ["true"], user: name, ...guard }));
    expect(end?.error?.code).toBe("E_REFUSED");
    expect(end?.error?.failure.details).toEqual(["refused: no-user"]);
    expect(end?.steps).toEqual([]);
  }
});

test("a command runs, as check predicts, if its user exists or an earlier task creates the user", async () => {
  const name = `furrow-maker-${process.pid}`;
  const host = taskHost();
  const nodes = (): Node[] => [
    command({ command: ["true"], always: true, user: "nobody" }),
    command({ command: ["true"], creates: "/etc/passwd", user: "furrow-nobody" }),
    user({ name, shell: "/bin/sh" }),
    command({ command: ["true"], always: true, user: name }),
  ];
  try {
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](...nodes());
      expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "ok", "changed", "changed"]);
    }
  } finally {
    await host.sh(`userdel -r ${name} 2>/dev/null; true`);
  }
});

test("check does not refuse a missing user whom an earlier command may create", async () => {
  const ends = await taskHost().check(
    command({ command: ["true"], always: true, mayProvide: ["user:furrow-nobody"] }),
    command({ command: ["true"], always: true, user: "furrow-nobody" }),
  );
  expect(ends.map(({ outcome }) => outcome)).not.toContain("failed");
});
