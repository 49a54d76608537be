import { createHash } from "node:crypto";

const alphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const rounds = 5000;

/**
 * A password as crypt(5) stores it: `$6$SALT$HASH`, SHA-512 in 5000 rounds (Ulrich Drepper, "Unix crypt using SHA-256
 * and SHA-512"). `salt`: up to 16 characters without `$`.
 */
export function sha512Crypt(password: string, salt: string): string {
  const key = Buffer.from(password, "utf8");
  const grain = Buffer.from(salt.slice(0, 16), "utf8");
  const inner = sha512(key, grain, key);
  const parts = [key, grain, repeated(inner, key.length)];
  for (let bits = key.length; bits > 0; bits >>= 1) parts.push((bits & 1) === 1 ? inner : key);
  let digest = sha512(...parts);
  const keys = repeated(sha512(...Array.from({ length: key.length }, () => key)), key.length);
  const grains = repeated(sha512(...Array.from({ length: 16 + (digest[0] ?? 0) }, () => grain)), grain.length);
  for (let round = 0; round < rounds; round += 1) {
    const odd = round % 2 === 1;
    const middle = [round % 3 !== 0 ? grains : undefined, round % 7 !== 0 ? keys : undefined];
    digest = sha512(...[odd ? keys : digest, ...middle, odd ? digest : keys].filter((part) => part !== undefined));
  }
  return `$6$${grain.toString("utf8")}$${printed(digest)}`;
}

function sha512(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha512");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function repeated(block: Buffer, length: number): Buffer {
  return Buffer.alloc(length, block);
}

/** Encodes three bytes as four characters, lowest bits first. The method defines which three bytes belong together. */
function printed(digest: Buffer): string {
  let text = "";
  const add = (high: number, middle: number, low: number, characters: number): void => {
    let bits = (high << 16) | (middle << 8) | low;
    for (let left = characters; left > 0; left -= 1, bits >>= 6) text += alphabet[bits & 63];
  };
  for (let at = 0; at < 21; at += 1) {
    const of = (offset: number): number => digest[(at * 22 + offset) % 63] ?? 0;
    add(of(0), of(21), of(42), 4);
  }
  add(0, 0, digest[63] ?? 0, 2);
  return text;
}
