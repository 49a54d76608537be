import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cable, startCable } from "./cable.ts";

const rttMs = 30;
let cable: Cable;
let port: number;
const host = createServer({ allowHalfOpen: true }, (socket) => {
  socket.write("hello");
  socket.pipe(socket);
});

beforeAll(async () => {
  host.listen(0, "127.0.0.1");
  await once(host, "listening");
  cable = startCable({ rttMs });
  [port = 0] = await cable.lay([{ address: "127.0.0.1", port: (host.address() as { port: number }).port }]);
});
afterAll(() => {
  cable.close();
  host.close();
});

async function all(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test("delivers and counts every byte in order, and closes only the direction that was ended", async () => {
  await cable.count();
  const sent = randomBytes(3_000_000);
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(sent);
  const answer = await all(socket);
  expect(answer.subarray(0, 5).toString()).toBe("hello");
  expect(answer.subarray(5).equals(sent)).toBe(true);
  expect(await cable.count()).toEqual({
    connections: 1,
    bytesOut: sent.length,
    bytesIn: sent.length + 5,
    roundTrips: expect.any(Number),
  });
});

test("delivers a greeting after two round trips, and an answer one round trip after its question", async () => {
  const began = performance.now();
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "data");
  expect(performance.now() - began).toBeGreaterThan(rttMs * 2 - 4);
  const asked = performance.now();
  socket.write("x");
  await once(socket, "data");
  expect(performance.now() - asked).toBeGreaterThan(rttMs - 3);
  socket.destroy();
});

test("counts one round trip for TCP's handshake and one for each answer, but none for an unanswered closing message", async () => {
  await cable.count();
  const socket = connect({ port, host: "127.0.0.1" });
  await once(socket, "data");
  for (let question = 0; question < 3; question += 1) {
    socket.write("x");
    await once(socket, "data");
  }
  socket.end("goodbye");
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, rttMs * 3));
  expect(await cable.count()).toMatchObject({ connections: 1, roundTrips: 5 });
  expect(await cable.count()).toMatchObject({ connections: 0, roundTrips: 0 });
});
