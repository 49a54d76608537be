import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ignoreAll } from "../../src/core/host/frame.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import type { Become } from "../../src/core/host/transport.ts";
import { file } from "../../src/facts/files/file.ts";
import { openFrameSession } from "../../src/transport/frame/session/session.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "./become/accounts.ts";
import { addressOf, isRoot, makeKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "./sshd.ts";

const { signal } = new AbortController();
const user = ownName("goodbye");
const password = "user's own";
const key = makeKey(temporaryFolder(), "login_key");
const run = "goodbye";
let sshd: Sshd;
let jumpHost: Sshd;
/** The number of tests started so far, including retries, because no two runs may have the same name. */
let attempts = 0;

if (!isRoot)
  process.stderr.write("skipped without root: the remains of a session on a host (the test creates a user)\n");

/** Claims, journals and folders that this test's runs have left on this machine. */
function left(): string[] {
  return ["/run/furrow", ...readdirSync("/tmp").map((name) => `/tmp/${name}`)]
    .filter((folder) => /furrow(-\d+)?$/.test(folder) && existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
    .filter((path) => path.includes(run));
}

/**
 * Processes that a session has left running: shells that it opened, sudo, and the process that maintains its
 * connection. Sessions of test files that run at the same time are in other mount namespaces (test/private-run.sh).
 */
function running(): string[] {
  const own = readlinkSync("/proc/self/ns/mnt");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/ns/mnt`) !== own) return [];
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return words.includes(`sshd: ${user}`) || words.includes("echo start-") ? [`${pid} ${words}`] : [];
      } catch {
        return [];
      }
    });
}

const sudo: Become = { method: "sudo", user: "root" };
const nopasswd = `${user} ALL=(ALL) NOPASSWD: ALL`;
const ways: readonly { name: string; login?: string; become?: Become; sudoers?: string; jump?: true }[] = [
  { name: "root", login: "root" },
  { name: "a user" },
  { name: "sudo", become: sudo, sudoers: nopasswd },
  { name: "sudo with use_pty", become: sudo, sudoers: `Defaults:${user} use_pty\n${nopasswd}` },
  { name: "sudo without use_pty", become: sudo, sudoers: `Defaults:${user} !use_pty\n${nopasswd}` },
  { name: "sudo with requiretty", become: sudo, sudoers: `Defaults:${user} requiretty\n${nopasswd}` },
  {
    name: "sudo with a password",
    become: { ...sudo, password: secretOf(password, "become password") },
    sudoers: `${user} ALL=(ALL) ALL`,
  },
  { name: "su", become: { method: "su", user: "root" }, login: "root" },
  { name: "through a jump host", login: "root", jump: true },
];

describe.runIf(isRoot)("a session that ends without waiting leaves nothing on the host", () => {
  beforeAll(async () => {
    makeUser(user, password);
    sshd = await startSshd({ authorizedKeys: [key] });
    jumpHost = await startSshd({ authorizedKeys: [key] });
  });
  afterAll(async () => {
    await sshd.stop();
    await jumpHost.stop();
    removeAccounts();
    removeFolders();
  });

  test.each(ways.flatMap((way) => [false, true].map((acts) => ({ ...way, acts }))))(
    "$name, acts: $acts",
    async ({ login = user, become, sudoers, jump, acts }) => {
      setSudoers(user, sudoers);
      const onTerminal = become?.method === "su" || sudoers?.includes(" requiretty") === true;
      const transport = new SshTransport();
      attempts += 1;
      for (let time = 0; time < 3; time += 1) {
        const via = jump === true ? [addressOf(jumpHost.port, { user: "root", identityFiles: [key] })] : [];
        const address = addressOf(sshd.port, { user: login, identityFiles: [key], jump: via });
        const link = await transport.connect(address, signal);
        const claim = { id: `${run}${attempts}x${time}`, holder: "anna@laptop", since: "now", waitSeconds: undefined };
        const session = await openFrameSession({ host: "h", link, user: login, become, signal, run: claim });
        try {
          const steps = { item: "steps", task: "0", title: "acts", steps: [{ step: "run", argv: ["true"] }] } as const;
          // A claim that the previous session left behind would block this session.
          const [result] = await session.frame(
            { items: [acts ? steps : { item: "read", questions: [file("/etc/hostname")] }] },
            ignoreAll,
            signal,
          );
          expect(result).not.toMatchObject({ failed: expect.anything() });
          expect(left()).not.toEqual([]);
          // The test recognizes processes by the user's name, or by a shell that switched the user.
          expect(login === user ? running() : ["root"]).not.toEqual([]);
        } catch (error) {
          // Otherwise the session's processes would make every later test fail too.
          await session.close();
          throw error;
        }
        const began = performance.now();
        await session.close();
        // Waiting for the end costs at least a fork on the host, and much more for a user with a PAM login session. A
        // session that has to wait does so for at most a second, and then closes its connection.
        const waits = onTerminal || !link.deliversLastWords;
        const mostMs = waits ? 2500 : 1000;
        expect(performance.now() - began).toBeLessThan(mostMs);
      }
      for (let tries = 0; tries < 200 && left().length + running().length > 0; tries += 1) await sleep(50);
      expect({ left: left(), running: running() }).toEqual({ left: [], running: [] });
    },
  );
});
