import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ec2Inventory } from "../../src/cloud/index.ts";
import type { SourceContext } from "../../src/core/inventory/inventory-source.ts";
import { covered } from "../covered.ts";
import { type Ec2Fake, startEc2Fake } from "./ec2-fake/fake.ts";
import { fill } from "./ec2-fake/fill.ts";
import { ApiError } from "./ec2-fake/wire.ts";

let fake: Ec2Fake;
beforeAll(async () => {
  fake = await startEc2Fake();
  process.env["AWS_ENDPOINT_URL"] = fake.url;
  process.env["AWS_ACCESS_KEY_ID"] = "TEST";
  process.env["AWS_SECRET_ACCESS_KEY"] = "test";
});
beforeEach(() => fake.reset());
afterAll(() => fake.close());

const asked: string[] = [];
const context: SourceContext = {
  signal: new AbortController().signal,
  folder: "/",
  notice: () => undefined,
  now: new Date(0),
  cache: {
    remembered: (key, _age, produce) => {
      asked.push(key);
      return produce();
    },
  },
};

test("hosts have addresses, keys, groups and typed vars; unusable hosts are reported", async () => {
  const world = fake.world("eu-inv-1");
  fill(world, 6);
  const [web, db, off, lost, twin] = world.instances;
  web?.tags.set("Name", "web").set("role", "front end").set("furrow", "1").set("furrow:host-key", "ssh-ed25519 AAAA");
  db?.tags.set("Name", "db");
  twin?.tags.set("Name", "db");
  Object.assign(off ?? {}, { state: "stopped" });
  Object.assign(lost ?? {}, { address: "", privateAddress: "" });
  Object.assign(world.instances[5] ?? {}, { state: "terminated" });
  const listing = await ec2Inventory({
    regions: ["eu-inv-1"],
    groupBy: ["region", "tag:role"],
    user: "ubuntu",
    maximumAgeSeconds: 60,
  }).list(context);
  expect(Object.keys(listing.hosts)).toEqual(["web", `db-${db?.id}`, `db-${twin?.id}`]);
  expect(listing.hosts["web"]).toMatchObject({
    address: web?.address,
    user: "ubuntu",
    hostKeys: ["ssh-ed25519 AAAA"],
    vars: { ec2: { type: "m8i.4xlarge", tags: { role: "front end" } } },
  });
  expect(listing.groups).toMatchObject({ "front-end": { hosts: ["web"] } });
  expect(listing.leftOut).toEqual([
    { host: off?.tags.get("Name"), reason: "stopped" },
    { host: lost?.tags.get("Name"), reason: "no address" },
  ]);
  expect(asked).toEqual([JSON.stringify(["ec2", "TEST", "eu-inv-1", {}])]);
});

test("machines without a public address are reached through Session Manager, if the inventory says so", async () => {
  const world = fake.world("eu-inv-2");
  fill(world, 2);
  const [near, far] = world.instances;
  near?.tags.set("Name", "near");
  far?.tags.set("Name", "far");
  Object.assign(far ?? {}, { address: "" });
  const inPrivate = { regions: ["eu-inv-2"], tunnel: "sessionManager" } as const;
  const tunnel = { sessionManager: { instance: far?.id, region: "eu-inv-2" } };
  expect((await ec2Inventory(inPrivate).list(context)).hosts).toMatchObject({
    near: { tunnel: { sessionManager: { instance: near?.id } } },
    far: { address: far?.privateAddress, tunnel },
  });
  const some = await ec2Inventory({
    ...inPrivate,
    tunnel: ({ address }) => (address === "" ? "sessionManager" : undefined),
  }).list(context);
  expect(some.hosts["near"]).not.toHaveProperty("tunnel");
  expect(some.hosts["far"]).toMatchObject({ tunnel });
});

test("5,000 machines in 4 regions are listed page by page, all regions at once, and throttled calls are retried", async () => {
  const regions = ["eu-big-1", "eu-big-2", "us-big-1", "ap-big-1"];
  let throttled = 0;
  const waiting = new Set<string>();
  let letGo = (): void => undefined;
  const together = new Promise<void>((done) => {
    letGo = done;
  });
  fake.reset({
    judge: async ({ number, region }) => {
      // The fake answers only after it has received a call for every region. If the calls were sequential, the test
      // would wait forever.
      waiting.add(region);
      if (waiting.size === regions.length) letGo();
      await together;
      if (number % 5 !== 2) return undefined;
      throttled += 1;
      return new ApiError("RequestLimitExceeded", "Request limit exceeded.", 503);
    },
  });
  for (const region of regions) fill(fake.world(region), 1250);
  const listing = await ec2Inventory({ regions, filters: { "tag:furrow": "*" }, groupBy: ["region"] }).list(context);
  expect(Object.keys(listing.hosts)).toHaveLength(5000);
  expect(Object.keys(listing.groups ?? {}).toSorted()).toEqual(regions.toSorted());
  expect(throttled).toBeGreaterThan(1);
  covered(`EC2: 5,000 machines in 4 regions listed with ${fake.calls.length} calls, ${throttled} of them throttled`);
});
