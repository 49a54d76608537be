import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Node } from "../../../src/core/authoring/group.ts";
import { command, directoryTree, file, fileLine, group, sysctl, unarchive, user } from "../../../tasks/index.ts";
import { makeUser, ownName, removeAccounts } from "./accounts.ts";
import { type OneRunEnd, runOnce } from "../one-run.ts";
import { isRoot, makeKey, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const alice = ownName("alice");
const key = makeKey(temporaryFolder(), "login_key");
const folder = mkdtempSync(join(tmpdir(), "furrow-rights-"));
const at = (name: string): string => join(folder, name);
const sh = (script: string): string => execFileSync("sh", ["-c", script], { encoding: "utf8" });
let sshd: Sshd;

if (!isRoot) process.stderr.write("skipped without root: the rights of another user's session\n");

/** Only root may write to `closed`. alice may write to `open`, and, because of an access control list, to `listed`. */
describe.runIf(isRoot)("a session of a user other than root", () => {
  beforeAll(async () => {
    makeUser(alice, "one for all");
    sh(`chmod 755 ${folder}; cd ${folder}; mkdir closed open open/roots listed readonly moved; chown ${alice} open readonly moved; chmod 500 moved
echo x > closed/file; echo x > open/foreign; tar -cf a.tar closed/file; touch open/own; chown ${alice} open/own
mount -t tmpfs -o ro,uid=$(id -u ${alice}) furrow readonly
setfacl -m u:${alice}:rwx listed
usermod -aG games ${alice}
mkdir -m 1777 shared open/sticky; echo x > shared/theirs; echo x > shared/own; echo x > open/sticky/theirs; chown ${alice}: shared/own
for d in tree gone; do mkdir -p open/$d/own/empty; echo x > open/$d/own/roots; chown -R ${alice} open/$d; chown 0:0 open/$d/own/*; done
mkdir -p source/sub trees/top/sub trees/sub/sub trees/file/sub trees/purged/old/roots trees/opened/sub; echo new > source/sub/file
chown -R ${alice} trees; chown 0:0 trees/top trees/sub/sub trees/purged/old/roots; chmod 777 trees/top trees/sub/sub
echo x > trees/file/sub/file; echo x > trees/purged/old/roots/x; chmod 555 trees/opened/sub
mkdir open/tree/closed; echo x > open/tree/closed/x
mkdir -m 700 -p open/unread/shut; chown ${alice} open/unread
mkdir -m 2775 open/daemons; chown ${alice}:daemon open/daemons; chmod g+s open/daemons; mkdir -m 2775 shared/daemons; chown ${alice}:daemon shared/daemons; chmod g+s shared/daemons`);
    sshd = await startSshd({ authorizedKeys: [key] });
  });
  afterAll(async () => {
    await sshd.stop();
    sh(`umount ${at("readonly")}`);
    rmSync(folder, { recursive: true });
    removeAccounts();
    removeFolders();
  });

  const run = (mode: "check" | "apply", nodes: readonly Node[]): Promise<OneRunEnd> =>
    runOnce({
      connection: { address: "127.0.0.1", port: sshd.port, user: alice, identityFile: key, hostKeyPolicy: "off" },
      mode,
      nodes,
    });
  const outcomes = ({ tasks }: OneRunEnd): string[] => tasks.map(({ outcome }) => outcome);
  const wrong = { ignoreFailure: true };

  test.each<[string, string, () => Node]>([
    ["a new file in root's directory", "unwritable", () => file({ path: at("closed/new"), content: "x" }, wrong)],
    [
      "a file below directories that do not exist yet",
      "unwritable",
      () => file({ path: at("closed/a"), state: "directory", parents: true }, wrong),
    ],
    ["a line in root's file", "unwritable", () => fileLine({ path: at("closed/file"), line: "y" }, wrong)],
    ["the removal of root's file", "unwritable", () => file({ path: at("closed/file"), state: "absent" }, wrong)],
    [
      "the mode of another user's directory",
      "not-the-owner",
      () => file({ path: at("open/roots"), state: "directory", mode: "0700" }, wrong),
    ],
    [
      "a file whose new owner is root",
      "not-the-owner",
      () => file({ path: at("open/given"), content: "x", owner: "root" }, wrong),
    ],
    [
      "a root-owned file that would be replaced by another root-owned file",
      "not-the-owner",
      () => fileLine({ path: at("open/foreign"), line: "y" }, wrong),
    ],
    [
      "a file for a group that the user is not in",
      "not-the-owner",
      () => file({ path: at("open/given"), content: "x", group: "daemon" }, wrong),
    ],
    [
      "the user's own file, which would go to a group that the user is not in",
      "not-the-owner",
      () => file({ path: at("open/own"), content: "", group: "daemon" }, wrong),
    ],
    [
      "a directory for a group that the user is not in",
      "not-the-owner",
      () => file({ path: at("open/given"), state: "directory", group: "daemon" }, wrong),
    ],
    [
      "new content of another user's file in a sticky directory",
      "unwritable",
      () => file({ path: at("shared/theirs"), content: "y" }, wrong),
    ],
    [
      "the removal of another user's file in a sticky directory",
      "unwritable",
      () => file({ path: at("shared/theirs"), state: "absent" }, wrong),
    ],
    [
      "the removal of a tree in which a root-owned directory contains a file",
      "unwritable",
      () => file({ path: at("open/tree"), state: "absent", recursive: true }, wrong),
    ],
    [
      "the removal of a tree in which a sticky directory contains another user's file",
      "unwritable",
      () => file({ path: at("open/sticky"), state: "absent", recursive: true }, wrong),
    ],
    ["a group", "needs-root", () => group({ name: "furrow-never" }, wrong)],
    ["a user", "needs-root", () => user({ name: "furrow-never" }, wrong)],
    ["a kernel setting", "needs-root", () => sysctl({ key: "vm.swappiness", value: 61 }, wrong)],
    ["a tree", "unwritable", () => directoryTree({ path: at("closed/tree"), source: import.meta.dirname }, wrong)],
    ...["top", "sub", "file"].map((name): [string, string, () => Node] => [
      `a tree whose ${name} belongs to root`,
      "not-the-owner",
      () => directoryTree({ path: at(`trees/${name}`), source: at("source") }, wrong),
    ]),
    [
      "the purge of a file from a root-owned directory",
      "unwritable",
      () => directoryTree({ path: at("trees/purged"), source: at("source"), purge: true }, wrong),
    ],
  ])("check refuses %s; the run fails, and its hint names the user and become", async (_, code, node) => {
    const checked = await run("check", [node()]);
    expect(checked.tasks[0]?.error?.failure).toMatchObject({ details: [`refused: ${code}`] });
    expect(checked.tasks[0]?.error?.failure.what).toContain(`the task acts as the user ${alice}`);
    const [ran] = (await run("apply", [node()])).tasks;
    expect(ran?.error?.failure.hint).toBe(`Add become: "root" to the task or the play: the task acts as ${alice}`);
  });

  test("check reports a read-only file system instead of missing rights, and the run fails", async () => {
    for (const mode of ["check", "apply"] as const) {
      const { tasks } = await run(mode, [file({ path: at("readonly/x"), content: "x" }, wrong)]);
      expect(tasks.map(({ error }) => error?.code)).toEqual(["E_READ_ONLY"]);
    }
  });

  test("check refuses a command that runs as another user, and the run fails", async () => {
    const node = (): Node => command({ command: ["true"], always: true, user: "daemon" }, wrong);
    const checked = await run("check", [node()]);
    expect(checked.tasks[0]?.error?.failure.details).toEqual(["refused: needs-root"]);
    expect(outcomes(await run("apply", [node()]))).toEqual(["failed"]);
  });

  test("check leaves it undecided whether a tree with an unreadable directory can be removed", async () => {
    const node = (): Node => file({ path: at("open/unread"), state: "absent", recursive: true });
    expect(outcomes(await run("check", [node()]))).toEqual(["undecided"]);
    expect(outcomes(await run("apply", [node()]))).toEqual(["changed"]);
  });

  test("an archive is not unpacked if only root can record that it was unpacked", async () => {
    const without = (): Node => unarchive({ archive: at("a.tar"), path: at("open/app") });
    const checked = await run("check", [without()]);
    expect(checked.tasks[0]?.error?.failure).toMatchObject({
      details: ["refused: needs-root"],
      hint: expect.stringMatching(/^Set creates/) as string,
    });
    const [ran] = (await run("apply", [without()])).tasks;
    expect(ran?.error?.failure.details?.join()).toContain("Set creates, or run as root");
    expect(sh(`find ${at("open/app")} -type f`)).toBe("");
  });

  test.each<[string, () => Node[]]>([
    [
      "with an archive that sets `creates`",
      () => [unarchive({ archive: at("a.tar"), path: at("open/app"), creates: at("open/app/closed/file") })],
    ],
    [
      "in the user's own directory",
      () => [
        file({ path: at("open/dir"), state: "directory" }),
        file({ path: at("open/dir/file"), content: "x", owner: alice }),
        file({ path: at("open/own"), content: "", mode: "0600" }),
        file({ path: at("open/foreign"), state: "absent" }),
      ],
    ],
    [
      "if an earlier task may change the directory's rights",
      () => [
        command({ command: ["chmod", "700", at("moved")], always: true, disturbs: [`file:${at("moved")}`] }),
        file({ path: at("moved/x"), content: "x" }),
      ],
    ],
    ["with a command that names the user", () => [command({ command: ["true"], always: true, user: alice })]],
    [
      "in a sticky directory",
      () => [
        file({ path: at("shared/own"), content: "y" }),
        file({ path: at("shared/new"), content: "y" }),
        file({ path: at("shared/dir"), state: "directory" }),
      ],
    ],
    [
      "for a group that the user is in, or that new files inherit from the directory",
      () => [
        file({ path: at("open/games"), content: "x", group: "games" }),
        file({ path: at("open/daemons/x"), content: "x", group: "daemon" }),
        file({ path: at("open/daemons/x"), content: "x", mode: "0640" }),
        file({ path: at("shared/daemons/x"), content: "x", group: "daemon" }),
      ],
    ],
    [
      "to a tree in which the user's directories contain root-owned files and empty directories",
      () => [file({ path: at("open/gone"), state: "absent", recursive: true })],
    ],
    [
      "in a directory that the task itself makes writable",
      () => [directoryTree({ path: at("trees/opened"), source: at("source") })],
    ],
    ["only because of an access control list", () => [file({ path: at("listed/x"), content: "x" })]],
  ])("check accepts changes that the user may make %s", async (_, nodes) => {
    const checked = outcomes(await run("check", nodes()));
    const ran = outcomes(await run("apply", nodes()));
    expect(ran).toEqual(nodes().map(() => "changed"));
    expect(checked).not.toContain("failed");
  });
});
