import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Address, Link } from "../../src/core/host/transport.ts";
import { SshTransport } from "../../src/transport/ssh/ssh.ts";
import { throughTerminal } from "./channels.ts";
import { startProxy } from "./ssh/proxy.ts";
import { addressOf, makeKey, outputOf, removeFolders, startSshd, temporaryFolder } from "./sshd.ts";
import type { Sshd } from "./sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const megabyte = 1 << 20;
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

const connect = (more: Partial<Address> = {}): Promise<Link> =>
  new SshTransport().connect(addressOf(sshd.port, { identityFiles: [key], ...more }), signal);

describe("a channel", () => {
  test("returns exit code, signal, and both streams", async () => {
    const link = await connect();
    expect(await outputOf(await link.exec("echo out; echo err >&2; exit 7"))).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 7,
      signal: undefined,
    });
    expect(await outputOf(await link.exec("kill -TERM $$"))).toMatchObject({ code: undefined, signal: "SIGTERM" });
    expect(link.stats().channels).toBe(2);
    await link.close();
    expect(await link.closed).toBeUndefined();
  });

  test("carries 50 MB each way unchanged, using little memory", async () => {
    const link = await connect();
    const channel = await link.exec("cat");
    const sent = createHash("sha256");
    const received = createHash("sha256");
    let bytes = 0;
    let ahead = 0;
    let farthest = 0;
    channel.onStdout(async (data) => {
      received.update(data);
      bytes += data.length;
      if (bytes % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    });
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 50 * 16; index += 1) {
      const block = Buffer.alloc(megabyte / 16, `${index} `);
      sent.update(block);
      ahead += block.length;
      await channel.write(block);
      farthest = Math.max(farthest, ahead - bytes);
    }
    channel.end();
    expect((await channel.ended).code).toBe(0);
    expect(bytes).toBe(50 * megabyte);
    expect(received.digest("hex")).toBe(sent.digest("hex"));
    // Only two windows of 2 MiB, cat's pipes and sshd's buffers can be full, which is far less than all of the data.
    expect(farthest).toBeLessThan(12 * megabyte);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * megabyte);
    await link.close();
  });

  test("pauses the process on the host if the listener is slow", async () => {
    const link = await connect();
    const channel = await link.exec("head -c 30000000 /dev/zero; echo finished >&2");
    let finished = false;
    let bytes = 0;
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    channel.onStderr(() => void (finished = true));
    channel.onStdout((data) => {
      bytes += data.length;
      return gate;
    });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(finished).toBe(false);
    expect(bytes).toBeLessThan(megabyte);
    release();
    await channel.ended;
    expect(finished).toBe(true);
    expect(bytes).toBe(30_000_000);
    await link.close();
  });

  test("resolves `ended` after the last byte, however slow the listener is, and gives a late listener all bytes", async () => {
    const link = await connect();
    const channel = await link.exec("seq 1 20000; sleep 0.5; exit 3");
    await new Promise((resolve) => setTimeout(resolve, 200));
    let text = "";
    channel.onStdout(async (data) => {
      await new Promise((resolve) => setTimeout(resolve, 2));
      text += Buffer.from(data).toString();
    });
    expect(await channel.ended).toEqual({ code: 3, signal: undefined });
    expect(text.split("\n")).toHaveLength(20_001);
    await link.close();
  });

  test("rejects `ended` with an error that the listener throws", async () => {
    const link = await connect();
    const channel = await link.exec("seq 1 200000");
    channel.onStdout(() => {
      throw new Error("listener broke");
    });
    await expect(channel.ended).rejects.toThrow("listener broke");
    await link.close();
  });

  test("rejects writes to a process that has ended", async () => {
    const link = await connect();
    const channel = await link.exec("exit 0");
    await channel.ended;
    await expect(channel.write(Buffer.from("x"))).rejects.toMatchObject({ code: "E_PROTOCOL" });
    const stuck = await link.exec("sleep 0.3");
    await expect(stuck.write(Buffer.alloc(8 * megabyte))).rejects.toMatchObject({ code: "E_PROTOCOL" });
    await link.close();
  });

  test("closes the streams of the host's process when it is destroyed, while other channels stay open", async () => {
    const link = await connect();
    const endless = await link.exec("yes");
    const other = await link.exec("sleep 0.5; echo fine");
    const text = outputOf(other);
    let bytes = 0;
    endless.onStdout((data) => void (bytes += data.length));
    await expect.poll(() => bytes).toBeGreaterThan(megabyte);
    endless.destroy();
    expect((await endless.ended).code).toBeUndefined();
    expect((await text).stdout).toBe("fine\n");
    await link.close();
  });

  test("carries every byte unchanged through a terminal", async () => {
    const link = await connect();
    const [seen, wanted] = await throughTerminal(link);
    expect(seen).toEqual(wanted);
    await link.close();
  });

  test("reports a session that exceeds sshd's limit, and the link stays open", async () => {
    const link = await connect();
    const open = await Promise.all(Array.from({ length: 10 }, () => link.exec("cat")));
    await expect(link.exec("true")).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: "web1 refuses another channel on its connection" },
    });
    for (const channel of open) channel.end();
    await Promise.all(open.map((channel) => channel.ended));
    expect((await outputOf(await link.exec("echo yes"))).stdout).toBe("yes\n");
    await link.close();
  });
});

describe("a lost link", () => {
  test("is immediately reported by its channels and by the link itself", async () => {
    const cable = await startProxy(sshd.port);
    const link = await connect({ port: cable.port });
    const channel = await link.exec("echo started; cat");
    const started = new Promise<void>((resolve) => channel.onStdout(() => resolve()));
    await started;
    const writing = channel.write(Buffer.alloc(20 * megabyte));
    cable.cut();
    await expect(channel.ended).rejects.toMatchObject({ code: "E_UNREACHABLE", failure: { where: { host: "web1" } } });
    await expect(writing).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    expect(await link.closed).toMatchObject({ code: "E_UNREACHABLE", failure: { current: /ECONNRESET|closed/ } });
    await expect(link.exec("true")).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    await cable.close();
  });

  test("is noticed by the keepalive if the host is silent", async () => {
    const cable = await startProxy(sshd.port);
    const link = await connect({ port: cable.port, keepaliveSeconds: 0.2 });
    const channel = await link.exec("cat");
    // The link stays alive although it is idle for longer than the timeout.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const started = performance.now();
    cable.stall();
    expect(await link.closed).toMatchObject({
      code: "E_UNREACHABLE",
      failure: { current: "the host does not answer keepalives" },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    await expect(channel.ended).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    await cable.close();
  });

  test("ends at the deadline if the host is silent during the handshake", async () => {
    const cable = await startProxy(sshd.port);
    cable.stall();
    const started = performance.now();
    await expect(connect({ port: cable.port, connectTimeoutSeconds: 1 })).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: /within 1 s/ },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    await cable.close();
  });

  test("does not lose output that was complete before the cut", async () => {
    const cable = await startProxy(sshd.port);
    const link = await connect({ port: cable.port });
    const channel = await link.exec("seq 1 1000; exit 2");
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((begun) => {
      channel.onStdout(() => {
        begun();
        return gate;
      });
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    cable.cut();
    await link.closed;
    release();
    expect(await channel.ended).toMatchObject({ code: 2 });
    await cable.close();
  });

  test("closes quickly even if the host does not answer", async () => {
    const cable = await startProxy(sshd.port);
    const link = await connect({ port: cable.port });
    cable.stall();
    const started = performance.now();
    await link.close();
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(await link.closed).toBeUndefined();
    await cable.close();
  });
});
