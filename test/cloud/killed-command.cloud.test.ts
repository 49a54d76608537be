import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covered } from "../covered.ts";
import { startEc2Fake } from "./ec2-fake/fake.ts";
import { GceFake, project } from "./gce-fake/fake.ts";

/**
 * The addresses of the fakes' machines. A provisioning run waits until port 22 is open at one of these addresses, and
 * only root may listen on that port.
 */
const addresses = { ec2: "127.1.0.22", gce: "127.20.0.22" };
const canListen = process.platform === "linux" && process.getuid?.() === 0;

/** A separate fake cloud, and the command that provisions a machine there. */
interface Cloud {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Calls `act` once the first changing call of a kind has been answered. */
  afterFirst(kind: string, act: () => void): void;
  /** The kinds of changing calls so far, without repetitions. */
  kinds(): string[];
  /** Counts the existing resources. */
  counted(): object;
  close(): Promise<void>;
}

async function ec2(): Promise<Cloud> {
  const common = { addressOf: () => addresses.ec2, lateness: 1, silence: 0 };
  const fake = await startEc2Fake(common);
  const region = "eu-test-1";
  return {
    words: ["playbooks/clouds/provision-aws.ts", "--var", `region=${region}`],
    env: { AWS_ENDPOINT_URL: fake.url, AWS_ACCESS_KEY_ID: "TEST", AWS_SECRET_ACCESS_KEY: "test" },
    afterFirst: (kind, act) => fake.keep({ ...common, answered: (call) => void (call.action === kind && act()) }),
    kinds: () => [...new Set(fake.calls.filter(({ mutating }) => mutating).map(({ action }) => action))],
    counted: () => {
      const { keyPairs, groups, instances, volumes, addresses: own } = fake.world(region);
      return [keyPairs, groups, instances, volumes, own].map(({ length }) => length);
    },
    close: () => fake.close(),
  };
}

async function gce(): Promise<Cloud> {
  const fake = new GceFake();
  fake.settings.addressOf = () => addresses.gce;
  const kindOf = (call: string): string =>
    call.replace(/projects\/.*\/(zones|regions)\/[^/]+\/|projects\/.*\/global\//, "");
  return {
    words: ["playbooks/clouds/provision-gcp.ts", "--var", `project=${project}`],
    env: await fake.start(),
    afterFirst: (kind, act) => (fake.answered = (call) => void (kindOf(call) === kind && act())),
    kinds: () => [...new Set(fake.changes.map(kindOf))],
    counted: () => fake.things(),
    close: () => fake.stop(),
  };
}

const clouds = [
  {
    name: "EC2",
    start: ec2,
    kinds: [
      "ImportKeyPair",
      "CreateSecurityGroup",
      "AuthorizeSecurityGroupIngress",
      "RunInstances",
      "CreateTags",
      "CreateVolume",
      "AttachVolume",
      "AllocateAddress",
      "AssociateAddress",
    ],
    // The numbers of key pairs, groups, machines, disks and addresses.
    oneOfEach: [1, 1, 1, 2, 1],
  },
  {
    name: "Compute Engine",
    start: gce,
    kinds: ["POST networks", "POST firewalls", "POST addresses", "POST disks", "POST instances"],
    oneOfEach: {
      networks: ["harvester"],
      firewalls: ["harvester-open", "harvester-managed"],
      addresses: ["harvester"],
      disks: ["harvester-data-1", "harvester"],
      instances: ["harvester"],
    },
  },
];

/**
 * Starts the real command as a user would. Several commands run at the same time, all with this machine as their host.
 * Each has its own `/run`, because only one run at a time can lock a host.
 */
function start(cloud: Cloud, folder: string) {
  const publicKey = `ssh-ed25519 ${"B".repeat(68)} me@here`;
  const vars = [`publicKey=${publicKey}`, 'manageFrom=["192.0.2.7/32"]'].flatMap((one) => ["--var", one]);
  const command = [process.execPath, "bin/furrow.js", "run", ...cloud.words, ...vars, "-i", "local", "--json"];
  const apart = ["--mount", "sh", "-c", 'mount --bind "$0" /run && exec "$@"', folder];
  const child = spawn("unshare", [...apart, ...command], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, ...cloud.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (text += part.toString()));
  const ended = new Promise<{ readonly end: number | string | null; readonly text: string }>((resolve) =>
    child.once("close", (code, signal) => resolve({ end: code ?? signal, text: text.slice(-4000) })),
  );
  return { ended, kill: () => void child.kill("SIGKILL") };
}

async function succeeds(cloud: Cloud, folder: string): Promise<void> {
  const { end, text } = await start(cloud, folder).ended;
  expect(end, text).toBe(0);
}

describe.skipIf(!canListen)("the command that provisions a machine", () => {
  const servers: Server[] = [];

  beforeAll(async () => {
    for (const address of Object.values(addresses)) {
      const server = createServer((socket) => socket.destroy()).listen(22, address);
      servers.push(server);
      // If the port is taken, an sshd already listens on all addresses, so port 22 is open anyway.
      await new Promise((resolve) => void server.once("listening", resolve).once("error", resolve));
    }
  });
  afterAll(() => servers.forEach((server) => server.close()));

  describe.each(clouds)("on $name", ({ name, start: startCloud, kinds, oneOfEach }) => {
    test("makes exactly the kinds of calls after which the tests below kill it", async () => {
      const cloud = await startCloud();
      const folder = mkdtempSync(join(tmpdir(), "furrow-killed-"));
      try {
        await succeeds(cloud, folder);
        expect(cloud.kinds()).toEqual(kinds);
        expect(cloud.counted()).toEqual(oneOfEach);
        covered(`${name}: the command that provisions, killed by SIGKILL after ${kinds.length} kinds of calls`);
      } finally {
        await cloud.close();
        rmSync(folder, { recursive: true });
      }
    });

    test.concurrent.each(kinds)(
      "leaves one of each resource if SIGKILL ends it after %s and the user repeats it",
      async (kind) => {
        const cloud = await startCloud();
        const folder = mkdtempSync(join(tmpdir(), "furrow-killed-"));
        try {
          const first = start(cloud, folder);
          cloud.afterFirst(kind, first.kill);
          expect((await first.ended).end).toBe("SIGKILL");
          cloud.afterFirst("", () => undefined);
          await succeeds(cloud, folder);
          expect(cloud.counted()).toEqual(oneOfEach);
        } finally {
          await cloud.close();
          rmSync(folder, { recursive: true });
        }
      },
    );
  });
});
