import { expect, it } from "vitest";
import { command } from "../../../tasks/command/command.ts";
import type { FurrowError } from "../errors.ts";

/** Names that the compiler would refuse. */
interface Loose {
  readonly stdout: Loose;
  readonly chnged: Loose;
  readonly changed: Loose;
  readonly output: Loose;
}

const uname = (): Loose => command({ command: ["uname"], always: true }) as object as Loose;

it.each<[string, () => unknown, Partial<FurrowError["failure"]>]>([
  [
    "when: conf.chnged, which would mean no condition",
    () => uname().chnged,
    { what: 'a task has no "chnged"', hint: 'Write "changed" instead of "chnged"' },
  ],
  [
    "content: uname.output.stdout, which would be undefined",
    () => uname().output.stdout,
    { what: 'a task\'s output has no "stdout"', hint: expect.stringMatching(/^Use output\.map/) as string },
  ],
  ["a task's own stdout", () => uname().stdout, { hint: expect.stringMatching(/^Use output\.map/) as string }],
  [
    "a value that is derived from an output",
    () => uname().changed.stdout,
    { what: 'a task\'s output has no "stdout"' },
  ],
])("fails and names the line: %s", (_what, read, failure) => {
  let seen: unknown;
  try {
    read();
  } catch (error) {
    seen = error;
  }
  expect(seen).toMatchObject({ code: "E_PLAYBOOK", failure });
  expect((seen as FurrowError).failure.where?.source).toMatch(/members\.test\.ts:\d+:\d+$/);
});

it("lets the members of a task be read, spread and awaited", async () => {
  const task = uname();
  expect(task.changed).toBe(task.changed);
  expect(Object.keys({ ...task })).toContain("output");
  expect(await (task as unknown as Promise<unknown>)).toBe(task);
});
