import type { KeyLine } from "./keys.ts";

/**
 * The parts that follow the type name, by key type. Each part is given as a length in bytes or as its exact text;
 * undefined means any length.
 */
const shapes: Readonly<Record<string, readonly (number | string | undefined)[]>> = {
  "ssh-dss": [undefined, undefined, undefined, undefined],
  "ssh-rsa": [undefined, undefined],
  "ssh-ed25519": [32],
  "ecdsa-sha2-nistp256": ["nistp256", 65],
  "ecdsa-sha2-nistp384": ["nistp384", 97],
  "ecdsa-sha2-nistp521": ["nistp521", 133],
  "sk-ssh-ed25519@openssh.com": [32, undefined],
  "sk-ecdsa-sha2-nistp256@openssh.com": ["nistp256", 65, undefined],
};

/**
 * Returns the reason why a line cannot be a public key, as the end of a sentence that begins with "this one"; undefined
 * if it can be one. A key is the base64 encoding of several strings, each preceded by its length; the first string is
 * the type (RFC 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4; OpenSSH's PROTOCOL.u2f). Certificates also
 * contain numbers (PROTOCOL.certkeys), so only their type is checked. A type that is not in the list but has a domain
 * in its name may be newer than the list, so the only check is that no part of its key is cut off.
 */
export function keyFault({ type, blob }: KeyLine): string | undefined {
  const bytes = Buffer.from(blob, "base64");
  if (bytes.toString("base64") !== blob) return "is not complete base64";
  const damaged = "is cut off or damaged";
  const [name, rest] = nextString(bytes) ?? [];
  if (name === undefined || rest === undefined) return damaged;
  if (text(name) !== type) return `says "${type}" but contains a key of type "${text(name)}"`;
  if (rest.length === 0) return damaged;
  if (/-cert-v\d+@/.test(type)) return undefined;
  const shape = shapes[type];
  if (shape === undefined && !type.includes("@")) return `has the type "${type}", which sshd does not know`;
  const parts = strings(rest);
  return parts !== undefined && (shape === undefined || fits(parts, shape)) ? undefined : damaged;
}

function fits(parts: readonly Uint8Array[], shape: readonly (number | string | undefined)[]): boolean {
  return (
    parts.length === shape.length &&
    parts.every((part, at) => {
      const wanted = shape[at];
      if (typeof wanted === "string") return text(part) === wanted;
      return wanted === undefined ? part.length > 0 : part.length === wanted;
    })
  );
}

/** Splits bytes into length-prefixed strings; undefined if the last one is cut off. */
function strings(bytes: Uint8Array): Uint8Array[] | undefined {
  const found: Uint8Array[] = [];
  for (let rest = bytes; rest.length > 0;) {
    const next = nextString(rest);
    if (next === undefined) return undefined;
    found.push(next[0]);
    rest = next[1];
  }
  return found;
}

function nextString(bytes: Uint8Array): readonly [Uint8Array, Uint8Array] | undefined {
  if (bytes.length < 4) return undefined;
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return end > bytes.length ? undefined : [bytes.subarray(4, end), bytes.subarray(end)];
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
