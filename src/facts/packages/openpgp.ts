import { createHash } from "node:crypto";
import { encodeText } from "../../core/host/bytes.ts";

/**
 * The fingerprints (40 hex digits, upper case) of the public keys and subkeys in a key file, armored or binary; empty
 * if the file contains none. Only version 4 keys are supported (RFC 4880, 12.2: SHA-1 of 0x99, the length and the
 * packet).
 */
export function keyFingerprints(key: string): string[] {
  const bytes = keyBytes(key);
  const found: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const packet = packetAt(bytes, at);
    if (packet === undefined) return found;
    const { tag, start, end } = packet;
    if ((tag === 6 || tag === 14) && bytes[start] === 4) {
      const body = bytes.subarray(start, end);
      const head = Buffer.from([0x99, body.length >> 8, body.length & 0xff]);
      found.push(createHash("sha1").update(head).update(body).digest("hex").toUpperCase());
    }
    at = end;
  }
  return found;
}

/** The key in armored form, as text (RFC 4880, 6.2). */
export function armorKey(key: string): string {
  if (key.includes("-----BEGIN PGP")) return key.endsWith("\n") ? key : `${key}\n`;
  const lines =
    Buffer.from(keyBytes(key))
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return ["-----BEGIN PGP PUBLIC KEY BLOCK-----", "", ...lines, "-----END PGP PUBLIC KEY BLOCK-----", ""].join("\n");
}

/** A fingerprint in upper case without spaces or a `0x` prefix, for comparison. */
export function plainFingerprint(fingerprint: string): string {
  return fingerprint.replaceAll(/\s|^0x/gi, "").toUpperCase();
}

function keyBytes(key: string): Uint8Array {
  const armor = /-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n((?:[^\n]*: [^\n]*\n)*)\r?\n([^-]*)-----END/.exec(key);
  if (!armor) return key.includes("-----BEGIN") ? new Uint8Array() : encodeText(key);
  const base64 = (armor[2] ?? "").split(/\r?\n/).filter((line) => !line.startsWith("="));
  return Buffer.from(base64.join(""), "base64");
}

/** The tag and extent of the packet at an offset (RFC 4880, 4.2); undefined if no packet starts there. */
function packetAt(bytes: Uint8Array, at: number): { tag: number; start: number; end: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = bytes[at] ?? 0;
  if ((head & 0x80) === 0 || at + 6 > bytes.length) return undefined;
  const isNew = (head & 0x40) !== 0;
  const tag = isNew ? head & 0x3f : (head >> 2) & 0x0f;
  const first = bytes[at + 1] ?? 0;
  const width = isNew ? (first < 192 ? 1 : first < 224 ? 2 : 5) : ([1, 2, 4, 0][head & 3] ?? 0);
  let length = 0;
  if (isNew)
    length =
      width === 1 ? first : width === 2 ? ((first - 192) << 8) + view.getUint8(at + 2) + 192 : view.getUint32(at + 2);
  else length = width === 1 ? first : width === 2 ? view.getUint16(at + 1) : width === 4 ? view.getUint32(at + 1) : 0;
  const start = at + 1 + width;
  return width === 0 || start + length > bytes.length ? undefined : { tag, start, end: start + length };
}
