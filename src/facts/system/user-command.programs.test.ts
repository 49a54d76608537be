import { userInfo } from "node:os";
import { describe, expect, test } from "vitest";
import { readKind } from "../../testing/read-kind.ts";
import { userCommand, userCommandKind } from "./user-command.ts";

const ends = async (argv: readonly string[], rest: object = {}, shell = ["sh", "-c"]): Promise<unknown> => {
  const [answer] = await readKind([userCommand({ argv, ...rest }, { readOnly: true })], { shell });
  return answer?.unreadable ?? answer?.value;
};

describe.each([
  ["sh", "-c"],
  ["bash", "-c"],
  ["busybox", "sh", "-c"],
])("the user's commands under %s", (...shell) => {
  test("reports how each command ended, and runs the next one regardless", async () => {
    const scripts = ["exit 3", "exec cat", "kill -9 $$", "if", "exit 0"];
    const questions = scripts.map((script) => userCommand({ argv: ["sh", "-c", script] }, { readOnly: false }));
    const answers = await readKind(questions, { shell });
    expect(answers.map(({ value }) => (value as { exitCode: number }).exitCode)).toEqual([3, 0, 137, 2, 0]);
    for (const [index, { value, lines }] of answers.entries()) {
      expect(userCommandKind.print?.(value as never, questions[index] as never)).toEqual(lines);
    }
  });
  test("reports 127 if the program does not exist", async () => {
    expect(await ends(["no-such-program", "it's"], {}, shell)).toEqual({ exitCode: 127 });
  });
  test("runs a command in its working directory, and reports a missing directory", async () => {
    expect(await ends(["test", "-e", "passwd"], { cwd: "/etc" }, shell)).toEqual({ exitCode: 0 });
    expect(await ends(["true"], { cwd: "/nowhere" }, shell)).toBe("the working directory /nowhere cannot be entered");
  });
  test.runIf(userInfo().uid === 0)("runs a command as the given user", async () => {
    const isNobody = ["sh", "-c", '[ "$(id -un)" = "$0" ]', "nobody"];
    expect(await ends(isNobody, { user: "nobody" }, shell)).toEqual({ exitCode: 0 });
    expect(await ends(isNobody, { user: "root" }, shell)).toEqual({ exitCode: 1 });
  });
});

test("treats only a command marked readOnly as harmless", () => {
  const harmless = (readOnly: boolean): boolean | undefined =>
    userCommandKind.harmless?.(userCommand({ argv: ["true"] }, { readOnly }));
  expect([harmless(true), harmless(false)]).toEqual([true, false]);
});
