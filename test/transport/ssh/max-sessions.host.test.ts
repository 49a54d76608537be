import { afterAll, afterEach, describe, expect, test } from "vitest";
import { rmSync, statSync } from "node:fs";
import { command, file } from "../../../tasks/index.ts";
import { readTransferLine } from "../../../src/core/transfer-line.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "../become/accounts.ts";
import { runOnce } from "../one-run.ts";
import { isRoot, makeKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "../sshd.ts";

const key = makeKey(temporaryFolder(), "login_key");
const user = ownName("sessions");
const large = "/var/tmp/furrow-large";
let sshd: Sshd;

if (!isRoot) process.stderr.write("skipped without root: MaxSessions (the test creates a user)\n");

describe.runIf(isRoot)("a host that allows few sessions on one connection", () => {
  afterEach(async () => {
    rmSync(large, { force: true });
    await sshd.stop();
  });
  afterAll(() => {
    removeAccounts();
    removeFolders();
  });

  test.each([
    [1, "ssh", 3],
    [2, "ssh", 2],
    [10, "ssh", 1],
  ] as const)(
    "stays reachable with MaxSessions %d for tasks with and without become, by %s over %d connections",
    async (sessions, transport, connections) => {
      makeUser(user, "unused");
      setSudoers(user, `${user} ALL=(ALL) NOPASSWD: ALL`);
      sshd = await startSshd({ authorizedKeys: [key], config: [`MaxSessions ${sessions}`] });
      const who = (become?: string): ReturnType<typeof command> =>
        command({ command: ["id", "-un"], always: true }, become === undefined ? {} : { become });
      const { tasks, error } = await runOnce({
        connection: {
          transport,
          address: "127.0.0.1",
          port: sshd.port,
          user,
          identityFile: key,
          hostKeyPolicy: "off",
        },
        mode: "apply",
        nodes: [who(), who("root"), who("nobody"), who(), file({ path: large, content: "x".repeat(500_000) })],
      });
      expect(error).toBeUndefined();
      // On a busy machine the upload is slow enough to report its progress.
      const said = tasks.map((one) => (readTransferLine(one.said) === undefined ? one.said : ""));
      expect(said).toEqual([user, "root", "nobody", user, ""]);
      expect(statSync(large).size).toBe(500_000);
      // With one session per connection, data that is too large for a frame needs a fourth connection.
      expect(sshd.connections()).toBe(sessions === 1 ? connections + 1 : connections);
    },
  );
});
