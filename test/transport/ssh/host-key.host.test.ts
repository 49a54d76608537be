import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import type { Address, HostKeyPolicy } from "../../../src/core/host/transport.ts";
import { hashedName } from "../../../src/transport/ssh/host-keys/known-hosts.ts";
import { collectUnknownHostKeys } from "../../../src/transport/ssh/scan.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { addressOf, freePort, makeKey, publicKey, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const otherHostKey = publicKey(makeKey(folder, "other"));
let sshd: Sshd;
let name: string;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
  name = `[127.0.0.1]:${sshd.port}`;
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

let count = 0;
function knownHosts(...lines: string[]): string {
  count += 1;
  const file = join(folder, `known_hosts_${count}`);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  return file;
}

async function connect(
  file: string,
  hostKeyPolicy: HostKeyPolicy = "strict",
  more: Partial<Address> = {},
): Promise<string> {
  const files = { knownHostsFiles: [file], newHostKeysFile: file };
  const address = addressOf(sshd.port, { identityFiles: [key], hostKeyPolicy, ...files, ...more });
  const link = await new SshTransport().connect(address, signal);
  await link.close();
  return "in";
}

const fingerprintOf = (path: string): string =>
  execFileSync("ssh-keygen", ["-lf", path], { encoding: "utf8" }).split(" ")[1] ?? "";

describe("a known key", () => {
  test.each(["ed25519", "ecdsa", "rsa"] as const)(
    "is the key that furrow requests if only the %s key is known",
    async (type) => {
      expect(await connect(knownHosts(`${name} ${publicKey(sshd.hostKeys[type])}`))).toBe("in");
    },
  );

  test("is found if it is hashed, has a wildcard or a plain name, or is in the second file", async () => {
    const hostKey = publicKey(sshd.hostKeys.ed25519);
    expect(await connect(knownHosts(`${hashedName(name, Buffer.alloc(20, 5))} ${hostKey}`))).toBe("in");
    expect(await connect(knownHosts(`[127.0.0.*]:* ${hostKey}`))).toBe("in");
    expect(await connect(knownHosts(`127.0.0.1 ${hostKey}`))).toBe("in");
    const files = [knownHosts(), knownHosts(`${name} ${hostKey}`)];
    expect(await connect("", "strict", { knownHostsFiles: files })).toBe("in");
  });

  test("is found in the output of ssh-keyscan -H", async () => {
    const scanned = execFileSync("ssh-keyscan", ["-H", "-p", String(sshd.port), "127.0.0.1"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(await connect(knownHosts(...scanned.trim().split("\n")))).toBe("in");
  });
});

describe("an unknown key", () => {
  test("is refused before the login with the policy strict, and the error contains the line to add to known_hosts", async () => {
    const file = knownHosts(`web9 ${otherHostKey}`);
    const before = sshd.connections();
    await expect(connect(file, "strict", { password: secretOf("tell nobody", "password") })).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: {
        what: `the host key of ${name} is not known`,
        current: `ssh-ed25519 ${fingerprintOf(sshd.hostKeys.ed25519)}`,
        details: [`${name} ${publicKey(sshd.hostKeys.ed25519)}`],
      },
    });
    expect(sshd.connections()).toBe(before + 1);
    // sshd may log the end of earlier connections late, so only what follows the last connection counts.
    const log = sshd.log();
    expect(log.slice(log.lastIndexOf("Connection from"))).not.toMatch(/publickey|password|Invalid user/);
    expect(readFileSync(file, "utf8").split("\n")).toHaveLength(2);
  });

  test("is stored once with accept-new, in a new file that only the user can read, and ssh accepts it too", async () => {
    const file = join(folder, "new", "known_hosts");
    await Promise.all([1, 2, 3].map(() => connect(file, "accept-new")));
    expect(readFileSync(file, "utf8")).toBe(`${name} ${publicKey(sshd.hostKeys.ed25519)}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "new")).mode & 0o777).toBe(0o700);
    expect(await connect(file)).toBe("in");
    const ssh = ["-p", String(sshd.port), "-i", key, "-F", "none", "-o", `UserKnownHostsFile=${file}`];
    const strict = ["-o", "GlobalKnownHostsFile=none", "-o", "StrictHostKeyChecking=yes"];
    expect(execFileSync("ssh", [...ssh, ...strict, "127.0.0.1", "echo in"], { encoding: "utf8" })).toBe("in\n");
  });

  test("is stored hashed with accept-new if the file's names are hashed, even after a last line without a newline", async () => {
    const hashed = hashedName("web9", Buffer.alloc(20, 1));
    const file = join(folder, "hashed");
    writeFileSync(file, `${hashed} ${otherHostKey}`);
    expect(await connect(file, "accept-new")).toBe("in");
    const [first, second] = readFileSync(file, "utf8").split("\n");
    expect(first).toBe(`${hashed} ${otherHostKey}`);
    expect(second).toMatch(/^\|1\|[^ ]+ ssh-ed25519 /);
    expect(await connect(file)).toBe("in");
  });

  test("is looked up under its HostKeyAlias, without the port", async () => {
    const file = join(folder, "alias");
    const hostKeyAlias = "the-web";
    expect(await connect(file, "accept-new", { hostKeyAlias })).toBe("in");
    expect(readFileSync(file, "utf8")).toBe(`the-web ${publicKey(sshd.hostKeys.ed25519)}\n`);
    expect(await connect(file, "strict", { hostKeyAlias })).toBe("in");
    await expect(connect(file, "strict", { hostKeyAlias: "the-db" })).rejects.toMatchObject({
      failure: { what: "the host key of the-db is not known" },
    });
    const ssh = ["-p", String(sshd.port), "-i", key, "-F", "none", "-o", `UserKnownHostsFile=${file}`];
    const strict = ["-o", "StrictHostKeyChecking=yes", "-o", `HostKeyAlias=${hostKeyAlias}`];
    expect(execFileSync("ssh", [...ssh, ...strict, "127.0.0.1", "echo in"], { encoding: "utf8" })).toBe("in\n");
  });

  test("is accepted with the policy off, without reading the files", async () => {
    expect(await connect(knownHosts(`${name} ${otherHostKey}`), "off")).toBe("in");
  });
});

describe("a changed key", () => {
  test.each<HostKeyPolicy>(["strict", "accept-new"])(
    "is refused with %s, and the error names both fingerprints and the line in known_hosts",
    async (policy) => {
      const file = knownHosts(`web9 ${otherHostKey}`, `${name} ${otherHostKey}`);
      await expect(connect(file, policy)).rejects.toMatchObject({
        code: "E_HOST_KEY",
        failure: {
          what: `the host key of ${name} has changed`,
          current: `ssh-ed25519 ${fingerprintOf(sshd.hostKeys.ed25519)}`,
          expected: `ssh-ed25519 ${fingerprintOf(join(folder, "other"))} (${file}:2)`,
        },
      });
    },
  );

  test("is also reported if the host no longer has a key of the known type, as in ssh", async () => {
    const file = knownHosts(`${name} ${publicKey(sshd.hostKeys.ed25519)}`);
    const port = sshd.port;
    await sshd.stop();
    sshd = await startSshd({ authorizedKeys: [key], hostKeyTypes: ["rsa"], port });
    await expect(connect(file)).rejects.toMatchObject({ code: "E_HOST_KEY", failure: { what: /has changed/ } });
    const ssh = [
      "-p",
      String(port),
      "-i",
      key,
      "-F",
      "none",
      "-o",
      `UserKnownHostsFile=${file}`,
      "-o",
      "BatchMode=yes",
    ];
    expect(() => execFileSync("ssh", [...ssh, "127.0.0.1", "true"], { stdio: "pipe", encoding: "utf8" })).toThrow(
      /IDENTIFICATION HAS CHANGED/,
    );
  });

  test.each<HostKeyPolicy>(["strict", "accept-new", "off"])(
    "is always refused if it is revoked, even with %s",
    async (policy) => {
      const hostKey = publicKey(sshd.hostKeys.rsa);
      const file = knownHosts(`${name} ${hostKey}`, `@revoked * ${hostKey}`);
      await expect(connect(file, policy)).rejects.toMatchObject({
        code: "E_HOST_KEY",
        failure: { what: `the host key of ${name} is revoked`, expected: expect.stringContaining(`${file}:2`) },
      });
    },
  );
});

test("collectUnknownHostKeys lists unknown keys once, in order, without logging in", async () => {
  const second = await startSshd({});
  const known = knownHosts(`[127.0.0.1]:${second.port} ${publicKey(second.hostKeys.ecdsa)}`);
  const empty = knownHosts();
  const strict = { hostKeyPolicy: "strict" as const, connectTimeoutSeconds: 3 };
  const logged = sshd.log().length;
  const keys = await collectUnknownHostKeys(
    [
      addressOf(second.port, { ...strict, name: "db1", knownHostsFiles: [known] }),
      addressOf(sshd.port, { ...strict, name: "web1", knownHostsFiles: [empty] }),
      addressOf(sshd.port, { ...strict, name: "web1-again", knownHostsFiles: [empty] }),
      addressOf(await freePort(), { ...strict, name: "gone", knownHostsFiles: [empty] }),
      addressOf(second.port, { ...strict, name: "db2", hostKeyPolicy: "off" }),
      addressOf(0, { ...strict, name: "here", transport: "local" }),
    ],
    signal,
  );
  expect(keys).toEqual([
    {
      host: "web1",
      name,
      keyType: "ssh-rsa",
      fingerprint: fingerprintOf(sshd.hostKeys.rsa),
      line: `${name} ${publicKey(sshd.hostKeys.rsa)}`,
    },
  ]);
  expect(sshd.log().slice(logged)).not.toMatch(/Accepted|Failed|Invalid user/);
  await second.stop();
});
