import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { afterAll, expect, test } from "vitest";
import type { Client, ClientChannel } from "ssh2";
import { algorithms } from "../../../src/transport/ssh/algorithms.ts";
import { keepKeys } from "../../../src/transport/ssh/patches/kept-keys.ts";
import { loadSsh2 } from "../../../src/transport/ssh/ssh2.ts";
import { makeKey, removeFolders, startSshd, temporaryFolder } from "../sshd.ts";

const folder = temporaryFolder();
const key = makeKey(folder, "id");
afterAll(removeFolders);

/** Sends bytes through `cat` on the host. Returns what arrives. */
async function echoed(client: Client, data: Buffer): Promise<Buffer> {
  const stream = await new Promise<ClientChannel>((resolve, reject) =>
    client.exec("cat", (error, channel) => (error ? reject(error) : resolve(channel))),
  );
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.end(data);
  await once(stream, "close");
  return Buffer.concat(parts);
}

/** For each direction, whether the key is stored as one of Node's key objects. */
function kept(client: Client): boolean[] {
  const { _cipher, _decipher } = (client as never)["_protocol"] as Record<string, Record<string, object>>;
  return [_cipher?.["_encKey"], _decipher?.["_decipherKey"]].map((one) => one?.constructor.name === "SecretKeyObject");
}

test("ssh2 keeps packet keys as key objects, even after a second key exchange, and the packets are correct", async () => {
  const sshd = await startSshd({ authorizedKeys: [key], config: ["RekeyLimit 200K"] });
  const client = new (await loadSsh2()).Client();
  try {
    const ready = once(client, "ready");
    client.connect({
      host: "127.0.0.1",
      port: sshd.port,
      username: userInfo().username,
      privateKey: readFileSync(key),
      algorithms,
    });
    keepKeys(client);
    let exchanges = 0;
    client.on("handshake", () => (exchanges += 1));
    await ready;
    const data = randomBytes(300_000);
    expect(kept(client)).toEqual([true, true]);
    expect((await echoed(client, data)).equals(data)).toBe(true);
    expect(exchanges).toBeGreaterThan(1);
    expect(kept(client)).toEqual([true, true]);
    expect((await echoed(client, data)).equals(data)).toBe(true);
  } finally {
    client.end();
    await sshd.stop();
  }
});
