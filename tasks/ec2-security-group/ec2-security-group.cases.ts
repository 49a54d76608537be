import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2SecurityGroup } from "./ec2-security-group.ts";

const call = ec2SecurityGroup({
  name: "web",
  rules: [
    { port: 443, from: ["0.0.0.0/0", "::/0"] },
    { port: 22, from: ["192.0.2.7/32"] },
  ],
  tags: { team: "a" },
});
const removal = ec2SecurityGroup({ name: "web", state: "absent" });
const rules = ["tcp 22 192.0.2.7/32", "tcp 443 0.0.0.0/0", "tcp 443 ::/0"];
const group = { id: "sg-1", vpc: "vpc-1", description: "made by furrow", rules, ours: true, tags: { team: "a" } };

const defaultVpc = { known: true, id: "vpc-1", zones: ["eu-test-1a"] };
const within = { id: "vpc-2", cidr: "10.0.0.0/16", ours: true, tags: {} };

/** Test cases for `ec2SecurityGroup`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no security group",
    call,
    now: { group: absent, defaultVpc },
    steps: ["create the security group web", `set rules: ${rules.map((rule) => `+ ${rule}`).join(", ")}`],
  },
  {
    title: "no security group, and no default VPC",
    call,
    now: { group: absent, defaultVpc: { known: true, id: "", zones: [] } },
    steps: [],
    refusal: "no-default-vpc",
  },
  {
    title: "no security group in the VPC",
    call: ec2SecurityGroup({ name: "web", vpc: "lab" }),
    now: { group: absent, within },
    steps: ["create the security group web"],
  },
  {
    title: "no security group, and no such VPC",
    call: ec2SecurityGroup({ name: "web", vpc: "lab" }),
    now: { group: absent, within: absent },
    steps: [],
    refusal: "no-vpc",
  },
  { title: "already up to date", call, now: { group }, steps: [] },
  {
    title: "one rule missing and one extra",
    call,
    now: { group: { ...group, rules: ["tcp 22 0.0.0.0/0", "tcp 443 0.0.0.0/0", "tcp 443 ::/0"] } },
    steps: ["set rules: + tcp 22 192.0.2.7/32, - tcp 22 0.0.0.0/0"],
  },
  {
    title: "up to date, but the networks are not in EC2's notation",
    call: ec2SecurityGroup({
      name: "web",
      rules: [
        { port: 22, from: ["10.0.0.1/8", "10.9.9.9/8", "2001:DB8::1/32"] },
        { port: { from: 0, to: 65_535 }, from: ["192.0.2.0/24"] },
      ],
    }),
    now: {
      group: { ...group, tags: {}, rules: ["tcp 22 10.0.0.0/8", "tcp 22 2001:db8::/32", "tcp all 192.0.2.0/24"] },
    },
    steps: [],
  },
  { title: "no tags", call, now: { group: { ...group, tags: {} } }, steps: ["tag the security group web"] },
  { title: "not created by furrow", call, now: { group: { ...group, ours: false } }, steps: [], refusal: "not-ours" },
  { title: "a security group to delete", call: removal, now: { group }, steps: ["delete the security group web"] },
  { title: "gone", call: removal, now: { group: absent }, steps: [] },
];
