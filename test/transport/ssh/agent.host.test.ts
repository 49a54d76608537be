import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Address } from "../../../src/core/host/transport.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { addressOf, makeKey, outputOf, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const plain = makeKey(folder, "plain");
const locked = makeKey(folder, "locked", "ed25519", "open sesame");
const stranger = makeKey(folder, "stranger");
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [plain, locked] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

async function login(more: Partial<Address>): Promise<string> {
  const link = await new SshTransport().connect(addressOf(sshd.port, more), signal);
  const { stdout } = await outputOf(await link.exec("id -un"));
  await link.close();
  return stdout.trim();
}

describe("an SSH agent", () => {
  const socket = join(folder, "agent.sock");
  const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
  const add = (key: string): void =>
    void execFileSync("ssh-add", ["-q", key], {
      env: { ...process.env, SSH_AUTH_SOCK: socket, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: "force" },
      stdio: "ignore",
    });
  const askpass = join(folder, "askpass");
  writeFileSync(askpass, "#!/bin/sh\necho open sesame\n", { mode: 0o700 });

  beforeAll(async () => {
    await vi.waitUntil(() => existsSync(socket));
    add(stranger);
    add(locked);
  });
  afterAll(() => void agent.kill());

  test("offers its keys in turn", async () => {
    expect(await login({ agent: socket })).toBe(addressOf(0).user);
  });

  test("makes the passphrase of an encrypted key file unnecessary, and IdentitiesOnly excludes its other keys", async () => {
    const logged = sshd.log().length;
    expect(await login({ agent: socket, identityFiles: [locked], identitiesOnly: true })).toBe(addressOf(0).user);
    expect(sshd.log().slice(logged)).not.toContain("Failed publickey");
  });

  test("has its keys listed by name when the host refuses them", async () => {
    await expect(login({ agent: socket, identityFiles: [stranger], identitiesOnly: true })).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { current: `offered key ${stranger}` },
    });
    await expect(
      login({
        agent: socket,

        identityFiles: [`${stranger}.pub`],
        identitiesOnly: true,
      }),
    ).rejects.toMatchObject({ code: "E_AUTH", failure: { current: "offered agent key stranger" } });
  });

  test("can disappear without crashing furrow", async () => {
    expect(await login({ agent: join(folder, "no.sock"), identityFiles: [plain] })).toBe(addressOf(0).user);
    await expect(login({ agent: join(folder, "no.sock") })).rejects.toMatchObject({ code: "E_AUTH" });
  });
});
