import type { Client, ParsedKey } from "ssh2";

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void;
type AuthPk = (user: string, key: ParsedKey, algorithm?: string, sign?: Sign) => void;

const signatureHashes: Record<string, string> = { "rsa-sha2-256": "sha256", "rsa-sha2-512": "sha512" };

/**
 * Makes a client that has begun to connect sign with its private keys immediately, without first asking whether the
 * host accepts a key. RFC 4252, 7 makes that question optional, and it costs a round trip. The client still asks about
 * an agent's keys, because the user may have to touch a device to sign.
 */
export function signAtOnce(client: Client): void {
  const { _protocol: protocol } = client as unknown as { readonly _protocol?: { authPK?: AuthPk } };
  const original = protocol?.authPK;
  if (protocol === undefined || original === undefined) return;
  protocol.authPK = function signing(user, key, algorithm, sign) {
    const mayKnow = algorithm === undefined || algorithm in signatureHashes;
    if (sign !== undefined || typeof key.isPrivateKey !== "function" || !key.isPrivateKey() || !mayKnow) {
      original.call(this, user, key, algorithm, sign);
      return;
    }
    original.call(this, user, key, algorithm, (data, done) => {
      const signature: Buffer | Error = key.sign(data, signatureHashes[algorithm ?? ""]);
      // Fall back to ssh2, which asks first and reports what is wrong with the key.
      if (signature instanceof Error) original.call(this, user, key, algorithm);
      else done(signature);
    });
  };
}
