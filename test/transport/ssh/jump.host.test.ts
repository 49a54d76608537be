import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Address } from "../../../src/core/host/transport.ts";
import { collectUnknownHostKeys } from "../../../src/transport/ssh/scan.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import {
  addressOf,
  freePort,
  makeKey,
  outputOf,
  publicKey,
  removeFolders,
  startSshd,
  temporaryFolder,
} from "../sshd.ts";
import { startProxy } from "./proxy.ts";
import type { Sshd } from "../sshd.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const stranger = makeKey(folder, "stranger");
let first: Sshd;
let second: Sshd;
let target: Sshd;

beforeAll(async () => {
  [first, second, target] = await Promise.all([
    startSshd({ authorizedKeys: [key] }),
    startSshd({ authorizedKeys: [key] }),
    startSshd({ authorizedKeys: [key] }),
  ]);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop(), target.stop()]);
  removeFolders();
});

const to = (sshd: Sshd, name: string, more: Partial<Address> = {}): Address =>
  addressOf(sshd.port, { name, identityFiles: [key], ...more });
const chain = (name: string): Address =>
  to(target, name, { jump: [to(first, "bastion"), to(second, "inner-bastion")] });

test("a login works through two jump hosts, and the target sees a connection from the second", async () => {
  const transport = new SshTransport();
  const before = [first, second, target].map((sshd) => sshd.connections());
  const link = await transport.connect(chain("web1"), signal);
  const { stdout } = await outputOf(await link.exec("echo $SSH_CONNECTION"));
  expect(stdout).toContain(` 127.0.0.1 ${target.port}`);
  expect([first, second, target].map((sshd) => sshd.connections())).toEqual(before.map((count) => count + 1));
  expect(link.stats().bytesReceived).toBeGreaterThan(1000);
  expect(link.stats().bytesSent).toBeGreaterThan(1000);
  await link.close();
});

test("ten hosts behind one jump host share its connection, which closes after the last host", async () => {
  const transport = new SshTransport();
  const before = [first, second, target].map((sshd) => sshd.connections());
  const links = await Promise.all(
    Array.from({ length: 10 }, (_, index) => transport.connect(chain(`web${index}`), signal)),
  );
  expect([first, second, target].map((sshd) => sshd.connections())).toEqual(
    before.map((count, index) => count + (index === 2 ? 10 : 1)),
  );
  const texts = await Promise.all(links.map(async (link, index) => outputOf(await link.exec(`echo ${index}`))));
  expect(texts.map(({ stdout }) => stdout.trim())).toEqual(links.map((_, index) => String(index)));
  // The first connection ends without an SSH disconnect message, the second with one.
  const closings = (): number => first.log().split(/Connection closed by|Disconnected from/).length - 1;
  const closed = closings();
  await Promise.all(links.slice(1).map((link) => link.close()));
  expect((await outputOf(await links[0]!.exec("echo still"))).stdout).toBe("still\n");
  expect(closings()).toBe(closed);
  await links[0]!.close();
  await expect.poll(closings).toBe(closed + 1);
  // The next login connects to the jump host again.
  const again = await transport.connect(chain("web1"), signal);
  expect(first.connections()).toBe(before[0]! + 2);
  await again.close();
});

describe("a failure on the way through jump hosts", () => {
  test("names a jump host that refuses the login, after a single attempt", async () => {
    const before = first.connections();
    const address = to(target, "web1", { jump: [to(first, "bastion", { identityFiles: [stranger] })] });
    await expect(new SshTransport().connect(address, signal)).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { what: /^the jump host bastion: 127\.0\.0\.1 refuses/, where: { host: "web1" } },
    });
    expect(first.connections()).toBe(before + 1);
  });

  test("names the last jump host if nothing listens on the target", async () => {
    const port = await freePort();
    const address = { ...chain("web1"), port, connectTimeoutSeconds: 2 };
    await expect(new SshTransport().connect(address, signal)).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { current: expect.stringContaining(`inner-bastion cannot connect to 127.0.0.1:${port}`) },
    });
  });

  test("names a jump host that forbids forwarding", async () => {
    const strict = await startSshd({ authorizedKeys: [key], config: ["AllowTcpForwarding no"] });
    const address = to(target, "web1", { jump: [to(strict, "bastion")] });
    const started = performance.now();
    await expect(new SshTransport().connect(address, signal)).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { hint: expect.stringContaining("AllowTcpForwarding") },
    });
    expect(performance.now() - started).toBeLessThan(8000);
    await strict.stop();
  });

  test("is immediately reported for every host behind a jump host that dies", async () => {
    const cable = await startProxy(first.port);
    const jump = [to(first, "bastion", { port: cable.port })];
    const transport = new SshTransport();
    const links = await Promise.all(
      ["web1", "web2"].map((name) => transport.connect(to(target, name, { jump }), signal)),
    );
    const channels = await Promise.all(links.map((link) => link.exec("sleep 100")));
    cable.cut();
    for (const link of links) expect(await link.closed).toMatchObject({ code: "E_UNREACHABLE" });
    for (const channel of channels) await expect(channel.ended).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    // The pool has forgotten the lost connection, so the next one is new.
    const again = await transport.connect(to(target, "web1", { jump }), signal);
    expect((await outputOf(await again.exec("echo back"))).stdout).toBe("back\n");
    await again.close();
    await cable.close();
  });
});

describe("host keys of jump hosts", () => {
  const line = (sshd: Sshd): string => `[127.0.0.1]:${sshd.port} ${publicKey(sshd.hostKeys.ed25519)}\n`;
  const strict = (file: string): Address => {
    const check = { hostKeyPolicy: "strict" as const, knownHostsFiles: [file] };
    return to(target, "web1", { ...check, jump: [to(first, "bastion", check), to(second, "inner", check)] });
  };

  test("are verified at every hop, and the scan for keys ends at the first unknown hop", async () => {
    const file = join(folder, "known_hosts");
    const steps: [Sshd, string][] = [
      [first, "bastion"],
      [second, "inner"],
      [target, "web1"],
    ];
    let known = "";
    for (const [sshd, host] of steps) {
      writeFileSync(file, known);
      const before = target.connections();
      await expect(new SshTransport().connect(strict(file), signal)).rejects.toMatchObject({ code: "E_HOST_KEY" });
      expect(target.connections() - before).toBe(sshd === target ? 1 : 0);
      const found = await collectUnknownHostKeys([strict(file), { ...strict(file), name: "web2" }], signal);
      expect(found.map((one) => [one.host, `${one.line}\n`])).toEqual([[host, line(sshd)]]);
      known += line(sshd);
    }
    writeFileSync(file, known);
    expect(await collectUnknownHostKeys([strict(file)], signal)).toEqual([]);
    const link = await new SshTransport().connect(strict(file), signal);
    await link.close();
  });
});
