import { describe, expect, it } from "vitest";
import type { Address, Link, Transport } from "../core/host/transport.ts";
import { localTransport } from "../transport/local/local.ts";
import { Links } from "./links.ts";

const address = { name: "here", transport: "local" } as unknown as Address;
const signal = new AbortController().signal;

/** Returns a `Links` that records the links it opens. The links themselves are real. */
function counted(): { links: Links; opened: Link[] } {
  const opened: Link[] = [];
  const transport: Transport = {
    async connect(to, until) {
      const link = await localTransport.connect(to, until);
      opened.push(link);
      return link;
    },
  };
  return { links: new Links(() => Promise.resolve(transport)), opened };
}

describe("Links", () => {
  it("opens one connection for all callers, and closes it after the last caller", async () => {
    const { links, opened } = counted();
    const [a, b] = await Promise.all([links.open(address, signal), links.open(address, signal)]);
    expect(opened).toHaveLength(1);
    await a.close();
    await a.close();
    await expect(b.exec("true")).resolves.toBeDefined();
    await b.close();
    await expect(b.exec("true")).rejects.toMatchObject({ code: "E_UNREACHABLE" });
  });

  it("connects again after a connection was lost or closed", async () => {
    const { links, opened } = counted();
    await links.open(address, signal);
    await opened[0]?.close();
    await links.open(address, signal);
    expect(opened).toHaveLength(2);
  });

  it("counts the bytes of a shared connection once", async () => {
    const { links } = counted();
    const [a, b] = [await links.open(address, signal), await links.open(address, signal)];
    const channel = await a.exec("echo hello");
    channel.onStdout(() => undefined);
    channel.onStderr(() => undefined);
    await channel.ended;
    expect(a.stats().bytesReceived).toBeGreaterThan(0);
    expect(b.stats().bytesReceived).toBe(0);
  });

  it("tries again after a failure", async () => {
    let tries = 0;
    const links = new Links(() => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("no network")) : Promise.resolve(localTransport);
    });
    await expect(links.open(address, signal)).rejects.toThrow("no network");
    await expect(links.open(address, signal)).resolves.toBeDefined();
  });
});
