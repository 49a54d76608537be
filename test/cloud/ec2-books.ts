import { playbook } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";

const region = "eu-test-1";
const publicKey = `ssh-ed25519 ${"B".repeat(68)} me@here`;

/** Provisions a machine with everything that belongs to it. */
export const provision = playbook({
  name: "one machine",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.ec2KeyPair({ name: "web", region, publicKey }),
        t.ec2SecurityGroup({
          name: "web",
          region,
          rules: [
            { port: 443, from: ["0.0.0.0/0"] },
            { port: 22, from: ["192.0.2.7/32"] },
          ],
        }),
        t.ec2Instance({
          name: "web",
          region,
          type: "m8i.4xlarge",
          image: { owner: "099720109477", name: "ubuntu-noble-24.04-*" },
          keyPair: "web",
          securityGroups: ["web"],
          nestedVirtualization: true,
          rootDisk: { sizeGb: 40 },
          tags: { team: "storage" },
        }),
        t.ec2Volume({ name: "web-data", region, sizeGb: 100, instance: "web", device: "/dev/sdf" }),
        t.ec2Address({ name: "web", region, instance: "web" }),
      ],
    },
  ],
});

/** Removes the machine and everything that belongs to it. */
export const destroy = playbook({
  name: "nothing left",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.ec2Instance({ name: "web", region, state: "absent" }),
        t.ec2Address({ name: "web", region, state: "absent" }),
        t.ec2Volume({ name: "web-data", region, state: "absent" }),
        t.ec2SecurityGroup({ name: "web", region, state: "absent" }),
        t.ec2KeyPair({ name: "web", region, state: "absent" }),
      ],
    },
  ],
});

const own = { name: "lab", region };

/** Provisions a machine in its own VPC. */
export const provisionNetwork = playbook({
  name: "a machine in its own network",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.ec2Vpc({ ...own, cidr: "10.20.0.0/16" }),
        t.ec2Subnet({ ...own, vpc: "lab", cidr: "10.20.0.0/20", zone: `${region}b`, publicAddresses: true }),
        t.ec2InternetGateway({ ...own, vpc: "lab" }),
        t.ec2SecurityGroup({ ...own, vpc: "lab", rules: [{ port: 22, from: ["192.0.2.7/32"] }] }),
        t.ec2Instance({
          ...own,
          vpc: "lab",
          subnet: "lab",
          securityGroups: ["lab"],
          type: "m8i.4xlarge",
          image: { id: "ami-new" },
        }),
      ],
    },
  ],
});

/** Removes that machine and its network. */
export const destroyNetwork = playbook({
  name: "no network left",
  plays: [
    {
      hosts: "all",
      tasks: () => [
        t.ec2Instance({ ...own, state: "absent" }),
        t.ec2SecurityGroup({ ...own, state: "absent" }),
        t.ec2InternetGateway({ ...own, state: "absent" }),
        t.ec2Subnet({ ...own, state: "absent" }),
        t.ec2Vpc({ ...own, state: "absent" }),
      ],
    },
  ],
});
