import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Address } from "../../../src/core/host/transport.ts";
import { reachJump, reachPort } from "../../../src/transport/ssh/reach.ts";
import { SshTransport } from "../../../src/transport/ssh/ssh.ts";
import { missingPrograms } from "../../../src/transport/ssh/tunnel/missing-programs.ts";
import { addressOf, freePort, makeKey, removeFolders, type Sshd, startSshd, temporaryFolder } from "../sshd.ts";
import { folderWith, processesWith } from "./tunnels/programs.ts";

const { signal } = new AbortController();
const key = makeKey(temporaryFolder(), "id");
const stranger = makeKey(temporaryFolder(), "stranger");
const id = "i-0aaaabbbbccccdddd";
let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd({ authorizedKeys: [key] });
});
afterAll(async () => {
  await sshd.stop();
  removeFolders();
});
beforeEach(() => vi.stubEnv("PATH", folderWith("aws", "gcloud", "session-manager-plugin")));
afterEach(() => vi.unstubAllEnvs());

const on = (found: string | number): unknown => vi.stubEnv("FURROW_TEST_INSTANCES", JSON.stringify({ "*": found }));
const ssm = { through: "sessionManager", instance: id, region: "eu-central-1" } as const;
const iap = { through: "iap", instance: "web1", project: "lab", zone: "europe-west3-a" } as const;
const look = (address: Address): ReturnType<typeof reachPort> => reachPort(new SshTransport(), address, 60, signal);
const jump = (more: Partial<Address> = {}): Address =>
  addressOf(sshd.port, { name: "gate", identityFiles: [key], hostKeyPolicy: "off", ...more });

test("finds an SSH server behind a tunnel and behind a jump host, and leaves nothing open", async () => {
  on(sshd.port);
  expect(await look(addressOf(22, { tunnel: ssm }))).toEqual({ open: true });
  expect(await look(addressOf(22, { tunnel: iap }))).toEqual({ open: true });
  expect(await look(addressOf(sshd.port, { jump: [jump()] }))).toEqual({ open: true });
  await expect.poll(() => processesWith(id), { timeout: 120_000 }).toEqual([]);
});

test("reports the program's last output as the reason why a tunnel does not open, and whether waiting helps", async () => {
  const closed = await freePort();
  const expected = [
    ["stopped", ssm, "is not connected", false],
    ["denied", ssm, "is not authorized to perform: ssm:StartSession", true],
    [closed, ssm, "Connection to destination port failed", false],
    ["stopped", iap, "4047", false],
    ["denied", iap, "4033", true],
    ["logged-out", iap, "active account", true],
    [closed, iap, "4003", false],
  ] as const;
  for (const [found, tunnel, words, final] of expected) {
    on(found);
    const said = expect.stringContaining(words) as string;
    expect(await look(addressOf(22, { tunnel }))).toMatchObject({ open: false, said, final });
  }
});

test("says which jump host refuses the login, and that a closed port may still open", async () => {
  const refused = { open: false, final: true, said: expect.stringContaining("the jump host gate") as string };
  expect(await look(addressOf(sshd.port, { jump: [jump({ identityFiles: [stranger] })] }))).toMatchObject(refused);
  const closed = await freePort();
  expect(await look(addressOf(closed, { jump: [jump()] }))).toMatchObject({ open: false, final: false });
});

test("logs in to a jump host before there is a machine behind it", async () => {
  const ready = (gate: Address): ReturnType<typeof reachJump> =>
    reachJump(new SshTransport(), addressOf(22, { address: "nowhere.invalid", jump: [gate] }), 60, signal);
  expect(await ready(jump())).toEqual({ open: true });
  expect(await ready(jump({ identityFiles: [stranger] }))).toMatchObject({ open: false, final: true });
});

test("names the programs that this machine lacks", async () => {
  expect(await missingPrograms("sessionManager")).toEqual([]);
  vi.stubEnv("PATH", folderWith("aws"));
  expect((await missingPrograms("sessionManager")).map(({ program }) => program)).toEqual(["session-manager-plugin"]);
  vi.stubEnv("PATH", `${join(import.meta.dirname, "nowhere")}:${folderWith()}`);
  expect((await missingPrograms("iap")).map(({ program }) => program)).toEqual(["gcloud"]);
});
