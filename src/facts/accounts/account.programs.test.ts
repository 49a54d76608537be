import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
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

describe("accounts of a directory service", () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-directory-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const env = { PATH: `${folder}:${process.env["PATH"]}` };
  const program = (name: string, text: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const getent = `d=$1; shift
if [ "$d" = passwd ]; then
  [ $# -gt 0 ] || echo 'john smith:*:5002:5000::/home/john:/bin/sh'
  case $1 in alice) echo 'alice:*:5001:5000:Alice:/home/alice:/bin/bash'; exit;; esac
  exec /usr/bin/getent passwd "$@"
fi
for k; do case $k in
5000|'domain users') echo 'domain users:*:5000:';;
5003) echo 'domain admins:*:5003:alice';;
*) /usr/bin/getent $d "$k" || code=2;;
esac; done
exit \${code:-0}`;
  const id = `case "$*" in
*alice) case $1 in -nG) echo "domain users domain admins 5009 lp"; exit 1;; *) echo "5000 5003 5009 7";; esac;;
*daemon) case $1 in -nG) echo "daemon domain admins";; *) echo "1 5003";; esac;;
*) exec /usr/bin/id "$@";;
esac`;

  test("are read with names that contain spaces, and as accounts that are not in /etc/passwd and /etc/group", async () => {
    program("getent", getent);
    program("id", id);
    const questions = [user("alice", ["local"]), user("daemon", ["local"])];
    const answers = await readKind(questions, { env });
    const groups = ["5009", "domain admins", "lp"];
    expect(answers.map(({ value }) => value)).toEqual([
      expect.objectContaining({ group: "domain users", groups, local: false, elsewhere: groups }),
      expect.objectContaining({
        group: "daemon",
        groups: ["domain admins"],
        local: true,
        elsewhere: ["domain admins"],
      }),
    ]);
    answers.forEach(({ value, lines }, at) => {
      expect(userKind.print?.(value as UserState, questions[at] ?? user("x"))).toEqual(lines);
    });
    const asked = [group("domain users", ["local"]), group("daemon", ["local"])];
    const found = await readKind(asked, { env });
    expect(found.map(({ value }) => value)).toMatchObject([
      { gid: 5000, primaryOf: ["john smith"], local: false },
      { gid: 1, local: true },
    ]);
    found.forEach(({ value, lines }, at) => {
      expect(groupKind.print?.(value as GroupState, asked[at] ?? group("x"))).toEqual(lines);
    });
  });

  test("are unreadable if the name service does not answer", async () => {
    program("getent", `case $1 in group) exit 3;; esac\n${getent}`);
    program("id", id);
    const [unnamed] = await readKind([user("alice")], { env });
    expect(unnamed?.unreadable).toBe("getent group exited with code 3");
    program("getent", getent);
    program("id", "exit 1");
    const [ungrouped] = await readKind([user("alice")], { env });
    expect(ungrouped?.unreadable).toBe("id -G exited with code 1");
  });
});

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
