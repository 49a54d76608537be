import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { block } from "../../../src/core/authoring/group.ts";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { command, file } from "../../../tasks/index.ts";
import { makeUser, ownName, removeAccounts, setDoas, setPassword, setSudoers } from "./accounts.ts";
import { runOnce } from "../one-run.ts";
import { addressOf, isRoot, makeKey, outputOf, removeFolders, type Sshd, startSshd, temporaryFolder } from "../sshd.ts";

const user = ownName("wrong");
const folder = temporaryFolder();
const key = makeKey(folder, "login_key");
const sudoLog = join(folder, "sudo.log");
const wrong = secretOf("not it", "password");
const { signal } = new AbortController();
let sshd: Sshd;

if (!isRoot) process.stderr.write("skipped without root: refused passwords (the tests create a user)\n");

/** All ways in which a play can retry. */
const stubborn = [
  ...[1, 2, 3].map((number) =>
    file(
      { path: `/tmp/furrow-never-${number}`, content: "x\n" },
      { ignoreFailure: true, retries: { times: 2, delaySeconds: 0.01 } },
    ),
  ),
  file({ path: "/tmp/furrow-never-4", content: "x\n" }, { become: "nobody", ignoreFailure: true, retries: 1 }),
  block("rescued", [command({ command: "true", always: true }, { retries: { times: 2, delaySeconds: 0.01 } })], {
    rescue: [command({ command: "true", always: true })],
    always: [command({ command: "true", always: true })],
  }),
];

describe.runIf(isRoot)("a password", () => {
  beforeAll(() => {
    makeUser(user, "user's own");
    setPassword("root", "root's own");
    setSudoers(user, `Defaults:${user} logfile=${sudoLog}\n${user} ALL=(ALL) ALL`);
    setDoas(`permit ${user}`);
  });
  beforeEach(async () => {
    sshd = await startSshd({ authorizedKeys: [key], config: ["PasswordAuthentication yes", "MaxAuthTries 20"] });
  });
  afterEach(() => sshd.stop());
  afterAll(() => {
    removeAccounts();
    removeFolders();
  });

  const processes = (): number => sshd.log().split("Starting session: command").length - 1;

  test.each(["sudo", "doas", "su"] as const)(
    "is not sent again after %s has refused it, no matter which task needs it",
    async (method) => {
      const connection = {
        address: "127.0.0.1",
        port: sshd.port,
        user,
        identityFile: key,
        hostKeyPolicy: "off" as const,
        become: { method, password: wrong },
      };
      const { tasks, error } = await runOnce({ connection, become: true, mode: "apply", nodes: stubborn });
      expect(error).toMatchObject({
        code: "E_BECOME",
        failure: { current: "the become password is wrong; it was tried once" },
      });
      expect(tasks.length).toBeGreaterThan(5);
      for (const task of tasks) expect(task.error?.code).toBe("E_BECOME");
      // Each attempt is a separate process on the host.
      expect(processes()).toBe(1);
      // Only sudo writes this log, and sudo was tried first.
      const said = readFileSync(sudoLog, "utf8").replaceAll(/\s+/g, " ");
      expect(said.match(/1 incorrect password attempt/g)).toHaveLength(1);
    },
  );

  test("is not sent again after SSH has refused it, no matter which task needs it", async () => {
    const connection = {
      address: "127.0.0.1",
      port: sshd.port,
      user,
      identityFile: [],
      password: wrong,
      hostKeyPolicy: "off" as const,
    };
    const { tasks, error } = await runOnce({ connection, mode: "apply", nodes: stubborn });
    expect(error?.code).toBe("E_AUTH");
    expect(tasks.length).toBeGreaterThan(5);
    expect(sshd.log().match(/Failed password for/g)).toHaveLength(1);
  });

  test("is not sent again by simultaneous logins, whether direct or through a jump host, after SSH has refused it", async () => {
    const transport = new SshTransport();
    const jump = addressOf(sshd.port, { name: "jump", user, password: wrong });
    const direct = Array.from({ length: 5 }, () => transport.connect(jump, signal));
    const behind = ["a", "b", "c"].map((name) =>
      transport.connect(addressOf(sshd.port, { name, identityFiles: [key], jump: [jump] }), signal),
    );
    for (const attempt of await Promise.allSettled([...direct, ...behind])) {
      expect(attempt).toMatchObject({ status: "rejected", reason: { code: "E_AUTH" } });
    }
    expect(sshd.log().match(/Failed password for/g)).toHaveLength(1);
  });

  test("is sent for every login if it is correct", async () => {
    const transport = new SshTransport();
    const address = addressOf(sshd.port, { user, password: secretOf("user's own", "password") });
    const links = await Promise.all([1, 2, 3].map(() => transport.connect(address, signal)));
    for (const link of links) expect(await outputOf(await link.exec("true"))).toMatchObject({ code: 0 });
    await Promise.all(links.map((link) => link.close()));
    expect(sshd.log().match(/Accepted password for/g)).toHaveLength(3);
  });
});
