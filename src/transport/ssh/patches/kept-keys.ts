import { createSecretKey, type KeyObject } from "node:crypto";
import type { Client } from "ssh2";

/** The fields where ssh2 keeps its AES-GCM keys. */
interface Ciphers {
  readonly _cipher?: { _encKey?: Buffer | KeyObject };
  readonly _decipher?: { _decipherKey?: Buffer | KeyObject };
}

/**
 * Makes a client that has begun to connect keep its keys as Node key objects. ssh2 creates a cipher for each packet; if
 * the key is given as bytes, this takes Node twice as long as the encryption itself. The patch runs after each key
 * exchange and changes nothing if another cipher was agreed on.
 */
export function keepKeys(client: Client): void {
  client.on("handshake", () => {
    const { _cipher: outbound, _decipher: inbound } =
      (client as unknown as { readonly _protocol?: Ciphers })._protocol ?? {};
    if (Buffer.isBuffer(outbound?._encKey)) outbound._encKey = createSecretKey(outbound._encKey);
    if (Buffer.isBuffer(inbound?._decipherKey)) inbound._decipherKey = createSecretKey(inbound._decipherKey);
  });
}
