import { EventEmitter } from "node:events";
import { Duplex } from "node:stream";
import type { Client } from "ssh2";
import { expect, it } from "vitest";
import { SshLink } from "./link.ts";
import type { HeadStart } from "./patches/index.ts";

it("reports a lost connection, not ssh2's own error, if the host hangs up before the first process starts", async () => {
  const client = new EventEmitter();
  const stream = new Duplex({ read: () => {}, write: (_data, _encoding, done) => done() });
  stream.on("close", () => client.emit("close"));
  stream.end();
  // ssh2 throws this error once the socket no longer accepts data, but before ssh2 reports the end of the connection.
  const exec = (): never => {
    throw new Error("Not connected");
  };
  const link = new SshLink(
    "web1",
    {
      client: client as unknown as Client,
      ready: Promise.resolve(),
      headStart: { isOpen: true, exec } as unknown as HeadStart,
      changedKey: undefined,
      patches: undefined,
    },
    { stream, sent: () => 0, received: () => 0 },
  );
  await expect(link.exec("true")).rejects.toMatchObject({
    code: "E_UNREACHABLE",
    failure: { what: "the connection to web1 was lost", current: "Not connected" },
  });
  await expect(link.closed).resolves.toMatchObject({ code: "E_UNREACHABLE" });
});
