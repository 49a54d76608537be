import { createPrivateKey } from "node:crypto";
import type { ParsedKey } from "ssh2";
import { optimized } from "../../../core/optimizer.ts";
import { loadSsh2 } from "../ssh2.ts";
import { readNamedFile } from "../../named-file.ts";

/** The result of reading one private key file. */
export interface Identity {
  readonly path: string;
  /** Present if the file can be used to sign. */
  readonly key?: ParsedKey;
  /** The public key in wire format, if readable without the passphrase: the agent may have its private half. */
  readonly publicKey?: Buffer;
  /** Why `key` is missing. */
  readonly problem?: "missing" | "encrypted" | "wrong passphrase" | "public only" | "unusable";
  /** Details about an unusable file. */
  readonly detail?: string;
}

/**
 * Caches decrypted keys by file, stamp and passphrase: bcrypt takes a tenth of a second, and many hosts share a key.
 */
const cache = new Map<string, Promise<Identity>>();

/** Reads one private key file: OpenSSH's own format, PEM and PKCS#8, encrypted or not. Never throws. */
export async function readIdentity(path: string, passphrase: string | undefined): Promise<Identity> {
  let text: Buffer;
  try {
    text = await readNamedFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { path, problem: "missing" } : { path, problem: "unusable", detail: message };
  }
  const id = JSON.stringify([path, text.toString("latin1"), passphrase]);
  const identity = cache.get(id) ?? parse(path, text, passphrase);
  cache.set(id, identity);
  return identity;
}

async function parse(path: string, text: Buffer, passphrase: string | undefined): Promise<Identity> {
  const { utils } = await loadSsh2();
  const input = fromPkcs8(text, passphrase) ?? text;
  const bare = utils.parseKey(input);
  if (!(bare instanceof Error)) {
    const key = Array.isArray(bare) ? (bare[0] as ParsedKey) : bare;
    const publicKey = key.getPublicSSH();
    return key.isPrivateKey() ? { path, key, publicKey } : { path, publicKey, problem: "public only" };
  }
  const publicKey = openSshPublicPart(text) ?? (await publicFile(path));
  const known = publicKey === undefined ? {} : { publicKey };
  if (!isEncrypted(bare, text)) return { path, ...known, problem: "unusable", detail: bare.message };
  if (passphrase === undefined) return { path, ...known, problem: "encrypted" };
  // The key derivation of an encrypted key, bcrypt, takes at least a tenth of a second.
  const opened = optimized(() => utils.parseKey(input, Buffer.from(passphrase)));
  if (opened instanceof Error) return { path, ...known, problem: "wrong passphrase" };
  const key = Array.isArray(opened) ? (opened[0] as ParsedKey) : opened;
  return { path, key, publicKey: key.getPublicSSH() };
}

function isEncrypted(error: Error, text: Buffer): boolean {
  return /no passphrase given/i.test(error.message) || text.includes("BEGIN ENCRYPTED PRIVATE KEY");
}

/**
 * ssh2 cannot read PKCS#8. Node can, and converts it to the older PEM that ssh2 reads (except for Ed25519 keys, for
 * which there is no older PEM).
 */
function fromPkcs8(text: Buffer, passphrase: string | undefined): string | undefined {
  if (!/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text.toString("latin1"))) return undefined;
  try {
    const key = createPrivateKey({ key: text, ...(passphrase === undefined ? {} : { passphrase }) });
    const type = key.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
    return key.export({ format: "pem", type }).toString();
  } catch {
    return undefined;
  }
}

/**
 * Reads the public key from an OpenSSH private key file, where it precedes the encrypted part (OpenSSH's PROTOCOL.key).
 */
function openSshPublicPart(text: Buffer): Buffer | undefined {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([^-]*)-----END/.exec(text.toString("latin1"))?.[1];
  const data = Buffer.from(body ?? "", "base64");
  const magic = "openssh-key-v1\0";
  if (data.toString("latin1", 0, magic.length) !== magic) return undefined;
  try {
    let at = magic.length;
    const skip = (): Buffer => {
      const length = data.readUInt32BE(at);
      at += 4 + length;
      return data.subarray(at - length, at);
    };
    skip();
    skip();
    skip();
    at += 4;
    return skip();
  } catch {
    return undefined;
  }
}

async function publicFile(path: string): Promise<Buffer | undefined> {
  try {
    const [, encoded] = (await readNamedFile(`${path}.pub`)).toString("utf8").split(" ");
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64");
  } catch {
    return undefined;
  }
}
