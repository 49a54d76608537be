import { expect, it } from "vitest";
import { FurrowError } from "../../../core/errors.ts";
import { ChannelRefused, type Link } from "../../../core/host/transport.ts";
import { ShellLines } from "./reconnect.ts";

const { signal } = new AbortController();

/** A link that only records whether it was closed. */
function linkNoted(): Link & { readonly isClosed: () => boolean } {
  let closed = false;
  return {
    exec: () => Promise.reject(new FurrowError("E_UNREACHABLE", { what: "the connection was lost" })),
    execPty: () => Promise.reject(new FurrowError("E_UNREACHABLE", { what: "the connection was lost" })),
    stats: () => ({ bytesSent: 0, bytesReceived: 0, channels: 0 }),
    close: async () => void (closed = true),
    closed: new Promise(() => {}),
    isClosed: () => closed,
  } as unknown as Link & { readonly isClosed: () => boolean };
}

it("closes a connection that was reopened only after the session's end, because it would keep furrow running", async () => {
  const again = Promise.withResolvers<Link>();
  const first = linkNoted();
  const lines = new ShellLines({
    host: "web1",
    link: first,
    relink: () => again.promise,
    become: undefined,
    tried: undefined,
    reconnectSeconds: 300,
    identity: { run: "r1", session: "s1", holder: undefined },
  });
  // The second shell finds that the link is lost, and asks for a new one.
  const order = lines.withLink((link) => link.exec("true"), signal);
  await expect.poll(() => first.isClosed()).toBe(true);
  const waits = lines.link(signal);
  await lines.close();
  const late = linkNoted();
  again.resolve(late);
  await expect(waits).rejects.toMatchObject({ code: "E_UNREACHABLE" });
  await expect(order).rejects.toMatchObject({ code: "E_UNREACHABLE" });
  expect(late.isClosed()).toBe(true);
});

it("keeps the connection that carries a running frame if the host refuses a second shell on it", async () => {
  const refusal = new FurrowError("E_UNREACHABLE", {
    what: "web1 refuses another channel on its connection",
    cause: new ChannelRefused("Session open refused by peer"),
  });
  const link = linkNoted();
  let relinked = 0;
  const lines = new ShellLines({
    host: "web1",
    link,
    relink: () => Promise.reject(new Error(`relinked ${(relinked += 1)} times`)),
    become: undefined,
    tried: undefined,
    reconnectSeconds: 300,
    identity: { run: "r1", session: "s1", holder: undefined },
  });
  await expect(lines.withLink(() => Promise.reject(refusal), signal)).rejects.toBe(refusal);
  expect([link.isClosed(), relinked]).toEqual([false, 0]);
});
