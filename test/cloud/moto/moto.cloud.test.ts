import * as sdk from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Playbook, playbook, type TaskCall } from "../../../src/authoring.ts";
import { ec2Inventory } from "../../../src/cloud/index.ts";
import type { SourceContext } from "../../../src/core/inventory/inventory-source.ts";
import * as t from "../../../tasks/index.ts";
import { covered } from "../../covered.ts";
import { dryRunsOf, withoutDryRun } from "../dry-runs/dry-runs.ts";
import { type Ec2Fake, startEc2Fake } from "../ec2-fake/fake.ts";
import { timeFlies } from "../flying-time.ts";
import { runHere } from "../run-here.ts";
import { answerLines, bare, question } from "./answers.ts";
import { differences, ignoreDryRun } from "./differences.ts";
import { type Exchange, type Recorder, startRecorder } from "./recorder.ts";
import { makeThings, publicKey, refusals } from "./refusals.ts";
import { type Moto, startMoto } from "./server.ts";

/** Needs root and Linux, because moto runs in its own Debian root. */
const canHaveRoot = process.platform === "linux" && process.getuid?.() === 0;

const region = "eu-central-1";
const zone = `${region}a`;
/** One of the many images that moto offers by default. */
const image = { owner: "099720109477", name: "ubuntu/images/hvm-ssd/ubuntu-xenial-16.04-amd64-server-*" };

const dryAnswer =
  '<?xml version="1.0"?><Response><Errors><Error><Code>DryRunOperation</Code><Message>moto</Message></Error></Errors></Response>';

const book = (name: string, ...calls: readonly TaskCall[]): Playbook =>
  playbook({ name, plays: [{ hosts: "all", tasks: () => calls }] });

// Uses no nested virtualization, no host keys and no ec2KeyPair task: moto does not offer such processors, its console
// prints no keys, and it never returns a public key.
const provision = book(
  "one machine",
  t.ec2Vpc({ name: "web", region, cidr: "10.20.0.0/16" }),
  t.ec2Subnet({ name: "web", region, vpc: "web", cidr: "10.20.1.0/24", zone, publicAddresses: true }),
  t.ec2InternetGateway({ name: "web", region, vpc: "web" }),
  t.ec2SecurityGroup({
    name: "web",
    region,
    vpc: "web",
    rules: [
      { port: 443, from: ["0.0.0.0/0"] },
      { port: 22, from: ["192.0.2.7/32"] },
    ],
  }),
  t.ec2Instance({
    name: "web",
    region,
    zone,
    vpc: "web",
    subnet: "web",
    type: "m5.large",
    image,
    keyPair: "web",
    securityGroups: ["web"],
    hostKeys: false,
    rootDisk: { sizeGb: 40 },
    tags: { team: "storage" },
  }),
  t.ec2Volume({ name: "web-data", region, sizeGb: 100, instance: "web", device: "/dev/sdf" }),
  t.ec2Address({ name: "web", region, instance: "web" }),
);

/** moto does not disassociate the address of a terminated machine. */
const disassociate = book("the address is free", t.ec2Address({ name: "web", region }));

const destroy = book(
  "nothing left",
  t.ec2Instance({ name: "web", region, state: "absent" }),
  t.ec2Address({ name: "web", region, state: "absent" }),
  t.ec2Volume({ name: "web-data", region, state: "absent" }),
  t.ec2SecurityGroup({ name: "web", region, state: "absent" }),
  t.ec2InternetGateway({ name: "web", region, state: "absent" }),
  t.ec2Subnet({ name: "web", region, state: "absent" }),
  t.ec2Vpc({ name: "web", region, state: "absent" }),
  t.ec2KeyPair({ name: "web", region, state: "absent" }),
);

/** Imports the key pair as ec2KeyPair would. */
async function giveKeyPair(): Promise<void> {
  const tags = { Name: "web", furrow: "1" };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  await new sdk.EC2Client({ region }).send(
    new sdk.ImportKeyPairCommand({
      KeyName: "web",
      PublicKeyMaterial: Buffer.from(publicKey),
      TagSpecifications: [{ ResourceType: "key-pair", Tags }],
    }),
  );
}

const context: SourceContext = {
  signal: new AbortController().signal,
  folder: "/",
  notice: () => undefined,
  now: new Date(0),
  cache: { remembered: (_key, _age, produce) => produce() },
};

/** The result of one phase: what furrow reported, and the last response to each of its calls. */
interface Phase {
  readonly told: unknown;
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** All calls of the phase, in order. */
  readonly received: readonly Exchange[];
}

const phases: Readonly<Record<string, () => Promise<unknown>>> = {
  "check of a provisioning run": () => tasks(provision, "check"),
  "provisioning run": () => tasks(provision),
  rerun: () => tasks(provision),
  "check of a rerun": () => tasks(provision, "check"),
  inventory: () =>
    ec2Inventory({ regions: [region], filters: { "tag:furrow": "*" }, groupBy: ["zone", "tag:team"] }).list(context),
  disassociation: () => tasks(disassociate),
  "check of a removal": () => tasks(destroy, "check"),
  removal: () => tasks(destroy),
  "removal again": () => tasks(destroy),
};

async function tasks(of: Playbook, mode?: "check"): Promise<unknown> {
  const { tasks: all } = await runHere(of, { ...(mode && { mode }) });
  return all.map(({ title, outcome, steps, changes, notes, error }) => [
    title,
    outcome,
    steps,
    changes,
    notes,
    error?.message,
  ]);
}

describe.skipIf(!canHaveRoot)("moto and our own fake of EC2", () => {
  let moto: Moto;
  let fake: Ec2Fake;
  let recorder: Recorder;
  let stopTime: () => void;

  beforeAll(async () => {
    [moto, fake, recorder] = await Promise.all([startMoto(), startEc2Fake(), startRecorder()]);
    stopTime = timeFlies();
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: recorder.url,
      AWS_ACCESS_KEY_ID: "TEST",
      AWS_SECRET_ACCESS_KEY: "test",
    });
  }, 900_000);

  // Resets both fakes to moto's images, so that a retried test sees no resources from its first attempt.
  beforeEach(async () => {
    await fetch(`${moto.url}/moto-api/reset`, { method: "POST" });
    fake.reset({ lateness: 0, processors: undefined });
    const client = new sdk.EC2Client({ region, endpoint: moto.url });
    const filters = [{ Name: "name", Values: [image.name] }];
    const { Images = [] } = await client.send(
      new sdk.DescribeImagesCommand({ Owners: [image.owner], Filters: filters }),
    );
    fake.world(region).images.push(
      ...Images.map(
        ({
          ImageId: id = "",
          Name = "",
          OwnerId: owner = "",
          Architecture = "",
          RootDeviceName = "",
          CreationDate = "",
        }) => ({
          id,
          name: Name,
          owner,
          architecture: Architecture,
          rootDevice: RootDeviceName,
          created: CreationDate,
        }),
      ),
    );
  });

  afterAll(async () => {
    stopTime();
    moto.close();
    await Promise.all([fake.close(), recorder.close()]);
  });

  /** Runs a machine's whole life cycle on one of the fakes. */
  const lifeAt = async (url: string): Promise<Map<string, Phase>> => {
    recorder.target = url;
    recorder.instead = (action, { DryRun }) =>
      url === moto.url && DryRun === "true" && ignoreDryRun.has(action) ? dryAnswer : undefined;
    await giveKeyPair();
    const life = new Map<string, Phase>();
    for (const [name, act] of Object.entries(phases)) {
      recorder.exchanges.length = 0;
      const told = JSON.parse(bare(JSON.stringify(await act()))) as unknown;
      const received = [...recorder.exchanges];
      life.set(name, { told, received, exchanges: new Map(received.map((one) => [question(one), one])) });
    }
    return life;
  };

  test("give the same answers to a provisioning run, its checks and reruns, an inventory and a removal", async () => {
    const [ours, theirs] = [await lifeAt(fake.url), await lifeAt(moto.url)];
    const found = new Set<string>();
    let compared = 0;
    for (const [name, { told, exchanges }] of ours) {
      const other = theirs.get(name);
      expect([name, other?.told]).toEqual([name, told]);
      for (const phase of [ours.get(name), theirs.get(name)]) {
        expect([
          name,
          dryRunsOf(phase?.received ?? []).unasked.filter((action) => withoutDryRun[action] === undefined),
        ]).toEqual([name, []]);
      }
      expect([name, [...(other?.exchanges.keys() ?? [])].toSorted()]).toEqual([name, [...exchanges.keys()].toSorted()]);
      for (const [asked, exchange] of exchanges) {
        const theirAnswer = other?.exchanges.get(asked);
        const there = new Set(theirAnswer === undefined ? [] : answerLines(theirAnswer));
        for (const line of answerLines(exchange)) {
          compared += 1;
          if (!there.has(line)) found.add(`${exchange.action}: ${line}`);
        }
      }
    }
    const known = differences.map(({ line }) => line);
    expect([...found].filter((line) => !known.some((pattern) => pattern.test(line)))).toEqual([]);
    // A difference that no longer exists must be removed from the list.
    expect(known.filter((pattern) => ![...found].some((line) => pattern.test(line)))).toEqual([]);
    covered(`EC2: a machine's life cycle in moto and in our own fake, ${compared} lines of answers compared`);
  });

  test("refuse the same calls for the same reason", async () => {
    const said = async (url: string): Promise<string[]> => {
      const client = new sdk.EC2Client({ region, endpoint: url, maxAttempts: 1 });
      const things = await makeThings(client, zone, image.owner, image.name);
      const all: string[] = [];
      for (const { what, send } of refusals) {
        const code = await send(client, things).then(
          () => "accepted",
          (error: unknown) => (error as Error).name,
        );
        all.push(`${what}: ${code}`);
      }
      return all;
    };
    expect(await said(fake.url)).toEqual(refusals.map(({ what, code }) => `${what}: ${code}`));
    expect(await said(moto.url)).toEqual(refusals.map(({ what, code, moto: other }) => `${what}: ${other ?? code}`));
    covered(`EC2: ${refusals.length} refusals by moto and by our own fake compared`);
  });
});
