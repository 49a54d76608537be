import { expect, test } from "vitest";
import { awsHost, awsHostGone, awsHostSchema } from "./role.ts";

const names = (calls: readonly unknown[]): unknown[] => calls.flat().map((call) => (call as { input: unknown }).input);

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
