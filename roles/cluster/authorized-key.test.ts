import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { newOpenSshKey, publicKeyOf } from "../../src/core/secrets/openssh-key.ts";
import { clusterSchema } from "./cluster.ts";

const given = { disks: ["/dev/disk/by-id/a"], token: "t", password: "p" };
const ed25519 = publicKeyOf(newOpenSshKey("me"));
const rsa = `ssh-rsa ${encoded("ssh-rsa", Buffer.from([1, 0, 1]), modulus())}`;

function encoded(...fields: readonly (string | Buffer)[]): string {
  const parts = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, Buffer.from(field as string)];
  });
  return Buffer.concat(parts).toString("base64");
}

function modulus(): Buffer {
  const { n = "" } = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ format: "jwk" });
  return Buffer.concat([Buffer.from([0]), Buffer.from(n, "base64url")]);
}

function faultsOf(key: string): string[] {
  const result = clusterSchema.safeParse({ ...given, sshAuthorizedKeys: [key] });
  return (result.error?.issues ?? []).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

test.each([
  ["a key without a comment", ed25519],
  ["a key with a comment", `${ed25519} me@example.com, at home`],
  ["the content of a .pub file, with its line break", `${ed25519} me\n`],
  ["several keys from one file", `# mine\n${ed25519} me\n\n${rsa} you\n`],
  ["an RSA key", rsa],
  ["options", `restrict,pty ${ed25519}`],
  ["options with spaces and quotes", String.raw`from="10.0.0.0/8",command="echo \"a b\"" ${ed25519} me`],
  ["tabs between the parts", ed25519.replace(" ", "\t")],
  ["a security key", `sk-ssh-ed25519@openssh.com ${encoded("sk-ssh-ed25519@openssh.com", Buffer.alloc(32), "ssh:")}`],
  ["a GitHub user's keys", "github:rancher"],
  ["a GitLab user's keys", "gitlab:rancher"],
  ["keys at a URL", "https://example.com/me.keys"],
])("accepts %s", (_name, key) => {
  expect(faultsOf(key)).toEqual([]);
});

test.each([
  ["garbage", "garbage"],
  ["nothing", ""],
  ["the placeholder from the documentation", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… me@example.com"],
  ["a key that was cut off", ed25519.slice(0, -8)],
  ["a key with extra characters at its end", `${ed25519}AAAA`],
  ["a type that does not match the key", ed25519.replace("ssh-ed25519", "ssh-rsa")],
  ["a key without its type", ed25519.slice("ssh-ed25519 ".length)],
  ["a type without a key", "ssh-ed25519"],
  ["an open quote in the options", `command="date ${ed25519}`],
  ["a wrong second line", `${ed25519}\ngarbage`],
  ["a private key", newOpenSshKey("me")],
  ["a service without a user", "github:"],
])("refuses %s before it connects to anything", (_name, key) => {
  expect(faultsOf(key)[0]).toContain("sshAuthorizedKeys.0: a complete public key");
});
