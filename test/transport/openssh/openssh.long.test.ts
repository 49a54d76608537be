import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { FrameItem } from "../../../src/core/host/frame.ts";
import type { Address, Link } from "../../../src/core/host/transport.ts";
import { OpensshTransport } from "../../../src/transport/openssh/openssh.ts";
import { addressTo, folder, knownHosts, plain, startCertified, stranger } from "../ssh/certified.ts";
import { heard, says, throughTerminal } from "../channels.ts";
import { openSession, steps } from "./openssh-session.ts";
import { startProxy } from "../ssh/proxy.ts";
import { addressOf, freePort, makeKey, outputOf, publicKey, removeFolders, startSshd, type Sshd } from "../sshd.ts";

const { signal } = new AbortController();
/** How long to wait for an expected state on a busy machine. */
const soon = { timeout: 120_000 };
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startCertified();
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});

const connect = (more: Partial<Address> = {}, port = sshd.port): Promise<Link> =>
  new OpensshTransport().connect(addressTo(port, more), signal);

/** Returns the command lines of this machine's ssh processes, but only those that contain the given string. */
function running(what: string): string[] {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.startsWith("ssh ") && line.includes(what));
}

describe("a channel", () => {
  test("returns both streams and the exit code, including 255", async () => {
    const link = await connect();
    expect(await outputOf(await link.exec("echo out; echo err >&2; exit 7"))).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      code: 7,
      signal: undefined,
    });
    expect(await outputOf(await link.exec("exit 255"))).toMatchObject({ code: 255, stderr: "" });
    expect(link.stats().channels).toBe(2);
    await link.close();
    expect(await link.closed).toBeUndefined();
    await expect(link.exec("true")).rejects.toMatchObject({ code: "E_UNREACHABLE" });
  });

  test("carries bytes both ways unchanged, even on a terminal", async () => {
    const link = await connect();
    const bytes = randomBytes(3 << 20);
    const cat = await link.exec("cat");
    const echoed = heard(cat);
    await cat.write(bytes);
    cat.end();
    expect(await cat.ended).toEqual({ code: 0, signal: undefined });
    expect(echoed().equals(bytes)).toBe(true);

    const [seen, wanted] = await throughTerminal(link);
    expect(seen).toEqual(wanted);
    await link.close();
  });

  test("closes the streams of the host's process when it is destroyed, while other channels stay open", async () => {
    const link = await connect();
    const endless = await link.exec("yes");
    const other = outputOf(await link.exec("read -r line; echo $line"));
    let bytes = 0;
    endless.onStdout((data) => void (bytes += data.length));
    await expect.poll(() => bytes, soon).toBeGreaterThan(1 << 20);
    endless.destroy();
    expect(await endless.ended).toEqual({ code: undefined, signal: undefined });
    expect(await says(link, "echo fine")).toBe("fine");
    await link.close();
    expect(await other).toMatchObject({ code: undefined });
  });

  test("reports a session that exceeds sshd's limit, and the link stays open", async () => {
    const link = await connect();
    const open = await Promise.all(Array.from({ length: 10 }, () => link.exec("echo open; cat")));
    await Promise.all(open.map((channel) => new Promise<void>((begun) => channel.onStdout(() => begun()))));
    const refused = await link.exec("true");
    await expect(refused.ended).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: "web1 refuses another channel on its connection" },
    });
    for (const channel of open) channel.end();
    await Promise.all(open.map((channel) => channel.ended));
    expect(await says(link, "echo yes")).toBe("yes");
    await link.close();
  });
});

test("a host with a session limit accepts the first of many channels that are opened together", async () => {
  const narrow = await startSshd({ authorizedKeys: [plain], config: ["MaxSessions 3"] });
  onTestFinished(() => narrow.stop());
  const link = await connect({}, narrow.port);
  const channels = await Promise.all(Array.from({ length: 8 }, () => link.exec("echo open; cat")));
  const open = channels.slice(0, 3);
  await Promise.all(open.map((channel) => new Promise<void>((begun) => channel.onStdout(() => begun()))));
  const refused = await Promise.allSettled(channels.slice(3).map(({ ended }) => ended));
  expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "rejected"));
  for (const channel of open) channel.end();
  expect(await Promise.all(open.map(({ ended }) => ended))).toMatchObject(open.map(() => ({ code: 0 })));
  await link.close();
});

describe("a lost link", () => {
  test("is reported by its channels and by the link itself, and leaves no ssh process behind", async () => {
    const cable = await startProxy(sshd.port);
    onTestFinished(() => cable.close());
    const link = await connect({}, cable.port);
    const channel = await link.exec("echo started; cat");
    await new Promise<void>((begun) => channel.onStdout(() => begun()));
    const outcomes = Promise.allSettled([channel.write(Buffer.alloc(20 << 20)), channel.ended]);
    cable.cut();
    const lost = { status: "rejected", reason: { code: "E_UNREACHABLE", failure: { where: { host: "web1" } } } };
    expect(await outcomes).toMatchObject([lost, lost]);
    expect(await link.closed).toMatchObject({ code: "E_UNREACHABLE", failure: { what: /lost/ } });
    await expect(link.exec("true")).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    await expect.poll(() => running(String(cable.port)), soon).toEqual([]);
  });

  test("is noticed by the keepalive if the host is silent", async () => {
    const cable = await startProxy(sshd.port);
    onTestFinished(() => cable.close());
    const link = await connect({ keepaliveSeconds: 1, keepaliveCount: 1 }, cable.port);
    cable.stall();
    expect(await link.closed).toMatchObject({ failure: { current: "the host does not answer keepalives" } });
  });

  test("ends ssh and its processes on the host if furrow is killed", async () => {
    const pid = join(folder, "pid-on-host");
    const script = `import { OpensshTransport } from ${JSON.stringify(join(import.meta.dirname, "../../../src/transport/openssh/openssh.ts"))};
const { asked, ...address } = JSON.parse(process.argv[1]);
const link = await new OpensshTransport().connect({ ...address, asked: { ...asked, said: new Set(asked.said) } }, new AbortController().signal);
const channel = await link.exec("echo $$ >${pid}; cat >/dev/null");
await channel.ended;`;
    const { asked, ...address } = addressTo(sshd.port);
    const cable = await startProxy(sshd.port);
    onTestFinished(() => cable.close());
    const text = JSON.stringify({
      ...address,
      port: cable.port,
      asked: { name: asked?.name, said: [...(asked?.said ?? [])] },
    });
    const controller = spawn(process.execPath, ["--input-type=module-typescript", "-e", script, text], {
      stdio: "inherit",
      // A killed furrow leaves behind an empty folder.
      env: { ...process.env, TMPDIR: folder },
    });
    await expect.poll(() => existsSync(pid) && readFileSync(pid, "utf8"), soon).toMatch(/\d/);
    expect(running(String(cable.port))).toHaveLength(1);
    controller.kill("SIGKILL");
    await expect.poll(() => running(String(cable.port)), soon).toEqual([]);
    const onHost = `/proc/${readFileSync(pid, "utf8").trim()}`;
    await expect.poll(() => existsSync(onHost), soon).toBe(false);
  });

  test("ends at the deadline, together with ssh, if the host is silent during the handshake", async () => {
    const cable = await startProxy(sshd.port);
    onTestFinished(() => cable.close());
    cable.stall();
    await expect(connect({ connectTimeoutSeconds: 1 }, cable.port)).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: /within 1 s/ },
    });
    await expect.poll(() => running(String(cable.port)), soon).toEqual([]);
  });
});

describe("an unreachable host", () => {
  test("is retried until the timeout if nothing listens", async () => {
    const port = await freePort();
    await expect(connect({ connectTimeoutSeconds: 4 }, port)).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: /within 4 s \([2-9] attempts\)/, current: /Connection refused/ },
    });
  });
});

describe("a connection through jump hosts", () => {
  test("passes through two jump hosts in a row, each verified by its key from the inventory", async () => {
    const keys = [makeKey(folder, "hop one"), makeKey(folder, "hop_two")] as const;
    const hops = await Promise.all(keys.map((key) => startSshd({ authorizedKeys: [key] })));
    onTestFinished(async () => void (await Promise.all(hops.map((hop) => hop.stop()))));
    const [first, second] = hops as [Sshd, Sshd];
    const hopTo = (hop: Sshd, key: string): Address => {
      const known = knownHosts(`[127.0.0.1]:${hop.port} ${publicKey(hop.hostKeys.ed25519)}`);
      return addressOf(hop.port, { identityFiles: [key], hostKeyPolicy: "strict", knownHostsFiles: [known] });
    };
    const link = await connect({ jump: [hopTo(first, keys[0]), hopTo(second, keys[1])] });
    expect(await says(link, "echo $SSH_CONNECTION")).toContain(` 127.0.0.1 ${sshd.port}`);
    expect([first.connections(), second.connections()]).toEqual([1, 1]);
    await link.close();

    await expect(connect({ jump: [hopTo(first, stranger)] })).rejects.toMatchObject({
      code: "E_AUTH",
      failure: { what: "a jump host on the way to 127.0.0.1 refuses the login" },
    });
  });
});

describe("frames", () => {
  const silent = { output: () => {} };

  test("carry an upload to a host that allows two channels", async () => {
    const narrow = await startSshd({ authorizedKeys: [plain], config: ["MaxSessions 2"] });
    onTestFinished(() => narrow.stop());
    const session = await openSession(addressTo(narrow.port), signal);
    const from = join(folder, "narrow-image");
    writeFileSync(from, randomBytes(6 << 20));
    const sha256 = execFileSync("sha256sum", [from], { encoding: "utf8" }).slice(0, 64);
    const path = join(folder, "narrow-target");
    const items: FrameItem[] = [{ item: "steps", task: "u", steps: [{ step: "upload", from, path, sha256 }] }];
    expect(await session.frame({ items }, silent, signal)).toMatchObject([{ results: [{ exitCode: 0 }] }]);
    expect(readFileSync(path).equals(readFileSync(from))).toBe(true);
  });

  test("continue after a lost connection, and the whole answer arrives", async () => {
    const cable = await startProxy(sshd.port);
    onTestFinished(() => cable.close());
    const session = await openSession(addressTo(cable.port, { keepaliveSeconds: 1 }), signal);
    const [begun, go, done] = ["begun", "go", "done"].map((name) => join(folder, `lost-${name}`)) as [
      string,
      string,
      string,
    ];
    const notices: string[] = [];
    const script = `echo x >>${done}; touch ${begun}; while ! [ -e ${go} ]; do sleep 0.05; done; echo after`;
    const frame = session.frame(
      { items: [steps(script)] },
      { ...silent, notice: (text) => notices.push(text) },
      signal,
    );
    await expect.poll(() => existsSync(begun), soon).toBe(true);
    cable.cut();
    writeFileSync(go, "");
    expect(await frame).toMatchObject([{ results: [{ exitCode: 0, stdout: "after\n" }] }]);
    expect(readFileSync(done, "utf8")).toBe("x\n");
    expect(notices).toEqual([expect.stringMatching(/^the connection was lost/)]);
  });
});
