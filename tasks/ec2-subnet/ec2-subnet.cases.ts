import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2Subnet } from "./ec2-subnet.ts";

const params = { name: "lab", vpc: "lab", cidr: "10.20.0.0/20", zone: "eu-test-1a", tags: { team: "a" } } as const;
const call = ec2Subnet(params);
const removal = ec2Subnet({ name: "lab", state: "absent" });
const vpc = { id: "vpc-1", cidr: "10.20.0.0/16", ours: true, tags: {} };
const subnet = {
  id: "subnet-1",
  vpc: "vpc-1",
  cidr: "10.20.0.0/20",
  zone: "eu-test-1a",
  publicAddresses: false,
  ours: true,
  tags: { team: "a" },
};
const zones = ["eu-test-1a"];

/** Test cases for `ec2Subnet`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no subnet", call, now: { subnet: absent, vpc, zones }, steps: ["create the subnet lab (10.20.0.0/20)"] },
  {
    title: "no subnet, and public addresses are wanted",
    call: ec2Subnet({ ...params, publicAddresses: true }),
    now: { subnet: absent, vpc, zones },
    steps: ["create the subnet lab (10.20.0.0/20)", "give machines in lab public addresses"],
  },
  {
    title: "public addresses that are not wanted, and no tags",
    call,
    now: { subnet: { ...subnet, publicAddresses: true, tags: {} }, vpc },
    steps: ["tag the subnet lab", "stop giving machines in lab public addresses"],
  },
  { title: "already up to date", call, now: { subnet, vpc }, steps: [] },
  { title: "no VPC", call, now: { subnet: absent, vpc: absent, zones }, steps: [], refusal: "no-vpc" },
  {
    title: "no such zone",
    call,
    now: { subnet: absent, vpc, zones: ["eu-test-1b"] },
    steps: [],
    refusal: "unknown-zone",
  },
  {
    title: "a network outside the VPC",
    call: ec2Subnet({ ...params, cidr: "10.21.0.0/20" }),
    now: { subnet: absent, vpc, zones },
    steps: [],
    refusal: "outside-vpc",
  },
  {
    title: "a different network, VPC and zone",
    call,
    now: { subnet: { ...subnet, cidr: "10.20.16.0/20", vpc: "vpc-2", zone: "eu-test-1b" }, vpc },
    steps: [],
    refusal: "cannot-move",
  },
  {
    title: "not created by furrow",
    call,
    now: { subnet: { ...subnet, ours: false }, vpc },
    steps: [],
    refusal: "not-ours",
  },
  { title: "a subnet to delete", call: removal, now: { subnet }, steps: ["delete the subnet lab"] },
  { title: "gone", call: removal, now: { subnet: absent }, steps: [] },
];
