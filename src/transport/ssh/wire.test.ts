import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { gatherWrites } from "./wire.ts";

test("sends data that was written in one turn of the event loop in a single write, in order and without further delay", async () => {
  const left: string[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (data: Buffer, _encoding, done) => {
      left.push(data.toString());
      done();
    },
    writev: (parts, done) => {
      left.push(parts.map(({ chunk }) => String(chunk)).join("+"));
      done();
    },
  });
  gatherWrites(stream);
  for (const part of ["length", "body", "check"]) stream.write(Buffer.from(part));
  expect(left).toEqual([]);
  await Promise.resolve();
  process.nextTick(() => expect(left).toEqual(["length+body+check"]));
  await new Promise((resolve) => setImmediate(resolve));
  stream.write(Buffer.from("alone"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(left).toEqual(["length+body+check", "alone"]);
});
