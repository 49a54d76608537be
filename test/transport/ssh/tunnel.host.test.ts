import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Address } from "../../../src/core/host/transport.ts";
import { knownHostsAlias, type OpenableTunnel } from "../../../src/core/host/tunnel.ts";
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
import type { Sshd } from "../sshd.ts";
import { folderWith, processesWith } from "./tunnels/programs.ts";

const { signal } = new AbortController();
const folder = temporaryFolder();
const key = makeKey(folder, "id");
const id = "i-0123456789abcdef0";
const other = "i-0fedcba9876543210";
const all = folderWith("aws", "gcloud", "session-manager-plugin");
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});
beforeEach(() => {
  vi.stubEnv("PATH", all);
  on({ [id]: sshd.port, [other]: sshd.port, web1: sshd.port });
});
afterEach(() => vi.unstubAllEnvs());

const on = (instances: Readonly<Record<string, string | number>>): void =>
  void vi.stubEnv("FURROW_TEST_INSTANCES", JSON.stringify(instances));
const ssm = (instance = id): OpenableTunnel => ({ through: "sessionManager", instance, region: "eu-central-1" });
const iap: OpenableTunnel = { through: "iap", instance: "web1", project: "lab", zone: "europe-west3-a" };

/** Nothing answers at this address, as if the machine were in a private network. */
const through = (tunnel: OpenableTunnel, more: Partial<Address> = {}): Address =>
  addressOf(22, {
    address: "192.0.2.1",
    identityFiles: [key],
    tunnel,
    hostKeyAlias: knownHostsAlias(tunnel),
    connectTimeoutSeconds: 30,
    ...more,
  });

describe.each([
  ["Session Manager", ssm()],
  ["IAP", iap],
])("a host without a public address, through %s,", (_service, tunnel) => {
  const strict = (line: string): Partial<Address> => {
    const file = join(temporaryFolder(), "known_hosts");
    writeFileSync(file, line);
    return { hostKeyPolicy: "strict", knownHostsFiles: [file] };
  };

  test("runs processes, and no program is left when the connection is closed", async () => {
    const link = await new SshTransport().connect(through(tunnel), signal);
    const channel = await link.exec("cat; echo told >&2; exit 3");
    const large = Buffer.alloc(3_000_000, "0123456789abcdef");
    const output = outputOf(channel);
    await channel.write(large);
    channel.end();
    const { stdout, stderr, code } = await output;
    expect([stdout === large.toString(), stderr, code]).toEqual([true, "told\n", 3]);
    expect(link.stats().bytesSent).toBeGreaterThan(large.length);
    expect(link.stats().bytesReceived).toBeGreaterThan(large.length);
    expect(processesWith(tunnel.instance)).not.toEqual([]);
    await link.close();
    await expect.poll(() => processesWith(tunnel.instance), { timeout: 120_000 }).toEqual([]);
  });

  test("must show the host key that known_hosts lists under the instance's name", async () => {
    const right = strict(`${knownHostsAlias(tunnel)} ${publicKey(sshd.hostKeys.ed25519)}\n`);
    await (await new SshTransport().connect(through(tunnel, right), signal)).close();
    const before = sshd.log().length;
    const wrong = strict(`${knownHostsAlias(tunnel)} ${publicKey(key)}\n`);
    await expect(new SshTransport().connect(through(tunnel, wrong), signal)).rejects.toMatchObject({
      code: "E_HOST_KEY",
      failure: { what: `the host key of ${knownHostsAlias(tunnel)} has changed` },
    });
    expect(sshd.log().slice(before)).not.toContain("publickey for");
    const unknown = through(tunnel, strict(`192.0.2.1 ${publicKey(sshd.hostKeys.ed25519)}\n`));
    await expect(new SshTransport().connect(unknown, signal)).rejects.toMatchObject({ code: "E_HOST_KEY" });
    expect(await collectUnknownHostKeys([unknown], signal)).toMatchObject([{ name: knownHostsAlias(tunnel) }]);
    await expect.poll(() => processesWith(tunnel.instance), { timeout: 120_000 }).toEqual([]);
  });

  test("is lost when the tunnel's program ends, and can be reached again", async () => {
    const transport = new SshTransport();
    const link = await transport.connect(through(tunnel), signal);
    const channel = await link.exec("sleep 100");
    for (const pid of processesWith(`stand-in-(plugin|gcloud).*${tunnel.instance}`)) process.kill(pid);
    expect(await link.closed).toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: expect.stringMatching(
          `^the connection to web1 was lost: the tunnel of .* to ${tunnel.instance} was closed`,
        ),
      },
    });
    await expect(channel.ended).rejects.toMatchObject({ code: "E_UNREACHABLE" });
    const again = await transport.connect(through(tunnel), signal);
    expect((await outputOf(await again.exec("echo back"))).stdout).toBe("back\n");
    await again.close();
  });

  test("is no longer waited for when the user has interrupted the run, and no program is left behind", async () => {
    const stopped = new AbortController();
    on({ [tunnel.instance]: await silentPort() });
    const connecting = new SshTransport().connect(through(tunnel), stopped.signal);
    await expect.poll(() => processesWith(tunnel.instance), { timeout: 120_000 }).not.toEqual([]);
    stopped.abort();
    await expect(connecting).rejects.toMatchObject({ code: "E_INTERRUPTED" });
    await expect.poll(() => processesWith(tunnel.instance), { timeout: 120_000 }).toEqual([]);
  });

  test("is unreachable without the program that opens the tunnel", async () => {
    vi.stubEnv("PATH", folderWith());
    const program = tunnel.through === "iap" ? "gcloud" : "aws";
    await expect(new SshTransport().connect(through(tunnel), signal)).rejects.toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: `there is no ${program} program on this machine`,
        hint: expect.stringMatching(/^Install the (AWS|Google Cloud) CLI/),
      },
    });
  });
});

test("two hosts with the same private address each get their own tunnel and login", async () => {
  const transport = new SshTransport();
  const links = await Promise.all([ssm(id), ssm(other)].map((tunnel) => transport.connect(through(tunnel), signal)));
  const said = await Promise.all(links.map(async (link, at) => outputOf(await link.exec(`echo ${at}`))));
  expect(said.map(({ stdout }) => stdout)).toEqual(["0\n", "1\n"]);
  await links[0]!.close();
  expect((await outputOf(await links[1]!.exec("echo still"))).stdout).toBe("still\n");
  await links[1]!.close();
});

test("a jump host may be reached through a tunnel", async () => {
  const jump = through(ssm(), { name: "gate" });
  const link = await new SshTransport().connect(addressOf(sshd.port, { identityFiles: [key], jump: [jump] }), signal);
  expect((await outputOf(await link.exec("echo behind"))).stdout).toBe("behind\n");
  await link.close();
  await expect.poll(() => processesWith(id), { timeout: 120_000 }).toEqual([]);
});

describe("the error of a failed tunnel", () => {
  const failing = async (tunnel: OpenableTunnel): Promise<unknown> =>
    new SshTransport().connect(through(tunnel, { connectTimeoutSeconds: 10 }), signal).catch((error: unknown) => error);

  test("says that session-manager-plugin is missing", async () => {
    vi.stubEnv("PATH", folderWith("aws"));
    expect(await failing(ssm())).toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        what: "there is no session-manager-plugin on this machine",
        current: expect.stringContaining("SessionManagerPlugin is not found"),
      },
    });
  });

  test("says which permission is missing, without a secret", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI");
    on({ [id]: "denied", web1: "denied" });
    const error = await failing(ssm());
    expect(error).toMatchObject({
      code: "E_AUTH",
      failure: {
        what: `AWS does not allow a session to ${id}`,
        current: expect.stringContaining("is not authorized to perform: ssm:StartSession"),
        hint: expect.stringContaining("ssm:StartSession"),
      },
    });
    expect(JSON.stringify(error)).not.toContain("wJalrXUtnFEMI");
    expect(await failing(iap)).toMatchObject({
      code: "E_AUTH",
      failure: {
        current: expect.stringContaining("4033"),
        hint: expect.stringContaining("iap.tunnelResourceAccessor"),
      },
    });
  });

  test("says that the instance is not running", async () => {
    on({ [id]: "stopped", web1: "stopped" });
    expect(await failing(ssm())).toMatchObject({
      code: "E_UNREACHABLE",
      failure: {
        current: expect.stringContaining(`${id} is not connected`),
        hint: expect.stringContaining("is running in eu-central-1"),
      },
    });
    expect(await failing(iap)).toMatchObject({
      code: "E_UNREACHABLE",
      failure: { what: "there is no running instance web1 in europe-west3-a of lab" },
    });
  });

  test("says that the tunnel's program is not logged in", async () => {
    on({ web1: "logged-out" });
    expect(await failing(iap)).toMatchObject({
      code: "E_AUTH",
      failure: { hint: expect.stringContaining("gcloud auth login") },
    });
    expect(await failing({ ...ssm(), profile: "unknown" } as OpenableTunnel)).toMatchObject({
      code: "E_AUTH",
      failure: { hint: expect.stringContaining("aws sso login --profile unknown") },
    });
  });

  test("says that sshd does not listen on the instance", async () => {
    const port = await freePort();
    on({ [id]: port, web1: port });
    expect(await failing(ssm())).toMatchObject({
      code: "E_UNREACHABLE",
      failure: { current: expect.stringContaining("Connection to destination port failed") },
    });
    expect(await failing(iap)).toMatchObject({
      code: "E_UNREACHABLE",
      failure: { current: expect.stringContaining("[4003"), hint: expect.stringContaining("35.235.240.0/20") },
    });
  });
});

/** A port that accepts connections and sends nothing. */
async function silentPort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return (server.address() as { port: number }).port;
}
