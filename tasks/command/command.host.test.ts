import { expect, test } from "vitest";
import { taskHost } from "../../test/tasks/on-host.ts";
import { command } from "./command.ts";

test("fails if the command does not create the path in `creates`, and says what was expected", async () => {
  const [end] = await taskHost().apply(command({ command: ["true"], creates: "/nonexistent/furrow/made" }));
  expect(end?.error).toMatchObject({
    code: "E_NOT_CONVERGED",
    failure: {
      what: "the steps ended, but file:/nonexistent/furrow/made is not in the wanted state",
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
        hint: "Correct the guard, or install the program that it needs in an earlier task",
      },
    },
  },
  {
    name: "cannot run",
    guard: { unless: ["true"], cwd: "/nonexistent/furrow" },
    error: {
      code: "E_FACT",
      failure: {
        what: "the guard (`unless`) could not be run to its end: true",
        current: "the working directory /nonexistent/furrow cannot be entered",
        hint: "Correct the guard, or fix the cause that the message names",
      },
    },
  },
])("names `unless`, its exit code and what to do if it $name", async ({ guard, error }) => {
  const [end] = await taskHost().apply(command({ command: ["true"], readOnly: true, ...guard }));
  expect(end?.error).toMatchObject(error);
});
