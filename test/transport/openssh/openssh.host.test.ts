import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import type { Address, Link } from "../../../src/core/host/transport.ts";
import { file } from "../../../src/facts/files/file.ts";
import { OpensshTransport } from "../../../src/transport/openssh/openssh.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import {
  addressTo,
  certified,
  certify,
  folder,
  hostCa,
  hostKey,
  knownHosts,
  startCertified,
  stranger,
  user,
  userCa,
  plain,
} from "../ssh/certified.ts";
import { says } from "../channels.ts";
import { openSession, steps } from "./openssh-session.ts";
import { addressOf, makeKey, publicKey, removeFolders, startSshd, type Sshd } from "../sshd.ts";

const { signal } = new AbortController();
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startCertified();
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

const connect = (more: Partial<Address> = {}, port = sshd.port): Promise<Link> =>
  new OpensshTransport().connect(addressTo(port, more), signal);

describe("certificates", () => {
  const authority = (): string => knownHosts(`@cert-authority 127.0.0.1,[127.0.0.1]:* ${publicKey(hostCa)}`);

  test("log in and verify the host, although neither the user's key nor the host's key is itself known", async () => {
    const logged = sshd.log().length;
    const more = { identityFiles: [certified], hostKeyPolicy: "strict", knownHostsFiles: [authority()] } as const;
    const link = await connect(more);
    expect(await says(link, "id -un")).toBe(user);
    await link.close();
    expect(sshd.log().slice(logged)).toMatch(/Accepted publickey for \S+ .* ED25519-CERT .* ID test .* CA ED25519/);
  });

  test("are refused by the ssh transport, which names the transport that can use them", async () => {
    const target = { identityFiles: [certified], hostKeyPolicy: "strict", knownHostsFiles: [authority()] } as const;
    await expect(new SshTransport().connect(addressOf(sshd.port, target), signal)).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { hint: expect.stringContaining('transport: "openssh"') },
    });
    const user = addressOf(sshd.port, { identityFiles: [certified], hostKeyPolicy: "off" });
    await expect(new SshTransport().connect(user, signal)).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { hint: expect.stringContaining('transport: "openssh"') },
    });
  });

  test("are refused if another authority signed them, or if they have expired", async () => {
    const foreign = makeKey(folder, "foreign");
    certify(hostCa, foreign, "-n", user);
    const expired = makeKey(folder, "expired");
    certify(userCa, expired, "-n", user, "-V", "20200101:20200102");
    const before = sshd.connections();
    for (const identity of [foreign, expired]) {
      await expect(connect({ identityFiles: [identity] })).rejects.toMatchObject({
        code: "E_AUTH",
        failure: {
          what: `127.0.0.1 refuses the login of user ${user}`,
          current: expect.stringContaining(`key ${identity}`),
          expected: expect.stringMatching(/^one of: publickey/),
        },
      });
    }
    expect(sshd.connections()).toBe(before + 2);
  });

  test("are refused if the host's certificate is for another name", async () => {
    const misnamed = makeKey(folder, "misnamed_host");
    const certificate = certify(hostCa, misnamed, "-h", "-n", "elsewhere.example");
    const config = [`HostKey ${misnamed}`, `HostCertificate ${certificate}`];
    const other = await startSshd({ authorizedKeys: [plain], hostKeyTypes: [], config });
    onTestFinished(() => other.stop());
    await expect(
      connect({ hostKeyPolicy: "strict", knownHostsFiles: [authority()] }, other.port),
    ).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { current: expect.stringContaining("Certificate invalid: name is not a listed principal") },
    });
  });
});

describe("host keys", () => {
  const name = (): string => `[127.0.0.1]:${sshd.port}`;
  const key = (): string => publicKey(hostKey);

  test("give the same errors as with the ssh transport if they are unknown, changed or revoked, after one attempt each", async () => {
    const strict = { hostKeyPolicy: "strict" } as const;
    const before = sshd.connections();
    await expect(connect({ ...strict, knownHostsFiles: [knownHosts()] })).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { what: `the host key of ${name().replaceAll(/[[\]]/g, "")} is not known`, current: /SHA256/ },
    });
    const changed = knownHosts("# a comment", `${name()} ${publicKey(stranger)}`);
    await expect(connect({ ...strict, knownHostsFiles: [changed] })).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { what: expect.stringContaining("has changed"), expected: `the key at ${changed}:2` },
    });
    const revoked = knownHosts(`@revoked * ${key()}`, `${name()} ${key()}`);
    await expect(connect({ ...strict, knownHostsFiles: [revoked] })).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { what: expect.stringContaining("is revoked") },
    });
    expect(sshd.connections()).toBe(before + 3);
  });

  test("are refused if they are revoked, even with the policy off, but not if they are revoked for another host", async () => {
    const asked = { name: "127.0.0.1", said: new Set(["hostKeyPolicy", "user", "port", "identityFiles"]) };
    const revoked = knownHosts(`@revoked * ${key()}`, `@revoked * ${publicKey(stranger)}`);
    await expect(connect({ hostKeyPolicy: "off", knownHostsFiles: [revoked], asked })).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { what: expect.stringContaining("is revoked") },
    });
    const elsewhere = knownHosts(`@revoked other.example ${key()}`);
    await (await connect({ hostKeyPolicy: "off", knownHostsFiles: [elsewhere], asked })).close();
  });

  test("are accepted if they are known or in the inventory, or if they are new and the policy allows new keys", async () => {
    const known = knownHosts(`${name()} ${key()}`);
    await (await connect({ hostKeyPolicy: "strict", knownHostsFiles: [known] })).close();
    const fresh = join(folder, "fresh with a blank");
    await (await connect({ hostKeyPolicy: "accept-new", knownHostsFiles: [fresh], newHostKeysFile: fresh })).close();
    expect(readFileSync(fresh, "utf8")).toContain(key());
    await (await connect({ hostKeyPolicy: "strict", knownHostsFiles: [fresh] })).close();
    await (await connect({ hostKeyPolicy: "strict", hostKeys: [key()] })).close();
    const wrong = { hostKeyPolicy: "accept-new", hostKeys: [publicKey(stranger)], knownHostsFiles: [known] } as const;
    await expect(connect(wrong)).rejects.toMatchObject({ code: "E_HOST_KEY" });
    const revoked = knownHosts(`@revoked * ${key()}`);
    await expect(
      connect({ hostKeyPolicy: "strict", hostKeys: [key()], knownHostsFiles: [revoked] }),
    ).rejects.toMatchObject({ code: "E_HOST_KEY", failure: { what: expect.stringContaining("is revoked") } });
  });
});

describe("a failed connection", () => {
  test("is not retried after a refused key, and the error lists the offered keys", async () => {
    const before = sshd.connections();
    await expect(connect({ identityFiles: [stranger] })).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { where: { host: "web1" }, current: `offered key ${stranger}`, expected: /publickey/ },
    });
    expect(sshd.connections()).toBe(before + 1);
  });

  test("is immediately reported for an unknown name and for an invalid name", async () => {
    await expect(connect({ address: "no.such.host.invalid" })).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: "the name no.such.host.invalid cannot be resolved" },
    });
    const witness = join(folder, "witness");
    for (const address of [`$(touch ${witness})`, `;touch ${witness}`, `-oProxyCommand=touch ${witness}`]) {
      await expect(connect({ address, connectTimeoutSeconds: 2 })).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    }
    expect(existsSync(witness)).toBe(false);
  });

  test("is reported if the inventory sets a password, which ssh cannot use", async () => {
    await expect(connect({ password: secretOf("hush", "password") })).rejects.toMatchObject({ code: "E_AUTH" });
  });

  test("is reported if this machine has no ssh", async () => {
    const { PATH } = process.env;
    process.env["PATH"] = folder;
    onTestFinished(() => void (process.env["PATH"] = PATH));
    await expect(connect()).rejects.toMatchObject({ failure: { what: "there is no ssh on this machine" } });
  });
});

describe("frames", () => {
  const silent = { output: () => {} };

  test("carry steps, reads and a large upload, as they do with the ssh transport", async () => {
    const session = await openSession(addressTo(sshd.port), signal);
    const place = join(folder, "frame");
    mkdirSync(place);
    const from = join(folder, "image");
    const content = randomBytes(6 << 20);
    writeFileSync(from, content);
    const sha256 = execFileSync("sha256sum", [from], { encoding: "utf8" }).slice(0, 64);
    const path = join(place, "image");
    const results = await session.frame(
      {
        items: [
          steps("echo out; echo err >&2; exit 3"),
          { item: "steps", task: "u", steps: [{ step: "upload", from, path, sha256 }] },
          { item: "read", questions: [file(path, ["sha256"])] },
        ],
      },
      silent,
      signal,
    );
    expect(results).toMatchObject([
      { results: [{ exitCode: 3, stdout: "out\n", stderr: "err\n" }] },
      { results: [{ exitCode: 0 }] },
      { answers: [{ value: { sha256 } }] },
    ]);
    expect(readFileSync(path).equals(content)).toBe(true);
  });
});
