import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Address } from "../../../core/host/transport.ts";
import { secretOf } from "../../../core/secrets/secret.ts";
import { openShell } from "../../become.ts";
import { authentication } from "../login/auth.ts";
import { hostKeyJudge } from "./host-key-policy.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function key(filler: string): Buffer {
  const type = Buffer.from("ssh-ed25519");
  const size = Buffer.alloc(4);
  size.writeUInt32BE(type.length);
  return Buffer.concat([size, type, Buffer.alloc(36, filler)]);
}

function address(line: string, hostKeys: readonly string[]): Address {
  const file = join(folder, "known_hosts");
  writeFileSync(file, line);
  return { address: "192.0.2.7", port: 22, hostKeyPolicy: "strict", knownHostsFiles: [file], hostKeys } as never;
}

const own = key("a");
const given = [`ssh-ed25519 ${own.toString("base64")} root@host`];
const other = `ssh-ed25519 ${key("b").toString("base64")}`;

test("accepts a key from the inventory without a known_hosts file", async () => {
  await expect((await hostKeyJudge(address("", given))).accept(own)).resolves.toBeUndefined();
});

test("prefers a key from the inventory to a known_hosts file that lists another machine at this address", async () => {
  const judge = await hostKeyJudge(address(`192.0.2.7 ${other}\n`, given));
  await expect(judge.accept(own)).resolves.toBeUndefined();
  await expect(judge.accept(key("b"))).rejects.toMatchObject({ code: "E_HOST_KEY" });
});

test("refuses a revoked key even if the inventory lists it", async () => {
  const judge = await hostKeyJudge(address(`@revoked * ssh-ed25519 ${own.toString("base64")}\n`, given));
  await expect(judge.accept(own)).rejects.toThrow("revoked");
});

describe("RevokedHostKeys in ssh_config", () => {
  function revoking(text: string | Buffer, more: Partial<Address> = {}): Address {
    const file = join(folder, "revoked");
    writeFileSync(file, text);
    return { ...address(`192.0.2.7 ${given[0]}\n`, []), revokedKeysFile: file, ...more };
  }

  test.each(["strict", "accept-new", "off"] as const)("refuses a revoked key with the policy %s", async (policy) => {
    const judge = await hostKeyJudge(revoking(`# stolen\n\n  ${given[0]}\n`, { hostKeyPolicy: policy }));
    await expect(judge.accept(own)).rejects.toMatchObject({ code: "E_HOST_KEY", message: /revoked/ });
  });

  test("accepts a known key that the file does not list", async () => {
    await expect((await hostKeyJudge(revoking(`${other}\n`))).accept(own)).resolves.toBeUndefined();
  });

  test("refuses a key that the inventory lists", async () => {
    const judge = await hostKeyJudge(revoking(`${given[0]}\n`, { hostKeys: given }));
    await expect(judge.accept(own)).rejects.toThrow("revoked");
  });

  test.each([
    ["a key revocation list", Buffer.from("SSHKRL\n\0\0\0\0\u0001"), /key revocation list/],
    ["a line that is not a public key", "ssh-ed25519 AAAA\n", /revoked:1 is not a public key/],
  ])("refuses every key if the file is %s", async (_what, text, why) => {
    await expect(hostKeyJudge(revoking(text, { hostKeyPolicy: "off" }))).rejects.toMatchObject({
      code: "E_FILE",
      message: why,
    });
  });

  test("refuses every key if the file is missing", async () => {
    const missing = { ...revoking(""), revokedKeysFile: join(folder, "none") };
    await expect(hostKeyJudge(missing)).rejects.toMatchObject({ code: "E_FILE" });
  });
});

describe("the policy accept-new", () => {
  test("does not add a key to the system's file if ssh_config says UserKnownHostsFile none", async () => {
    const judge = await hostKeyJudge({ ...address("", []), hostKeyPolicy: "accept-new" });
    await expect(judge.accept(own)).resolves.toBeUndefined();
    expect(readFileSync(join(folder, "known_hosts"), "utf8")).toBe("");
  });

  test("adds a key to the user's file", async () => {
    const file = join(folder, "users-own");
    const judge = await hostKeyJudge({ ...address("", []), hostKeyPolicy: "accept-new", newHostKeysFile: file });
    await judge.accept(own);
    expect(readFileSync(file, "utf8")).toContain(own.toString("base64"));
  });
});

describe("a host whose key has changed, with the policy off", () => {
  const password = secretOf("hunter22", "password");
  const changed = (): Address => ({
    ...address(`192.0.2.7 ${other}\n`, []),
    hostKeyPolicy: "off",
    name: "web1",
    user: "ops",
    identityFiles: [],
    password,
  });

  test("is accepted, but gets no login password", async () => {
    const [judge, auth] = [await hostKeyJudge(changed()), await authentication(changed(), undefined)];
    await judge.accept(own);
    auth.withholdPasswords(judge.changed);
    expect(auth.next(["password", "keyboard-interactive"], false)).toBe(false);
    expect(auth.sentPassword).toBe(false);
    expect(auth.refused("no method left")).toMatchObject({
      code: "E_HOST_KEY",
      failure: {
        what: "the host key of 192.0.2.7 has changed",
        details: expect.arrayContaining([expect.stringContaining("no password is sent")]) as string[],
      },
    });
  });

  test("gets no become password", async () => {
    const judge = await hostKeyJudge(changed());
    await judge.accept(own);
    const link = { exec: () => Promise.reject(new Error("it opened a shell")), changedKey: judge.changed } as never;
    const become = { method: "sudo", user: "root", password } as const;
    const { signal } = new AbortController();
    await expect(openShell(link, { host: "web1", become, signal })).rejects.toMatchObject({ code: "E_HOST_KEY" });
  });

  test("gets the password if known_hosts does not know the host", async () => {
    const judge = await hostKeyJudge({ ...changed(), knownHostsFiles: [] });
    const auth = await authentication(changed(), undefined);
    await judge.accept(own);
    auth.withholdPasswords(judge.changed);
    expect(auth.next(["password"], false)).toMatchObject({ type: "password" });
  });
});
