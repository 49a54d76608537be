import { z } from "../../src/authoring.ts";

/** The types of keys that sshd accepts; it has refused DSA keys by default since OpenSSH 7.0. */
const types = new Set(
  [
    ["ssh-ed25519", ""],
    ["ssh-rsa", ""],
    ["ecdsa-sha2-nistp256", ""],
    ["ecdsa-sha2-nistp384", ""],
    ["ecdsa-sha2-nistp521", ""],
    ["sk-ssh-ed25519", "@openssh.com"],
    ["sk-ecdsa-sha2-nistp256", "@openssh.com"],
  ].flatMap(([name = "", domain = ""]) => [`${name}${domain}`, `${name}-cert-v01@openssh.com`]),
);

/**
 * Options before the type: separated by commas, with spaces only inside quotes (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
 */
const options = /^(?:[^\s"]|"(?:\\"|\\(?!")|[^"\\])*")+[ \t]+/;

/** Where the installed system downloads keys from (mudler/yip, ssh.go). */
const downloaded = /^(?:git(?:hub|lab):[\w.-]+|https?:\/\/\S+)$/;

/**
 * A public key that may log in to the nodes, as in an `authorized_keys` file, or a place to download keys from. The
 * installer does not check keys, and sshd ignores a malformed one, so a mistake would only be noticed when nobody can
 * log in.
 */
export const authorizedKey = z
  .string()
  .refine(isAuthorized, 'a complete public key, like "ssh-ed25519 AAAA… me@example.com", or github:USER');

function isAuthorized(text: string): boolean {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  return lines.length > 0 && (downloaded.test(text.trim()) || lines.every(isKey));
}

function isKey(line: string): boolean {
  return isPlainKey(line) || isPlainKey(line.replace(options, ""));
}

function isPlainKey(line: string): boolean {
  const [type = "", encoded = ""] = line.split(/[ \t]+/);
  if (!types.has(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const fields = fieldsOf(Buffer.from(encoded, "base64"));
  return fields !== undefined && fields.length > 1 && fields[0] === type;
}

/** The fields of a public key (RFC 4253, section 6.6); undefined if the data ends within a field. */
function fieldsOf(data: Buffer): string[] | undefined {
  const fields: string[] = [];
  let at = 0;
  while (at < data.length) {
    if (at + 4 > data.length) return undefined;
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) return undefined;
    fields.push(data.toString("latin1", at + 4, end));
    at = end;
  }
  return fields;
}
