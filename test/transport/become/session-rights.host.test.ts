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
setfacl -m u:${alice}:rwx listed`);
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
    ["a group", "needs-root", () => group({ name: "furrow-never" }, wrong)],
    ["a user", "needs-root", () => user({ name: "furrow-never" }, wrong)],
    ["a kernel setting", "needs-root", () => sysctl({ key: "vm.swappiness", value: 61 }, wrong)],
    ["a tree", "unwritable", () => directoryTree({ path: at("closed/tree"), source: import.meta.dirname }, wrong)],
  ])("check refuses %s, and the run fails and names the user and become", async (_, code, node) => {
    const checked = await run("check", [node()]);
    expect(checked.tasks[0]?.error?.failure).toMatchObject({ details: [`refused: ${code}`] });
    expect(checked.tasks[0]?.error?.failure.what).toContain(`the task acts as ${alice}`);
    const [ran] = (await run("apply", [node()])).tasks;
    expect(ran?.error?.failure.hint).toBe(`Add become: "root" to the task or the play: the task acts as ${alice}`);
  });

  test("check refuses a read-only file system before it asks for rights, and the run fails", async () => {
    for (const mode of ["check", "apply"] as const) {
      const { tasks } = await run(mode, [file({ path: at("readonly/x"), content: "x" }, wrong)]);
      expect(tasks.map(({ error }) => error?.code)).toEqual(["E_READ_ONLY"]);
    }
  });

  test("an archive is not unpacked if only root can record that it was unpacked", async () => {
    const without = (): Node => unarchive({ archive: at("a.tar"), to: at("open/app") });
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
      () => [unarchive({ archive: at("a.tar"), to: at("open/app"), creates: at("open/app/closed/file") })],
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
    ["only because of an access control list", () => [file({ path: at("listed/x"), content: "x" })]],
  ])("check accepts changes that the user may make %s", async (_, nodes) => {
    const checked = outcomes(await run("check", nodes()));
    const ran = outcomes(await run("apply", nodes()));
    expect(ran).toEqual(nodes().map(() => "changed"));
    expect(checked).not.toContain("failed");
  });
});
