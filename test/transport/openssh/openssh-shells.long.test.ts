import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import type { Address, Link } from "../../../src/core/host/transport.ts";
import { openShell } from "../../../src/transport/become.ts";
import { OpensshTransport } from "../../../src/transport/openssh/openssh.ts";
import { makeUser, ownName, removeAccounts, setSudoers } from "../become/accounts.ts";
import { addressTo, startCertified } from "../ssh/certified.ts";
import { isRoot, outputOf, removeFolders, type Sshd } from "../sshd.ts";

const { signal } = new AbortController();
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startCertified();
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

const connect = (more: Partial<Address> = {}): Promise<Link> =>
  new OpensshTransport().connect(addressTo(sshd.port, more), signal);

describe("the shells at both ends", () => {
  test.each(["/bin/sh", "/bin/bash", "/usr/bin/fish", "/usr/bin/tcsh"])(
    "work if %s is the shell of the user who runs furrow",
    async (shell) => {
      if (!existsSync(shell)) return;
      const { SHELL } = process.env;
      process.env["SHELL"] = shell;
      onTestFinished(() => {
        if (SHELL === undefined) delete process.env["SHELL"];
        else process.env["SHELL"] = SHELL;
      });
      const link = await connect();
      expect((await outputOf(await link.exec("echo in"))).stdout).toBe("in\n");
      await link.close();
    },
  );

  test.runIf(isRoot)("work with sudo and a password, even if sudo requires a terminal", async () => {
    const name = ownName("openssh");
    onTestFinished(removeAccounts);
    makeUser(name, "the user's own");
    const password = secretOf("the user's own", "password");
    for (const more of ["", `Defaults:${name} requiretty\n`]) {
      setSudoers(name, `${more}${name} ALL=(ALL) ALL`);
      const link = await connect({ user: name });
      const shell = await openShell(link, { host: "web1", become: { method: "sudo", user: "root", password }, signal });
      const output = outputOf(shell);
      await shell.write(Buffer.from("id -un\nexit 5\n"));
      expect((await output).stdout.trim()).toBe("root");
      await link.close();
    }
  });
});
