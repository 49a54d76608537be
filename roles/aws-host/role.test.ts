import { expect, test } from "vitest";
import { awsHost, awsHostGone, awsHostSchema } from "./role.ts";

const names = (calls: readonly unknown[]): unknown[] =>
  calls.flat().flatMap((call) => (call === false ? [] : [(call as { input: unknown }).input]));

test("gives three small nodes three data disks and the next larger machine", () => {
  const host = awsHostSchema.parse({ publicKey: "ssh-ed25519 AAAA", nodes: 3 });
  const inputs = names(awsHost(host, ["192.0.2.7/32"]));
  expect(inputs).toMatchObject([
    { name: "harvester" },
    {
      rules: [
        { port: 443, from: ["0.0.0.0/0"] },
        { port: 22, from: ["192.0.2.7/32"] },
        { port: 6443, from: ["192.0.2.7/32"] },
      ],
    },
    { type: "m8i.8xlarge", nestedVirtualization: true },
    { name: "harvester-data-1", device: "/dev/sdf" },
    { name: "harvester-data-2", device: "/dev/sdg" },
    { name: "harvester-data-3", device: "/dev/sdh" },
    { instance: "harvester" },
    { port: 22 },
  ]);
});

test("deletes a machine before the objects that it uses", () => {
  const inputs = names(awsHostGone({ prefix: "lab" }));
  expect(inputs).toHaveLength(12);
  expect(inputs).toMatchObject([
    { name: "lab", state: "absent" },
    { name: "lab", state: "absent" },
    ...[1, 2, 3, 4, 5].map((number) => ({ name: `lab-data-${number}`, state: "absent" })),
    { name: "lab", state: "absent" },
    { name: "lab", state: "absent" },
    { name: "lab", state: "absent" },
    { name: "lab", state: "absent" },
    { name: "lab", state: "absent" },
  ]);
});

test("creates a network of its own, or uses a given one", () => {
  const host = { publicKey: "ssh-ed25519 AAAA" };
  const own = names(awsHost(awsHostSchema.parse({ ...host, vpcCidr: "10.20.0.0/16" }), ["192.0.2.7/32"]));
  expect(own.slice(1, 6)).toMatchObject([
    { name: "harvester", cidr: "10.20.0.0/16" },
    { name: "harvester", vpc: "harvester", cidr: "10.20.0.0/24", publicAddresses: true },
    { name: "harvester", vpc: "harvester" },
    { name: "harvester", vpc: "harvester" },
    { vpc: "harvester", subnet: "harvester" },
  ]);
  const given = names(awsHost(awsHostSchema.parse({ ...host, vpc: "vpc-1", subnet: "subnet-1" }), ["192.0.2.7/32"]));
  expect(given.slice(1, 3)).toMatchObject([{ vpc: "vpc-1" }, { vpc: "vpc-1", subnet: "subnet-1" }]);
});

const inside = { publicKey: "ssh-ed25519 AAAA", publicAddress: false, vpc: "vpc-1", subnet: "subnet-1" };
const issues = (vars: object): string[] =>
  awsHostSchema
    .safeParse({ publicKey: "ssh-ed25519 AAAA", ...vars })
    .error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [];

test("a machine without a public address needs a way in for SSH, and a subnet with a way out", () => {
  expect(issues({ publicAddress: false, vpc: "vpc-1", subnet: "subnet-1" })).toEqual([
    "publicAddress: true, or a route to the private address: tunnel=sessionManager, proxyJump=HOST, or insideNetwork=true if furrow runs inside the machine's network",
  ]);
  expect(issues({ publicAddress: false, tunnel: "sessionManager" })).toEqual([
    "subnet: vpc and subnet: without a public address, the machine needs a subnet with its own route to the internet",
  ]);
  expect(issues({ publicAddress: false, tunnel: "sessionManager", vpcCidr: "10.20.0.0/16" })).toEqual([
    "vpcCidr: vpc and subnet instead: through an internet gateway, only public addresses can reach the internet",
  ]);
  expect(issues({ tunnel: "sessionManager", insideNetwork: true, manageFrom: [] })).toEqual([
    "insideNetwork: only one route to the machine, not tunnel and insideNetwork",
  ]);
  expect(issues({ ...inside, proxyJump: "gate" })).toEqual([
    'manageFrom: the networks from which the jump host reaches the machine, like ["10.0.0.0/24"]',
  ]);
  expect(issues({ ...inside, tunnel: "sessionManager" })).toEqual([]);
});

test("an empty manageFrom allows logins from nowhere, so it needs a tunnel", () => {
  const nobody = "manageFrom: at least one network, because there is no tunnel";
  expect(issues({ manageFrom: [] })).toEqual([nobody]);
  expect(issues({ ...inside, proxyJump: "gate", manageFrom: [] })).toEqual([nobody]);
  expect(issues({ tunnel: "sessionManager", manageFrom: [] })).toEqual([]);
});

test("a zone of another region is refused; local and wavelength zones of the region are not", () => {
  const zones = (zone: string): string[] => issues({ region: "us-east-1", zone });
  expect(issues({ region: "eu-central-1", zone: "us-east-1a" })).toEqual([
    expect.stringContaining('a zone of the region eu-central-1, like "eu-central-1a"'),
  ]);
  expect(zones("us-east-10a")).toHaveLength(1);
  expect(zones("us-east-1")).toHaveLength(1);
  for (const zone of ["us-east-1a", "us-east-1-bos-1a", "us-east-1-wl1-bos-wlz-1"]) expect(zones(zone)).toEqual([]);
  expect(issues({ zone: "us-east-1a" })).toEqual([]);
});

test("a machine behind Session Manager has neither a public address nor an open SSH port, but runs an agent from its first boot", () => {
  const host = awsHostSchema.parse({ ...inside, tunnel: "sessionManager", region: "eu-central-1" });
  const made = names(awsHost(host, []));
  expect(made).toMatchObject([
    { tunnel: "sessionManager" },
    { subnet: "subnet-1", tunnel: true },
    { name: "harvester" },
    { rules: [{ port: 443, from: ["0.0.0.0/0"] }] },
    {
      publicAddress: false,
      subnet: "subnet-1",
      tags: { reach: "session-manager" },
      userData: expect.stringContaining("https://s3.eu-central-1.amazonaws.com/amazon-ssm-eu-central-1/latest/"),
    },
    { that: [{ message: "the machine harvester already exists with a public address" }] },
    { name: "harvester", state: "absent" },
    { name: "harvester-data-1" },
    { port: 22, tunnel: { sessionManager: { region: "eu-central-1" } } },
  ]);
});

test("installs no agent if another image is chosen, and waits for a machine over the route that the inventory uses", () => {
  const image = { id: "ami-1" };
  const last = (vars: object): unknown[] =>
    names(awsHost(awsHostSchema.parse({ ...inside, image, manageFrom: ["10.0.0.0/8"], ...vars }), ["10.0.0.0/8"]));
  const [jumped, within] = [last({ proxyJump: "gate" }), last({ insideNetwork: true })];
  expect(jumped).toContainEqual(
    expect.objectContaining({ tags: expect.objectContaining({ reach: "jump-host", "jump-host": "gate" }) as object }),
  );
  expect(jumped.at(-1)).toMatchObject({ port: 22, proxyJump: "gate" });
  expect(within.at(-1)).toEqual({ port: 22, deadlineSeconds: 600, address: expect.anything() as unknown });
  expect(last({ tunnel: "sessionManager" })).toContainEqual(
    expect.objectContaining({ publicAddress: false, userData: undefined }),
  );
});
