import { execFileSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Link } from "../../../src/core/host/transport.ts";
import { openShell } from "../../../src/transport/become.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "./accounts.ts";
import { addressOf, isRoot, makeKey, outputOf, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const user = ownName("shell");
const folder = temporaryFolder();
const key = makeKey(folder, "login_key");
let sshd: Sshd;

if (!isRoot) process.stderr.write("skipped without root: login shells and start files (the tests create a user)\n");

describe.runIf(isRoot)("login shells", () => {
  beforeAll(async () => {
    makeUser(user, "pw");
    setSudoers(user, `${user} ALL=(ALL) NOPASSWD: ALL`);
    writeFileSync(join(folder, "banner"), "AUTHORISED USERS ONLY\nroot password: none of your business\n");
    sshd = await startSshd({ authorizedKeys: [key], config: [`Banner ${join(folder, "banner")}`] });
  });
  afterAll(async () => {
    await sshd.stop();
    removeAccounts();
    removeFolders();
  });

  const connect = (): Promise<Link> =>
    new SshTransport().connect(addressOf(sshd.port, { user, identityFiles: [key] }), signal);
  const home = `/home/${user}`;
  const loginShell = (path: string): void => void execFileSync("usermod", ["-s", path, user]);

  /** Sends one line of shell code as soon as possible. Returns the output. */
  async function hello(method: "none" | "sudo", eager: boolean): Promise<{ stdout: string; stderr: string }> {
    const link = await connect();
    const shell = await openShell(link, {
      host: "web1",
      signal,
      eager,
      ...(method === "sudo" ? { become: { method, user: "root" } } : {}),
    });
    const output = outputOf(shell);
    // If the shell is refused, `write` is the first call to report the refusal.
    output.catch(() => undefined);
    await shell.write(Buffer.from("echo hello; echo oops >&2; exit 0\n"));
    const { stdout, stderr } = await output;
    await link.close();
    return { stdout, stderr };
  }
  const clean = { stdout: "hello\n", stderr: "oops\n" };

  describe.each([false, true])("eager: %s", (eager) => {
    test.each(["/bin/bash", "/bin/sh", "/usr/bin/tcsh", "/usr/bin/fish"])("can be %s", async (path) => {
      loginShell(path);
      expect(await hello("none", eager)).toEqual(clean);
      expect(await hello("sudo", eager)).toEqual(clean);
    });

    test("can print a huge banner, start slowly, and write to stderr", async () => {
      loginShell("/bin/bash");
      const noise = [
        "echo 'Welcome! start-0 ready-0'",
        "printf 'no newline at the end, Password: '",
        "printf 'Password: ' >&2",
        "head -c 300000 /dev/zero | tr '\\0' x",
        "sleep 1",
        "set -v",
      ];
      writeFileSync(join(home, ".bashrc"), `${noise.join("\n")}\n`);
      const started = performance.now();
      expect(await hello("none", eager)).toEqual(clean);
      expect(await hello("sudo", eager)).toEqual(clean);
      expect(performance.now() - started).toBeGreaterThan(2000);
      writeFileSync(join(home, ".bashrc"), "");
    });
  });

  test("are refused with an error if they are restricted, because exec is missing", async () => {
    loginShell("/usr/bin/rbash");
    await expect(hello("none", false)).rejects.toMatchObject({
      code: "E_PROTOCOL",
      failure: { details: [expect.stringContaining("restricted")] },
    });
    await expect(hello("none", true)).rejects.toMatchObject({ code: "E_PROTOCOL" });
  });

  test("are refused with an error if they reject every login", async () => {
    loginShell("/usr/sbin/nologin");
    await expect(hello("none", false)).rejects.toMatchObject({
      code: "E_PROTOCOL",
      failure: { details: ["This account is currently not available."], where: { host: "web1" } },
    });
    loginShell("/bin/bash");
  });

  test("are refused with an error if a start file exits", async () => {
    appendFileSync(join(home, ".bashrc"), "echo go away; exit 9\n");
    await expect(hello("none", false)).rejects.toMatchObject({
      code: "E_PROTOCOL",
      failure: { current: "it exited with code 9", details: ["go away"] },
    });
    writeFileSync(join(home, ".bashrc"), "");
  });

  test("work with busybox as sh", async () => {
    const bin = join(folder, "bin");
    execFileSync("mkdir", ["-p", bin]);
    execFileSync("ln", ["-sf", "/bin/busybox", join(bin, "sh")]);
    writeFileSync(join(home, ".bashrc"), `PATH=${bin}:$PATH\n`);
    const link = await connect();
    const shell = await openShell(link, { host: "web1", signal });
    const output = outputOf(shell);
    await shell.write(Buffer.from("readlink /proc/$$/exe; exit\n"));
    expect((await output).stdout).toBe("/usr/bin/busybox\n");
    await link.close();
    writeFileSync(join(home, ".bashrc"), "");
  });
});
