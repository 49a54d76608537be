import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { afterAll, expect, test } from "vitest";
import type { Client, ClientChannel } from "ssh2";
import { algorithms } from "../../../src/transport/ssh/algorithms.ts";
import { makeLeanPackets } from "../../../src/transport/ssh/patches/lean-packets.ts";
import { loadSsh2 } from "../../../src/transport/ssh/ssh2.ts";
import { gatherWrites } from "../../../src/transport/ssh/wire.ts";
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

type Alloc = (payloadLength: number) => Buffer;

/** Two functions that allocate a packet: ssh2's own, and the patch's replacement. */
function rooms(client: Client): { own: Alloc; original: Alloc } {
  const { _cipher: maker } = (client as never)["_protocol"] as { _cipher: { allocPacket: Alloc } };
  const { allocPacket } = Object.getPrototypeOf(maker) as { allocPacket: Alloc };
  return { own: (length) => maker.allocPacket(length), original: (length) => allocPacket.call(maker, length) };
}

test("packets share one buffer, sent data is released, and the host gets the right bytes, even after a second key exchange", async () => {
  const sshd = await startSshd({ authorizedKeys: [key], config: ["RekeyLimit 200K"] });
  const client = new (await loadSsh2()).Client();
  const socket = connect({ host: "127.0.0.1", port: sshd.port, noDelay: true });
  const sent: Buffer[] = [];
  try {
    await once(socket, "connect");
    gatherWrites(socket);
    const write = socket.write.bind(socket);
    socket.write = (data: Buffer, ...rest: never[]) => {
      if (data.length > 20_000) sent.push(data);
      return write(data, ...rest);
    };
    const ready = once(client, "ready");
    client.connect({ sock: socket, username: userInfo().username, privateKey: readFileSync(key), algorithms });
    makeLeanPackets(client, socket);
    let exchanges = 0;
    client.on("handshake", () => (exchanges += 1));
    await ready;
    for (let round = 0; round < 3; round += 1) {
      const data = randomBytes(300_000);
      expect((await echoed(client, data)).equals(data)).toBe(true);
    }
    expect(exchanges).toBeGreaterThan(1);
    expect(sent.length).toBeGreaterThan(20);
    expect(sent.every(({ length }) => length === 0)).toBe(true);

    const { own, original } = rooms(client);
    expect(own(10).buffer).toBe(own(1000).buffer);
    for (const length of [...Array(70).keys(), 32_777, 40_000]) {
      const [here, there] = [own(length), original(length)];
      expect([here.length, here.readUInt32BE(0), here[4]]).toEqual([there.length, there.readUInt32BE(0), there[4]]);
    }
  } finally {
    client.end();
    await sshd.stop();
  }
});
