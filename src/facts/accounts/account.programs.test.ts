import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { absent } from "../../core/facts/symbols.ts";
import { readKind } from "../../testing/read-kind.ts";
import { group, groupKind, type GroupState, user, userKind, type UserState } from "./account.ts";

const root = execFileSync("getent", ["passwd", "root"], { encoding: "utf8" }).trim().split(":");

describe.each([{ shell: ["sh", "-c"] }, { shell: ["busybox", "sh", "-c"] }, { shell: ["bash", "-c"] }])(
  "users and groups in $shell.0",
  ({ shell }) => {
    test("are read by name, and are printed back as the lines that they were read from", async () => {
      const questions = [user("root"), user("nosuch"), user("daemon"), user("0")];
      const answers = await readKind(questions, { shell });
      expect(answers.map(({ value }) => value)).toMatchObject([
        { uid: 0, group: "root", home: root[5], shell: root[6] },
        absent,
        { uid: 1, group: "daemon", shell: "/usr/sbin/nologin" },
        absent,
      ]);
      answers.forEach(({ value, lines }) => {
        expect(userKind.print?.(value as UserState, user("x"))).toEqual(lines);
      });
    });

    test("include, for a group, the users whose primary group it is", async () => {
      const answers = await readKind([group("root"), group("nosuch")], { shell });
      expect(answers.map(({ value }) => value)).toMatchObject([
        { gid: 0, primaryOf: expect.arrayContaining(["root"]) as string[] },
        absent,
      ]);
      answers.forEach(({ value, lines }) => {
        expect(groupKind.print?.(value as GroupState, group("x"))).toEqual(lines);
      });
    });
  },
);

describe("a user's prediction", () => {
  test("adds new groups to the current ones", () => {
    const before = {
      uid: 5,
      group: "a",
      groups: ["x"],
      member: { x: true },
      home: "/h",
      shell: "/s",
      comment: "",
    } as const;
    const after = userKind.predict?.(before, { member: { docker: true } }, { user: "root" });
    expect(after).toMatchObject({ uid: 5, groups: ["docker", "x"], member: { docker: true, x: true } });
  });
  test("contains a password only as a seal", () => {
    const wanted = userKind.bind?.({ password: "$6$x" }, user("a", ["password"]));
    expect(wanted).toEqual({ passwordSeal: expect.stringMatching(/^sealed:[0-9a-f]{64}$/) as string });
  });
});
