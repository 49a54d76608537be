import { expect, it } from "vitest";
import { z } from "zod";
import { command } from "../../../tasks/command/command.ts";
import { role } from "../authoring/role.ts";
import type { FurrowError } from "../errors.ts";

/** Names that the compiler would refuse. */
interface Loose {
  readonly stdout: Loose;
  readonly chnged: Loose;
  readonly changed: Loose;
  readonly output: Loose;
}

const uname = (): Loose => command({ command: ["uname"], always: true }) as object as Loose;

const site = role({ name: "site", summary: "Keep a site", params: z.strictObject({}) }, () => []);

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

it.each<[string, () => unknown, string]>([
  ["a task", () => `text ${uname() as unknown as string}`, "a task"],
  ["a task in a list", () => ([uname()] as unknown as string[]).join(), "a task"],
  ["a task module", () => `text ${command as unknown as string}`, "the task module command"],
  ["a role", () => `text ${site as unknown as string}`, "the role site"],
  ["a call of a role", () => `text ${site({}) as unknown as string}`, "the role site"],
])("is an error in a text, instead of [object Object] or source code: %s", (_what, read, what) => {
  let seen: unknown;
  try {
    read();
  } catch (error) {
    seen = error;
  }
  expect(seen).toMatchObject({ code: "E_PLAYBOOK", failure: { hint: expect.stringMatching(/^(Call|Use)/) as string } });
  const { failure } = seen as FurrowError;
  expect(failure.what).toMatch(new RegExp(`^${what} is an? (object|function), but is used as a string`));
  expect(failure.where?.source).toMatch(/members\.test\.ts:\d+:\d+$/);
});
