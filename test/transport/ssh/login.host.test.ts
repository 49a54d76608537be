import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import type { Address } from "../../../src/core/host/transport.ts";
import { openShell } from "../../../src/transport/become.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { loadSsh2 } from "../../../src/transport/ssh/ssh2.ts";
import { makeUser, ownName, removeAccounts } from "../become/accounts.ts";
import { addressOf, freePort, isRoot, makeKey, outputOf, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const user = ownName("login");
const folder = temporaryFolder();
const plain = makeKey(folder, "plain");
const locked = makeKey(folder, "locked", "ed25519", "open sesame");
const rsaPem = makeKey(folder, "rsa_pem", "rsa", "open sesame", "-b", "2048", "-m", "PEM");
const rsaPkcs8 = makeKey(folder, "rsa_pkcs8", "rsa", "open sesame", "-b", "2048", "-m", "PKCS8");
const ecdsa = makeKey(folder, "ecdsa", "ecdsa");
const stranger = makeKey(folder, "stranger");
let sshd: Sshd;

beforeAll(async () => {
  if (isRoot) makeUser(user, "correct horse");
  else process.stderr.write("skipped without root: password logins (sshd can check only its own user's keys)\n");
  sshd = await startSshd({
    authorizedKeys: [plain, locked, rsaPem, rsaPkcs8, ecdsa],
    config: ["PasswordAuthentication yes", "KbdInteractiveAuthentication no", "MaxAuthTries 6"],
  });
});
afterAll(async () => {
  await sshd.stop();
  removeAccounts();
  removeFolders();
});

async function login(more: Partial<Address>, transport = new SshTransport()): Promise<string> {
  const link = await transport.connect(addressOf(sshd.port, more), signal);
  const { stdout } = await outputOf(await link.exec("id -un"));
  await link.close();
  return stdout.trim();
}

describe("keys", () => {
  const me = addressOf(0).user;
  const passphrase = secretOf("open sesame", "passphrase");

  test.each([
    ["an ed25519 key", plain],
    ["an ecdsa key", ecdsa],
  ])("%s logs in", async (_name, key) => {
    expect(await login({ identityFiles: [key] })).toBe(me);
  });

  test.each([
    ["OpenSSH", locked],
    ["PEM", rsaPem],
    ["PKCS#8", rsaPkcs8],
  ])("an encrypted key in %s format logs in with its passphrase", async (_name, key) => {
    expect(await login({ identityFiles: [key], passphrase })).toBe(me);
  });

  test.each([
    ["OpenSSH", locked],
    ["PEM", rsaPem],
    ["PKCS#8", rsaPkcs8],
  ])("an encrypted key in %s format is refused without a passphrase and with a wrong one", async (_name, key) => {
    const before = sshd.connections();
    await expect(login({ identityFiles: [key] })).rejects.toMatchObject({
      code: "E_SECRET",
      failure: { current: "it is encrypted, and no passphrase was given" },
    });
    await expect(login({ identityFiles: [key], passphrase: secretOf("wrong", "p") })).rejects.toMatchObject({
      code: "E_SECRET",
      failure: { current: "the given passphrase does not open it" },
    });
    expect(sshd.connections()).toBe(before);
  });

  test("the second key logs in after the first is refused, and comes first the next time", async () => {
    const transport = new SshTransport();
    const identityFiles = [stranger, plain];
    const shown = (log: string): string[] =>
      [...log.matchAll(/(Failed|Accepted|Postponed) publickey/g)].map(([, what]) => what ?? "");
    const logged = sshd.log().length;
    expect(await login({ identityFiles }, transport)).toBe(me);
    const first = sshd.log().length;
    expect(await login({ identityFiles }, transport)).toBe(me);
    expect(shown(sshd.log().slice(logged, first))).toContain("Failed");
    expect(shown(sshd.log().slice(first))).not.toContain("Failed");
  });

  test("a refused key is not tried again, and the error lists the offered keys and the methods that the host allows", async () => {
    const before = sshd.connections();
    const missing = join(folder, "nobody");
    await expect(login({ identityFiles: [missing, stranger] })).rejects.toMatchObject({
      code: "E_AUTH",
      failure: {
        where: { host: "web1" },
        current: `offered key ${stranger}`,
        expected: "one of: publickey, password",
        details: expect.arrayContaining([`${missing}: there is no such file`]),
      },
    });
    expect(sshd.connections()).toBe(before + 1);
  });

  test("a login without any key or password is refused before connecting", async () => {
    const before = sshd.connections();
    await expect(login({})).rejects.toMatchObject({ code: "E_AUTH", failure: { hint: /^Specify a private key/ } });
    expect(sshd.connections()).toBe(before);
  });
});

test("a key from a file is offered with its signature, without an extra round trip, except with unpatched ssh2", async () => {
  const questions = (await loadSsh2()).patches === undefined ? 1 : 0;
  for (const key of [plain, ecdsa, rsaPem]) {
    const logged = sshd.log().length;
    expect(await login({ identityFiles: [key], passphrase: secretOf("open sesame", "p") })).toBe(addressOf(0).user);
    expect(sshd.log().slice(logged)).toMatch(/Accepted publickey/);
    // ssh itself first asks whether the key is acceptable, which sshd logs as "Accepted key … found at …", and then
    // logs in.
    expect(sshd.log().slice(logged).split("Accepted key").length - 1).toBe(1 + questions);
  }
});

describe.runIf(isRoot)("passwords", () => {
  test("the right password logs in", async () => {
    expect(await login({ user, password: secretOf("correct horse", "password") })).toBe(user);
  });

  test("a wrong password is tried once, on one connection", async () => {
    const before = sshd.connections();
    const logged = sshd.log().length;
    await expect(login({ user, password: secretOf("wrong", "password") })).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { current: "offered password", expected: "one of: publickey, password" },
    });
    expect(sshd.connections()).toBe(before + 1);
    expect(sshd.log().slice(logged).split("Failed password").length - 1).toBe(1);
  });

  test("a host that accepts only keyboard-interactive gets the password, but a wrong password only once", async () => {
    const pam = await startSshd({ config: ["PasswordAuthentication no", "KbdInteractiveAuthentication yes"] });
    const connect = (password: string): Promise<unknown> =>
      new SshTransport().connect(addressOf(pam.port, { user, password: secretOf(password, "password") }), signal);
    const link = await new SshTransport().connect(
      addressOf(pam.port, { user, password: secretOf("correct horse", "password") }),
      signal,
    );
    await link.close();
    await expect(connect("wrong")).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { current: "offered password, password (keyboard-interactive)" },
    });
    await pam.stop();
  });

  test("a host that requires both a key and a password gets both", async () => {
    const both = await startSshd({
      authorizedKeys: [plain],
      config: ["PasswordAuthentication yes", "AuthenticationMethods password,publickey"],
    });
    const link = await new SshTransport().connect(
      addressOf(both.port, { user, identityFiles: [plain], password: secretOf("correct horse", "password") }),
      signal,
    );
    expect((await outputOf(await link.exec("id -un"))).stdout).toBe(`${user}\n`);
    await link.close();
    await both.stop();
  });

  test("an account that must change its password is immediately reported", async () => {
    const expired = ownName("expired");
    makeUser(expired, "old");
    execFileSync("chage", ["-d", "0", expired]);
    const link = await new SshTransport().connect(
      addressOf(sshd.port, { user: expired, password: secretOf("old", "password") }),
      signal,
    );
    await expect(openShell(link, { host: "web1", signal })).rejects.toMatchObject({
      code: "E_PROTOCOL",
      failure: { details: expect.arrayContaining(["WARNING: Your password has expired."]) },
    });
    await link.close();
  });
});

describe("an unreachable host", () => {
  test("is tried again, then reported with the last error", async () => {
    const port = await freePort();
    const started = performance.now();
    await expect(
      new SshTransport().connect(addressOf(port, { identityFiles: [plain], connectTimeoutSeconds: 2 }), signal),
    ).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: expect.stringMatching(/within 2 s despite retries$/),
        current: expect.stringMatching(/ECONNREFUSED/),
      },
    });
    expect(performance.now() - started).toBeGreaterThan(1900);
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test("is used if it comes up during the attempts", async () => {
    const port = await freePort();
    const link = new SshTransport().connect(addressOf(port, { identityFiles: [plain] }), signal);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const late = await startSshd({ port, authorizedKeys: [plain] });
    expect((await outputOf(await (await link).exec("echo here"))).stdout).toBe("here\n");
    await (await link).close();
    await late.stop();
  });

  test("fails immediately if its name does not exist", async () => {
    const started = performance.now();
    await expect(
      new SshTransport().connect(addressOf(22, { address: "no.such.host.invalid", identityFiles: [plain] }), signal),
    ).rejects.toMatchObject({ code: "E_UNREACHABLE", failure: { what: /cannot be resolved/ } });
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test("is not tried again after an abort", async () => {
    const port = await freePort();
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 300);
    await expect(
      new SshTransport().connect(addressOf(port, { identityFiles: [plain] }), abort.signal),
    ).rejects.toMatchObject({ code: "E_INTERRUPTED" });
  });
});
