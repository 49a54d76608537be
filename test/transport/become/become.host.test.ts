import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import type { Become, Link } from "../../../src/core/host/transport.ts";
import { openShell } from "../../../src/transport/become.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { makeUser, ownName, removeAccounts, setDoas, setPassword, setSudoers } from "./accounts.ts";
import { addressOf, isRoot, makeKey, outputOf, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const user = ownName("become");
const folder = temporaryFolder();
const key = makeKey(folder, "login_key");
const sudoLog = join(folder, "sudo.log");
let sshd: Sshd;
let link: Link;

if (!isRoot) process.stderr.write("skipped without root: sudo, su and doas (the tests create users and rules)\n");

describe.runIf(isRoot)("becoming another user", () => {
  beforeAll(async () => {
    makeUser(user, "user's own");
    setPassword("root", "root's own");
    sshd = await startSshd({ authorizedKeys: [key] });
    link = await new SshTransport().connect(addressOf(sshd.port, { user, identityFiles: [key] }), signal);
  });
  afterEach(() => rmSync(sudoLog, { force: true }));
  afterAll(async () => {
    await link.close();
    await sshd.stop();
    removeAccounts();
    removeFolders();
  });

  /**
   * Opens a shell. Returns the shell's user, its home folder, whether it is interactive, and the last line that it
   * read.
   */
  async function whoami(become: Become, eager = false): Promise<string> {
    const shell = await openShell(link, { host: "web1", become, signal, eager });
    const output = outputOf(shell);
    // If the shell is refused, `write` is the first call to report the refusal.
    output.catch(() => undefined);
    await shell.write(Buffer.from("id -un; echo $HOME; case $- in *i*) echo interactive;; esac\n"));
    await shell.write(Buffer.from("echo 'last line'; exit\n"));
    const { stdout } = await output;
    return stdout.trim().replaceAll("\n", " ");
  }

  const own = secretOf("user's own", "become password");
  const wrong = secretOf("not it", "become password");
  const rootLine = "root /root last line";
  const sudo = (password?: Become["password"]): Become => ({
    method: "sudo",
    user: "root",
    ...(password === undefined ? {} : { password }),
  });
  const rule = (...lines: string[]): void =>
    setSudoers(user, [`Defaults:${user} logfile=${sudoLog}`, ...lines].join("\n"));
  const everything = `${user} ALL=(ALL) ALL`;
  const nothingAsked = `${user} ALL=(ALL) NOPASSWD: ALL`;
  const terminalOnly = `Defaults:${user} requiretty`;
  const sudoLogged = (): string => (existsSync(sudoLog) ? readFileSync(sudoLog, "utf8") : "").replaceAll(/\s+/g, " ");

  describe.each([false, true])("sudo, eager: %s", (eager) => {
    test("becomes root with NOPASSWD", async () => {
      rule(nothingAsked);
      expect(await whoami(sudo(), eager)).toBe(rootLine);
    });

    test("becomes root with NOPASSWD even if a password was given, which the shell never reads", async () => {
      rule(nothingAsked);
      expect(await whoami(sudo(own), eager)).toBe(rootLine);
      expect(await whoami(sudo(secretOf("touch /tmp/furrow-leak", "p")), eager)).toBe(rootLine);
      expect(existsSync("/tmp/furrow-leak")).toBe(false);
    });

    test("becomes root with a password", async () => {
      rule(everything);
      expect(await whoami(sudo(own), eager)).toBe(rootLine);
    });

    test("becomes root with a cached ticket", async () => {
      rule(everything, `Defaults:${user} timestamp_type=global, timestamp_timeout=5`);
      expect(await whoami(sudo(own), eager)).toBe(rootLine);
      expect(await whoami(sudo(secretOf("touch /tmp/furrow-leak", "p")), eager)).toBe(rootLine);
      expect(existsSync("/tmp/furrow-leak")).toBe(false);
      execFileSync("rm", ["-rf", `/run/sudo/ts/${user}`]);
    });

    test("reports a wrong password after one attempt", async () => {
      rule(everything);
      await expect(whoami(sudo(wrong), eager)).rejects.toMatchObject({
        code: "E_BECOME",
        failure: { current: "the become password is wrong; it was tried once", hint: /-K or --become-password-file/ },
      });
      expect(sudoLogged()).toContain("1 incorrect password attempt");
    });

    test("reports a wrong password even if sudo replaces its message with an insult", async () => {
      rule(everything, `Defaults:${user} badpass_message="Ha ha", insults`);
      await expect(whoami(sudo(wrong), eager)).rejects.toMatchObject({
        code: "E_BECOME",
        failure: { current: "the become password is wrong; it was tried once" },
      });
      expect(sudoLogged()).toContain("1 incorrect password attempt");
    });

    test("reports that a password is required but none was given", async () => {
      rule(everything);
      await expect(whoami(sudo(), eager)).rejects.toMatchObject({
        code: "E_BECOME",
        failure: { current: "sudo asks for a password, and none was given", details: ["sudo: a password is required"] },
      });
    });

    test("becomes root with requiretty, on a terminal without echo and in a shell that is not interactive", async () => {
      rule(terminalOnly, nothingAsked);
      expect(await whoami(sudo(), eager)).toBe(rootLine);
      rule(terminalOnly, everything);
      expect(await whoami(sudo(own), eager)).toBe(rootLine);
      rule(terminalOnly, everything, `Defaults:${user} use_pty`);
      expect(await whoami(sudo(own), eager)).toBe(rootLine);
    });

    test("with requiretty, reports a wrong password after one attempt", async () => {
      rule(terminalOnly, everything);
      await expect(whoami(sudo(wrong), eager)).rejects.toMatchObject({
        code: "E_BECOME",
        failure: { current: "the become password is wrong; it was tried once" },
      });
      expect(sudoLogged()).not.toMatch(/[2-9] incorrect/);
    });
  });

  test.each<[string, string[] | undefined, Become, string]>([
    ["not in sudoers", undefined, sudo(own), "the user is not in sudoers"],
    [
      "limited to a command",
      [`${user} ALL=(ALL) NOPASSWD: /usr/bin/id`],
      sudo(),
      "sudo is limited to single commands for this user",
    ],
    [
      "limited to a command, with a password",
      [`${user} ALL=(ALL) /usr/bin/id`],
      sudo(own),
      "sudo is limited to single commands for this user",
    ],
    [
      "no such user",
      [nothingAsked],
      { method: "sudo", user: "nobody-here" },
      "there is no user nobody-here on the host",
    ],
    ["an invalid user name", [nothingAsked], { method: "sudo", user: "root; id" }, "undefined"],
  ])("reports why sudo refuses: %s", async (_what, rules, become, current) => {
    if (rules === undefined) setSudoers(user, undefined);
    else rule(...rules);
    const error: unknown = await whoami(become).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: "E_BECOME" });
    expect(String((error as { failure: { current?: string } }).failure.current)).toBe(current);
  });

  test("reports that sudo is not installed", async () => {
    rule(nothingAsked);
    const without: Link = { ...methodsOf(link), exec: (line) => link.exec(`PATH=${folder}; ${line}`) };
    execFileSync("ln", ["-sf", "/bin/sh", join(folder, "sh")]);
    execFileSync("ln", ["-sf", "/usr/bin/id", join(folder, "id")]);
    const outcome = openShell(without, { host: "web1", become: sudo(), signal });
    await expect(outcome).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "there is no sudo on the host" },
    });
  });

  test("su accepts the right password, and a wrong or missing password is reported", async () => {
    const su = (password?: Become["password"]): Become => ({ ...sudo(password), method: "su" });
    expect(await whoami(su(secretOf("root's own", "p")))).toBe(rootLine);
    expect(await whoami(su(secretOf("root's own", "p")), true)).toBe(rootLine);
    await expect(whoami(su(wrong))).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "the become password is wrong; it was tried once" },
    });
    await expect(whoami(su())).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "su asks for a password, and none was given" },
    });
    await expect(whoami({ method: "su", user: "nobody-here", password: own })).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "there is no user nobody-here on the host" },
    });
  });

  test("doas accepts nopass and the right password; a wrong or missing password and a missing permission are reported", async () => {
    const doas = (password?: Become["password"]): Become => ({ ...sudo(password), method: "doas" });
    setDoas(`permit nopass ${user}`);
    expect(await whoami(doas())).toBe(rootLine);
    expect(await whoami(doas(own))).toBe(rootLine);
    setDoas(`permit ${user}`);
    expect(await whoami(doas(own))).toBe(rootLine);
    expect(await whoami(doas(own), true)).toBe(rootLine);
    await expect(whoami(doas(wrong))).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "the become password is wrong; it was tried once" },
    });
    await expect(whoami(doas())).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "doas asks for a password, and none was given" },
    });
    setDoas(`permit nopass ${user} cmd id`);
    await expect(whoami(doas())).rejects.toMatchObject({
      code: "E_BECOME",
      failure: { current: "doas does not allow this user to run a shell" },
    });
  });

  test("becoming the login user root needs no sudo, su or password", async () => {
    setSudoers(user, undefined);
    expect(await whoami({ method: "sudo", user })).toBe(`${user} /home/${user} last line`);
    const asRoot = await new SshTransport().connect(addressOf(sshd.port, { identityFiles: [key] }), signal);
    const shell = await openShell(asRoot, { host: "web1", become: { method: "su", user }, signal });
    const output = outputOf(shell);
    await shell.write(Buffer.from("id -un; exit\n"));
    expect((await output).stdout).toBe(`${user}\n`);
    await asRoot.close();
  });

  test("an aborted attempt leaves no shell behind", async () => {
    rule(everything);
    const abort = new AbortController();
    const opening = openShell(link, { host: "web1", become: sudo(wrong), signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    await expect(opening).rejects.toMatchObject({ code: "E_INTERRUPTED" });
  });
});

function methodsOf(link: Link): Link {
  return {
    exec: (line) => link.exec(line),
    execPty: (line) => link.execPty(line),
    stats: () => link.stats(),
    close: () => link.close(),
    closed: link.closed,
  };
}
