import type { Algorithms, ServerHostKeyAlgorithm } from "ssh2";

/**
 * The algorithms offered to a server, best first: no SHA-1, no CBC, no DSA. OpenSSH has supported the first entry of
 * each list since 6.5 (2014). Compression is off, because frames are small.
 */
export const algorithms = {
  kex: [
    "curve25519-sha256",
    "curve25519-sha256@libssh.org",
    "ecdh-sha2-nistp256",
    "ecdh-sha2-nistp384",
    "ecdh-sha2-nistp521",
    "diffie-hellman-group16-sha512",
    "diffie-hellman-group14-sha256",
    "diffie-hellman-group-exchange-sha256",
  ],
  cipher: [
    "aes128-gcm@openssh.com",
    "aes256-gcm@openssh.com",
    "chacha20-poly1305@openssh.com",
    "aes128-ctr",
    "aes192-ctr",
    "aes256-ctr",
  ],
  hmac: ["hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com", "hmac-sha2-256", "hmac-sha2-512"],
  compress: ["none"],
} satisfies Algorithms;

/** Host key signature algorithms, best first, with the type of key that each one uses. */
const hostKeyAlgorithms: readonly { readonly algorithm: ServerHostKeyAlgorithm; readonly keyType: string }[] = [
  { algorithm: "ssh-ed25519", keyType: "ssh-ed25519" },
  { algorithm: "ecdsa-sha2-nistp256", keyType: "ecdsa-sha2-nistp256" },
  { algorithm: "ecdsa-sha2-nistp384", keyType: "ecdsa-sha2-nistp384" },
  { algorithm: "ecdsa-sha2-nistp521", keyType: "ecdsa-sha2-nistp521" },
  { algorithm: "rsa-sha2-512", keyType: "ssh-rsa" },
  { algorithm: "rsa-sha2-256", keyType: "ssh-rsa" },
];

/**
 * The host key algorithms to ask for, those of known keys first. A server with several keys then shows one that can be
 * checked, instead of an unknown one, which would look like a changed key.
 */
export function orderHostKeyAlgorithms(knownKeyTypes: ReadonlySet<string>): ServerHostKeyAlgorithm[] {
  const known = hostKeyAlgorithms.filter(({ keyType }) => knownKeyTypes.has(keyType));
  const others = hostKeyAlgorithms.filter(({ keyType }) => !knownKeyTypes.has(keyType));
  return [...known, ...others].map(({ algorithm }) => algorithm);
}
