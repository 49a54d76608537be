import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FurrowError } from "../../../src/core/errors.ts";
import { block } from "../../../src/core/authoring/group.ts";
import type { Node } from "../../../src/core/authoring/group.ts";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import { command, file, user as account } from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import { makeUser, ownName, removeAccounts, setDoas, setPassword, setSudoers } from "./accounts.ts";
import { type OneRunEnd, runOnce } from "../one-run.ts";
import { isRoot, makeKey, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const [alice, bob, carol, later] = ["alice", "bob", "carol", "later"].map(ownName) as [string, string, string, string];
const key = makeKey(temporaryFolder(), "login_key");
const password = secretOf("one for all", "become password");
let sshd: Sshd;
let combinations = 0;

if (!isRoot) process.stderr.write("skipped without root: the table of become (the test creates users)\n");

describe.runIf(isRoot)("the user that a task acts as, set by login, play, block and task", () => {
  beforeAll(async () => {
    for (const name of [alice, bob, carol]) makeUser(name, "one for all");
    setPassword("root", "one for all");
    setSudoers(alice, `${alice} ALL=(ALL) NOPASSWD: ALL`);
    setSudoers(bob, `${bob} ALL=(${carol}) NOPASSWD: ALL`);
    setDoas(`permit nopass ${alice}\npermit nopass ${bob} as ${carol}`);
    sshd = await startSshd({ authorizedKeys: [key] });
  });
  afterAll(async () => {
    await sshd.stop();
    execFileSync("sh", ["-c", `userdel -r -f ${later} 2>/dev/null || :`]);
    removeAccounts();
    removeFolders();
    covered(`${combinations} combinations of login, method, play, block and task become, in check mode and in a run`);
  });

  type Method = "sudo" | "su" | "doas";
  const connection = (login: string, method: Method): Parameters<typeof runOnce>[0]["connection"] => ({
    address: "127.0.0.1",
    port: sshd.port,
    user: login,
    identityFile: key,
    hostKeyPolicy: "off",
    become: { method, ...(method === "su" && { password }) },
  });
  const as = (name: string | undefined): { become?: string } => (name === undefined ? {} : { become: name });
  const name = (who: string | undefined): string => who?.replaceAll(/^furrow-|-\d+$/g, "") ?? "none";

  /** A folder that every user may write to. */
  function openFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), "furrow-become-"));
    chmodSync(folder, 0o1777);
    return folder;
  }
  const ownerOf = (path: string): string =>
    execFileSync("id", ["-un", `${statSync(path).uid}`], { encoding: "utf8" }).trim();
  const outcomes = ({ tasks }: OneRunEnd): string[] => tasks.map(({ title, outcome }) => `${title}: ${outcome}`);
  const failure = (error: FurrowError | undefined): unknown =>
    error && { code: error.code, ...error.failure, where: undefined, cause: undefined };

  const plays: [string | undefined][] = [[undefined], ["root"], [bob]];
  const logins: [string, Method][] = [
    ["root", "sudo"],
    [alice, "sudo"],
    [alice, "su"],
    [alice, "doas"],
  ];

  describe.each(logins)("login %s by %s", (login, method) => {
    test.each(plays)("in a play that becomes %s, each block and task acts as its own user", async (play) => {
      const folder = openFolder();
      const cells: { title: string; path: string; expected: string; node: Node }[] = [];
      for (const inBlock of [undefined, bob]) {
        for (const own of [undefined, "root", bob, carol]) {
          const path = join(folder, `${name(inBlock)}-${name(own)}`);
          const nodes = [
            file({ path, content: "x\n", mode: "0600" }, as(own)),
            command(
              { command: ["sh", "-c", `id -un; id -un >${path}.ran; test -w "$HOME" && pwd`], always: true },
              as(own),
            ),
          ];
          const expected = own ?? inBlock ?? play ?? login;
          cells.push({ title: path, path, expected, node: block(path, nodes, as(inBlock)) });
        }
      }
      combinations += cells.length;
      const run = { connection: connection(login, method), ...as(play), nodes: cells.map(({ node }) => node) };
      try {
        const check = await runOnce({ ...run, mode: "check" });
        const applied = await runOnce({ ...run, mode: "apply" });
        expect(failure(check.error)).toBeUndefined();
        expect(failure(applied.error)).toBeUndefined();
        expect(applied.tasks.map(({ outcome }) => outcome)).toEqual(applied.tasks.map(() => "changed"));
        expect(outcomes(check)).toEqual(outcomes(applied));
        const who = applied.tasks.flatMap(({ said }) => (said === "" ? [] : [said.split("\n")[0]]));
        expect(who).toEqual(cells.map(({ expected }) => expected));
        expect(cells.map(({ path }) => [ownerOf(path), ownerOf(`${path}.ran`)])).toEqual(
          cells.map(({ expected }) => [expected, expected]),
        );
        const again = await runOnce({ ...run, nodes: run.nodes, mode: "check" });
        expect(again.tasks.filter(({ title }) => title.startsWith("file")).map(({ outcome }) => outcome)).toEqual(
          cells.map(() => "ok"),
        );
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    test.each([
      ["a task", {}, { become: "nosuch" }, {}],
      ["a block", {}, {}, { become: "nosuch" }],
      ["a play", { become: "nosuch" }, {}, {}],
      ["a task in another user's play", { become: bob }, { become: "nosuch" }, {}],
      ["a task in root's play", { become: "root" }, { become: "nosuch" }, {}],
    ])("both check and run refuse a user that does not exist, in %s", async (_what, play, own, around) => {
      const folder = openFolder();
      for (const node of [
        command({ command: "true", always: true }, own),
        // The folder exists, so the task has nothing to do.
        file({ path: folder, state: "directory" }, own),
      ]) {
        const run = { connection: connection(login, method), ...play, nodes: [block("around", [node], around)] };
        const check = await runOnce({ ...run, mode: "check" });
        const applied = await runOnce({ ...run, mode: "apply" });
        combinations += 1;
        expect(check.error).toMatchObject({
          code: "E_BECOME",
          failure: {
            current: "there is no user nosuch on the host",
            hint: "Correct the name of the become user, or create that user first",
          },
        });
        expect(failure(applied.error)).toEqual(failure(check.error));
      }
      rmSync(folder, { recursive: true });
    });
  });

  test.each<Method>(["sudo", "doas"])("both check and run refuse a user that %s does not allow", async (method) => {
    for (const own of ["root", alice]) {
      const run = {
        connection: connection(bob, method),
        nodes: [command({ command: "true", always: true }, as(own))],
      };
      const check = await runOnce({ ...run, mode: "check" });
      const applied = await runOnce({ ...run, mode: "apply" });
      combinations += 1;
      expect(check.error?.code).toBe("E_BECOME");
      expect(failure(applied.error)).toEqual(failure(check.error));
    }
    const allowed = {
      connection: connection(bob, method),
      nodes: [command({ command: "id -un", always: true }, as(carol))],
    };
    expect((await runOnce({ ...allowed, mode: "check" })).error).toBeUndefined();
    expect((await runOnce({ ...allowed, mode: "apply" })).tasks[0]?.said).toBe(carol);
  });

  test("check accepts a user that an earlier task creates", async () => {
    const folder = openFolder();
    const path = join(folder, "x");
    const nodes = [account({ name: later }, { become: "root" }), file({ path, content: "x\n" }, { become: later })];
    const asRoot = { connection: connection("root", "sudo"), nodes };
    expect(outcomes(await runOnce({ ...asRoot, mode: "check" }))).toEqual([
      `user ${later}: changed`,
      `file ${path}: changed`,
    ]);
    const asAlice = { connection: connection(alice, "sudo"), nodes };
    const check = await runOnce({ ...asAlice, mode: "check" });
    expect(outcomes(check)).toEqual([`user ${later}: changed`, `file ${path}: undecided`]);
    const applied = await runOnce({ ...asAlice, mode: "apply" });
    expect(failure(applied.error)).toBeUndefined();
    expect(ownerOf(path)).toBe(later);
    rmSync(folder, { recursive: true });
  });
});
