import { scryptSync } from "node:crypto";

/** The cost: 32 MiB of memory and about 70 ms for one guess. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 };

/** Cached hashes: several nodes have the same token. */
const known = new Map<string, string>();

/**
 * Hashes a string in a way that takes a lot of time and memory (scrypt, RFC 7914), so nobody can quickly try a list of
 * likely secrets: `scrypt:HASH`, 256 bits in hex. Use a different salt for each purpose.
 */
export function scryptHash(text: string, salt: string): string {
  const id = JSON.stringify([text, salt]);
  const hash = known.get(id) ?? `scrypt:${scryptSync(text, salt, 32, cost).toString("hex")}`;
  known.set(id, hash);
  return hash;
}
