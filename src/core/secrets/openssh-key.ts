import { generateKeyPairSync } from "node:crypto";
import { randomBytes } from "../world.ts";

const magic = "openssh-key-v1\0";
const algorithm = "ssh-ed25519";
const begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
const end = "-----END OPENSSH PRIVATE KEY-----";

/**
 * A new Ed25519 private key without a passphrase, in OpenSSH's own format (OpenSSH, PROTOCOL.key). Both ssh and ssh2
 * can read this format; Node can export these keys only as PKCS#8, which ssh2 cannot read.
 */
export function newOpenSshKey(comment: string): string {
  const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  const [seed, point] = [Buffer.from(d, "base64url"), Buffer.from(x, "base64url")];
  const check = randomBytes(4);
  const own = Buffer.concat([
    check,
    check,
    field(algorithm),
    field(point),
    field(Buffer.concat([seed, point])),
    field(comment),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (own.length % 8)) % 8 }, (_, at) => at + 1));
  const body = Buffer.concat([
    Buffer.from(magic),
    field("none"),
    field("none"),
    field(""),
    number(1),
    field(Buffer.concat([field(algorithm), field(point)])),
    field(Buffer.concat([own, padding])),
  ]);
  return `${begin}\n${(body.toString("base64").match(/.{1,70}/g) ?? []).join("\n")}\n${end}\n`;
}

/**
 * The public key, `ssh-ed25519 AAAA…`, of a private key in OpenSSH's format. Throws RangeError or TypeError if the text
 * is not such a key.
 */
export function publicKeyOf(privateKey: string): string {
  const encoded = privateKey.replace(begin, "").replace(end, "").replaceAll(/\s/g, "");
  const data = Buffer.from(encoded, "base64");
  if (data.toString("latin1", 0, magic.length) !== magic) throw new TypeError("the text is not an OpenSSH private key");
  let at = magic.length;
  const next = (): Buffer => {
    const start = at + 4;
    at = start + data.readUInt32BE(at);
    return data.subarray(start, at);
  };
  // Cipher, key derivation and its options; then the number of keys.
  next();
  next();
  next();
  at += 4;
  return `${algorithm} ${next().toString("base64")}`;
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([number(bytes.length), bytes]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
