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
