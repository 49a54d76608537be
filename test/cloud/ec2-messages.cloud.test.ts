import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { playbook, type TaskCall } from "../../src/authoring.ts";
import { failureOf } from "../../src/cloud/ec2/failures.ts";
import type { Mode } from "../../src/core/events.ts";
import type { FurrowError } from "../../src/core/errors.ts";
import * as t from "../../tasks/index.ts";
import { type Ec2Fake, startEc2Fake } from "./ec2-fake/fake.ts";
import { timeFlies } from "./flying-time.ts";
import { runHere } from "./run-here.ts";

let fake: Ec2Fake;
let stopTime: () => void;
const before = { ...process.env };
beforeAll(async () => {
  fake = await startEc2Fake();
  stopTime = timeFlies();
});
beforeEach(() => {
  fake.reset({ lateness: 0 });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: fake.url,
    AWS_ACCESS_KEY_ID: "TEST",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_CONFIG_FILE: "/nonexistent",
    AWS_SHARED_CREDENTIALS_FILE: "/nonexistent",
  });
  delete process.env["AWS_PROFILE"];
  delete process.env["AWS_REGION"];
});
afterEach(() => {
  process.env = { ...before };
});
afterAll(() => {
  stopTime();
  return fake.close();
});

let number = 0;
/** Returns a new region, because furrow's client for a region keeps its credentials. */
function fresh(): string {
  number += 1;
  return `eu-msg-${number}`;
}

async function failureOfTask(
  call: TaskCall,
  mode: Mode = "apply",
): Promise<FurrowError["failure"] & { readonly ms: number }> {
  const started = performance.now();
  const { tasks } = await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [call] }] }), { mode });
  const { error } = tasks.at(-1) ?? {};
  if (error === undefined) throw new Error("the task has not failed");
  return { ...error.failure, ms: performance.now() - started };
}

const pair = (region: string | undefined): TaskCall =>
  t.ec2KeyPair({ name: "web", region, publicKey: `ssh-ed25519 ${"B".repeat(68)}` });
const machine = (region: string, more: object = {}): TaskCall =>
  t.ec2Instance({ name: "web", region, type: "m8i.4xlarge", image: { id: "ami-new" }, ...more });

describe("a message about an obstacle at EC2, with the next step", () => {
  test("reports missing credentials", async () => {
    delete process.env["AWS_ACCESS_KEY_ID"];
    delete process.env["AWS_SECRET_ACCESS_KEY"];
    const { what, current, hint } = await failureOfTask(pair(fresh()));
    expect(what).toMatch(/^cannot look for the key pair web in eu-msg-\d+$/);
    expect(current).toContain("Could not load credentials");
    expect(hint).toMatch(/^Log in to AWS: set AWS_PROFILE/);
  });

  test.each([
    ["EXPIRED", "RequestExpired: Request has expired.", /^Log in to AWS again/],
    ["UNKNOWN", "AuthFailure: AWS was not able to validate", /^Check the credentials, the clock .* region is enabled/],
    ["READONLY", "no permission ec2:ImportKeyPair", /^Ask an administrator/],
  ])("reports credentials that are %s", async (key, said, next) => {
    process.env["AWS_ACCESS_KEY_ID"] = key;
    const { current, hint, ms } = await failureOfTask(pair(fresh()));
    expect(current).toMatch(new RegExp(said));
    expect(hint).toMatch(next);
    expect(ms).toBeLessThan(5000);
  });

  test.each([
    ["ec2:ImportKeyPair", pair],
    ["ec2:RunInstances", (region: string) => machine(region, { securityGroups: [], zone: `${region}b` })],
    ["ec2:CreateSecurityGroup", (region: string) => t.ec2SecurityGroup({ name: "web", region })],
    ["ec2:CreateVolume", (region: string) => t.ec2Volume({ name: "data", region, zone: `${region}a`, sizeGb: 20 })],
    ["ec2:AllocateAddress", (region: string) => t.ec2Address({ name: "web", region })],
  ])("reports a missing permission for %s in check mode and in a run, before any change", async (action, call) => {
    process.env["AWS_ACCESS_KEY_ID"] = "READONLY";
    const region = fresh();
    for (const mode of ["check", "apply"] as const) {
      const failure = await failureOfTask(call(region), mode);
      expect([failure.details, failure.current]).toEqual([["refused: not-permitted"], `no permission ${action}`]);
    }
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
    process.env["AWS_ACCESS_KEY_ID"] = "TEST";
  });

  test.each([
    ["a volume", (region: string) => t.ec2Volume({ name: "data", region, zone: "eu-elsewhere-1a", sizeGb: 20 })],
    ["a machine", (region: string) => machine(region, { zone: "eu-elsewhere-1a" })],
  ])("reports a zone that the region does not have, in check mode and in a run, for %s", async (_what, call) => {
    const region = fresh();
    for (const mode of ["check", "apply"] as const) {
      expect(await failureOfTask(call(region), mode)).toMatchObject({
        details: ["refused: unknown-zone"],
        current: `${region}a, ${region}b, ${region}c`,
      });
    }
  });

  test("reports a missing region", async () => {
    const { what, hint } = await failureOfTask(pair(undefined));
    expect(what).toBe("cannot look for the key pair web");
    expect(hint).toBe("Set AWS_REGION, --var region=… in the clouds playbooks, or the param region of a task");
  });

  test("reports a region that does not exist", () => {
    const error = Object.assign(new Error("getaddrinfo ENOTFOUND ec2.eu-west-33.amazonaws.com"), { code: "ENOTFOUND" });
    const { failure } = failureOf(error, "list the instances", "eu-west-33");
    expect(failure).toMatchObject({
      what: "cannot list the instances in eu-west-33",
      hint: expect.stringMatching(/^Correct the region's name/) as string,
    });
  });

  test("reports an exhausted quota or insufficient capacity, and leaves no resources behind", async () => {
    const region = fresh();
    fake.reset({ quota: 0 });
    const quota = await failureOfTask(machine(region));
    expect(quota.current).toContain("VcpuLimitExceeded");
    expect(quota.hint).toMatch(/^Ask for a higher quota/);
    fake.reset({ soldOut: ["m8i.4xlarge"] });
    const capacity = await failureOfTask(machine(region));
    expect(capacity.what).toBe(`cannot launch web in ${region}`);
    expect(capacity.current).toContain("InsufficientInstanceCapacity");
    expect(capacity.hint).toMatch(/^Choose another zone or another type/);
    expect(fake.world(region).instances).toEqual([]);
  });

  test.each([
    ["an unknown image", { image: { id: "ami-0abc" } }, "the region has no image ami-0abc"],
    ["an unknown type", { type: "m9z.large" }, "the region has no type m9z.large"],
    ["an unknown key pair", { keyPair: "nobody" }, "there is no key pair nobody"],
    ["an unknown security group", { securityGroups: ["nowhere"] }, "there is no security group nowhere"],
  ])("reports %s", async (_what, more, said) => {
    const { what, hint } = await failureOfTask(machine(fresh(), more));
    expect(what).toBe(said);
    expect(hint).toMatch(/^[A-Z][a-z]+ /);
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("reports a type without nested virtualization, and, like EC2's own error, lists the types that have it", async () => {
    const { what, hint } = await failureOfTask(machine(fresh(), { type: "m5.large", nestedVirtualization: true }));
    expect(what).toBe("machines of type m5.large cannot run virtual machines");
    expect(hint).toBe(
      "Choose a type that can run virtual machines: c8i.2xlarge, m8i.4xlarge, m8i.8xlarge, m8i.16xlarge, r8i.2xlarge",
    );
  });

  test("reports bare metal with CPU options in check mode, before any resource is created", async () => {
    const region = fresh();
    const group = t.ec2SecurityGroup({ name: "web", region });
    const metal = machine(region, { type: "m5.metal", nestedVirtualization: true });
    const book = playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [metal, group] }] });
    const { tasks } = await runHere(book, { mode: "check" });
    expect(tasks[0]?.error?.message).toBe(
      "m5.metal is bare metal: it can always run virtual machines, and EC2 refuses CPU options for it",
    );
    expect(tasks[0]?.error?.failure.hint).toBe("Remove nestedVirtualization");
  });

  test("does not appear for a rule for 10.0.0.1/8, which converges in its first run", async () => {
    const region = fresh();
    const group = t.ec2SecurityGroup({
      name: "web",
      region,
      rules: [{ port: 22, from: ["10.0.0.1/8", "2001:DB8::9/32"] }],
    });
    const book = playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [group] }] });
    expect((await runHere(book)).tasks.map(({ outcome }) => outcome)).toEqual(["changed"]);
    expect([...(fake.world(region).groups[0]?.rules ?? [])][0]).toMatch(/ 10\.0\.0\.0\/8$/);
    expect((await runHere(book)).tasks.map(({ outcome }) => outcome)).toEqual(["ok"]);
  });

  test.each(["latest", "posted"] as const)(
    "does not appear for a console of type %s, from which furrow reads the host keys",
    async (console) => {
      const region = fresh();
      fake.reset({
        console,
        hostKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFakeFakeFakeFakeFakeFakeFakeFake"],
        silence: 0,
      });
      const book = playbook({
        name: "one",
        plays: [{ hosts: "all", tasks: () => [machine(region, { hostKeys: true })] }],
      });
      expect((await runHere(book)).tasks.map(({ outcome }) => outcome)).toEqual(["changed"]);
      expect([...(fake.world(region).instances[0]?.tags.values() ?? [])].join(" ")).toContain("AAAAC3NzaC1lZDI1NTE5");
      fake.reset();
    },
  );

  test("reports a name that belongs to another machine", async () => {
    const region = fresh();
    await runHere(playbook({ name: "one", plays: [{ hosts: "all", tasks: () => [machine(region)] }] }));
    const [one] = fake.world(region).instances;
    one?.tags.delete("furrow");
    const { what, hint } = await failureOfTask(machine(region));
    expect(what).toBe(`the name web belongs to ${one?.id}, which furrow did not create`);
    expect(hint).toMatch(/^Choose another name/);
  });

  test("reports a resource that cannot be removed because it is in use", async () => {
    const region = fresh();
    const group = t.ec2SecurityGroup({ name: "web", region });
    const book = playbook({
      name: "one",
      plays: [{ hosts: "all", tasks: () => [group, machine(region, { securityGroups: ["web"] })] }],
    });
    await runHere(book);
    const { current, hint, ms } = await failureOfTask(t.ec2SecurityGroup({ name: "web", region, state: "absent" }));
    expect(current).toContain("DependencyViolation");
    expect(ms).toBeLessThan(5000);
    expect(hint).toMatch(/^Remove what still uses the (resource|group)/);
  });
});
