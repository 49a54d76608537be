import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import provisionAws from "../../../playbooks/clouds/provision-aws.ts";
import { covered } from "../../covered.ts";
import { makeKey, publicKey, temporaryFolder } from "../../transport/sshd.ts";
import { folderWith } from "../../transport/ssh/tunnels/programs.ts";
import { type Ec2Fake, type FakeOptions, startEc2Fake } from "../ec2-fake/fake.ts";
import { fill } from "../ec2-fake/fill.ts";
import type { World } from "../ec2-fake/world.ts";
import { furrow } from "../furrow.ts";
import { runHere } from "../run-here.ts";
import { here, home, key, login, policyOf, pong, refusals, sshdBehindTunnels, wordsFor } from "./reached.ts";

const region = "eu-test-1";
const sshd = sshdBehindTunnels();

describe("a machine without a public address on EC2", () => {
  let fake: Ec2Fake;
  const options = (more: FakeOptions = {}): FakeOptions => ({
    hostKeys: [sshd.hostKey()],
    ...more,
  });
  const vars = {
    region,
    publicKey: publicKey(key),
    login,
    publicAddress: false,
    tunnel: "sessionManager",
    vpc: "vpc-1",
    subnet: "inside",
    instanceProfile: "web",
  };

  /** A subnet of the default VPC with its own route table. */
  const addSubnet = (world: World, routes: readonly Readonly<Record<string, string>>[]): void => {
    const seen = { late: 0, tags: new Map<string, string>() };
    const place = { vpc: "vpc-1", cidr: "172.31.96.0/20", zone: `${region}a` };
    const tags = new Map([["Name", "inside"]]);
    world.subnets.push({ late: 0, tags, id: "subnet-77", ...place, isDefault: false, publicAddresses: false });
    world.tables.push({ ...seen, id: "rtb-77", vpc: "vpc-1", subnets: ["subnet-77"], routes });
  };
  const addEndpoint = (world: World, service: string, privateDns = true): void =>
    void world.endpoints.push({
      id: `vpce-${service}`,
      late: 0,
      tags: new Map(),
      vpc: "vpc-1",
      service,
      type: "Interface",
      state: "available",
      privateDns,
    });
  const nat = { destinationCidrBlock: "0.0.0.0/0", natGatewayId: "nat-1", state: "active" };

  beforeAll(async () => {
    fake = await startEc2Fake();
  });
  afterAll(() => fake.close());
  beforeEach(() => {
    fake.reset(options());
    vi.stubEnv("AWS_ENDPOINT_URL", fake.url);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "TEST");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    vi.stubEnv("AWS_REGION", region);
  });

  test("is created, found by the inventory, answers through Session Manager, and is destroyed", async () => {
    const world = fake.world(region);
    addSubnet(world, [nat]);
    await here("clouds/provision-aws", vars);
    expect(world.instances).toMatchObject([{ state: "running", address: "", subnet: "subnet-77", profile: "web" }]);
    expect(world.addresses).toEqual([]);
    expect([...(world.groups[0]?.rules ?? [])]).toEqual(["tcp 443 443 0.0.0.0/0"]);
    await pong("inventory/aws.ts");
    const before = fake.calls.length;
    await here("clouds/provision-aws", vars);
    expect(fake.calls.slice(before).filter(({ mutating }) => mutating)).toEqual([]);
    await here("clouds/destroy-cloud", { prefix: "harvester", region }, "--yes");
    expect(world.instances.filter(({ state }) => state !== "terminated")).toEqual([]);
    expect([world.volumes, world.groups, world.keyPairs]).toEqual([[], [], []]);
    covered(
      "EC2: a machine without a public address, created, reached through a stand-in for Session Manager, destroyed",
    );
  });

  test("is refused in a subnet without a route to Systems Manager, both in check mode and in a run", async () => {
    const elsewhere = { destinationCidrBlock: "0.0.0.0/0", gatewayId: "igw-1", state: "active" };
    addSubnet(fake.world(region), [elsewhere]);
    expect(await refusals(provisionAws, vars)).toEqual([
      expect.stringContaining("a machine without a public address in inside cannot reach Systems Manager"),
    ]);
    // The main route table of the default VPC has a route to the VPC's internet gateway.
    expect(await refusals(provisionAws, { ...vars, subnet: "subnet-1" })).toEqual([
      expect.stringContaining("a machine without a public address in subnet-1 cannot reach Systems Manager"),
    ]);
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("is allowed if the subnet has endpoints, and with a warning if AWS does not show where a route leads", async () => {
    const notes = async (more: object = {}): Promise<readonly string[]> => {
      const { tasks } = await runHere(provisionAws, { mode: "check", vars: { ...vars, ...more } });
      expect(tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
      return tasks.find(({ title }) => title.startsWith("wayOut"))?.notes ?? [];
    };
    const world = fake.world(region);
    addSubnet(world, []);
    addEndpoint(world, "ssm");
    addEndpoint(world, "ssmmessages");
    expect(await notes()).toEqual([
      expect.stringContaining("ec2messages"),
      expect.stringContaining("may not be able to download packages"),
      expect.stringContaining("web must have AmazonSSMManagedInstanceCore"),
    ]);
    fake.reset(options({ hostManagement: undefined }));
    addSubnet(fake.world(region), [{ destinationCidrBlock: "10.0.0.0/8", transitGatewayId: "tgw-1", state: "active" }]);
    expect(await notes({ instanceProfile: undefined })).toContainEqual(
      expect.stringContaining("AWS does not show what is behind tgw-1"),
    );
  });

  test("is refused if it already exists with a public address, both in check mode and in a run", async () => {
    addSubnet(fake.world(region), [nat]);
    const { tasks } = await runHere(provisionAws, { vars });
    expect(tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    Object.assign(fake.world(region).instances[0] ?? {}, { address: "127.1.0.1" });
    const before = fake.calls.length;
    for (const mode of ["check", "run"]) {
      const words = mode === "run" ? ["--wait-lock", "300"] : [];
      const { code, stdout } = await furrow(mode, "playbooks/clouds/provision-aws.ts", ...words, ...wordsFor(vars));
      expect(stdout).toContain("the machine harvester already exists with a public address");
      expect(code).toBe(1);
    }
    expect(fake.calls.slice(before).filter(({ mutating }) => mutating)).toEqual([]);
  });

  test("is refused if furrow cannot log in to the jump host, and is otherwise listed with that jump host", async () => {
    const folder = join(home, ".ssh");
    mkdirSync(folder, { recursive: true });
    const gate = (identity: string): void =>
      writeFileSync(
        join(folder, "config"),
        `Host gate\n  HostName 127.0.0.1\n  Port ${sshd.port()}\n  StrictHostKeyChecking no\n  IdentityFile ${identity}\n  IdentitiesOnly yes\n`,
      );
    const world = fake.world(region);
    addSubnet(world, [nat]);
    const jumped = { ...vars, tunnel: undefined, proxyJump: "gate", manageFrom: ["172.31.0.0/16"] };
    gate(makeKey(temporaryFolder(), "stranger"));
    expect(await refusals(provisionAws, jumped)).toEqual([expect.stringContaining("wayToHost gate: ")]);
    gate(key);
    const { tasks } = await runHere(provisionAws, { mode: "check", vars: jumped });
    expect(tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
    fill(world, 1);
    for (const [name, value] of Object.entries({ reach: "jump-host", "jump-host": "gate" })) {
      world.instances[0]?.tags.set(name, value);
    }
    const { stdout } = await furrow("inventory", "-i", "inventory/aws.ts", "--json");
    expect(stdout).toMatch(/"proxyJump":\s*\{\s*"value":\s*"gate"/);
    expect(stdout).toContain('"10.0.0.1"');
  });

  test("needs the permissions that the printed policy names", async () => {
    addSubnet(fake.world(region), [nat]);
    fake.keep(options({ hostManagement: "Customized" }));
    const printed = await policyOf(provisionAws, { ...vars, instanceProfile: undefined });
    expect(printed).toContain("ec2:DescribeRouteTables");
    expect(printed).toContain("ec2:DescribeVpcEndpoints");
    expect(printed).toContain("ssm:GetServiceSetting");
  });

  test("is refused without an instance profile, unless Systems Manager manages all machines", async () => {
    addSubnet(fake.world(region), [nat]);
    const without = { ...vars, instanceProfile: undefined };
    expect(await refusals(provisionAws, without)).toEqual([
      expect.stringContaining("without an instance profile, Systems Manager does not manage the machine"),
    ]);
    fake.keep(options({ hostManagement: "Customized" }));
    const { tasks } = await runHere(provisionAws, { mode: "check", vars: without });
    expect(tasks.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  });

  test("is refused if the routes cannot be read, or if a program for the tunnel is missing", async () => {
    addSubnet(fake.world(region), [nat]);
    fake.keep(options({ denied: ["DescribeRouteTables"] }));
    expect(await refusals(provisionAws, vars)).toEqual([expect.stringContaining("ec2:DescribeRouteTables")]);
    fake.keep(options());
    vi.stubEnv("PATH", folderWith("aws"));
    expect(await refusals(provisionAws, vars)).toEqual([
      expect.stringContaining("there is no session-manager-plugin on this machine"),
    ]);
    expect(fake.calls.filter(({ mutating }) => mutating)).toEqual([]);
  });
});
