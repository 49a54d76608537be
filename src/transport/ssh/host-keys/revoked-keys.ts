import { FurrowError } from "../../../core/errors.ts";
import { readNamedFile } from "../../named-file.ts";
import { type KnownHostsEntry, wireType } from "./known-hosts.ts";

/** A binary key revocation list begins with this (PROTOCOL.krl). */
const revocationList = "SSHKRL\n\0";

/**
 * Reads the public keys in a RevokedHostKeys file, as entries that revoke them for every host. Like ssh, refuses a file
 * that is missing, and one with a line that is not a public key. Throws E_FILE.
 */
export async function readRevokedKeys(file: string): Promise<KnownHostsEntry[]> {
  const text = await readFile(file);
  return text.split("\n").flatMap((raw, index) => {
    const line = raw.trim();
    return line === "" || line.startsWith("#") ? [] : [entry(line, file, index + 1)];
  });
}

async function readFile(file: string): Promise<string> {
  let data: Buffer;
  try {
    data = await readNamedFile(file);
  } catch (error) {
    throw new FurrowError("E_FILE", {
      what: `the revoked host keys in ${file} cannot be read`,
      current: (error as Error).message,
      hint: "Make the file readable, or remove RevokedHostKeys from ssh_config",
      cause: error,
    });
  }
  if (data.toString("latin1", 0, revocationList.length) !== revocationList) return data.toString("utf8");
  throw new FurrowError("E_FILE", {
    what: `${file} is a key revocation list, which only ssh itself can read`,
    hint: 'Set transport: "openssh" for the host, or write the revoked host keys as a list of public keys',
  });
}

function entry(line: string, file: string, number: number): KnownHostsEntry {
  const [keyType = "", encoded = ""] = line.split(/[ \t]+/);
  const key = Buffer.from(encoded, "base64");
  if (wireType(key) === keyType) return { file, line: number, revoked: true, hosts: "*", keyType, key };
  throw new FurrowError("E_FILE", {
    what: `${file}:${number} is not a public key, so the revoked host keys are not known`,
    expected: "lines like: ssh-ed25519 AAAA… comment",
    hint: "Correct the line; RevokedHostKeys in ssh_config names this file",
  });
}
