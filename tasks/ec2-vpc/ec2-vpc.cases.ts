import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2Vpc } from "./ec2-vpc.ts";

const call = ec2Vpc({ name: "lab", cidr: "10.20.0.1/16", tags: { team: "a" } });
const removal = ec2Vpc({ name: "lab", state: "absent" });
const vpc = { id: "vpc-1", cidr: "10.20.0.0/16", ours: true, tags: { team: "a" } };
const quota = { known: true, name: "VPCs per Region", used: 4, needed: 1, most: 5 };

/** Test cases for `ec2Vpc`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no VPC", call, now: { vpc: absent, quota }, steps: ["create the VPC lab (10.20.0.0/16)"] },
  {
    title: "an exhausted quota",
    call,
    now: { vpc: absent, quota: { ...quota, used: 5 } },
    steps: [],
    refusal: "quota",
  },
  { title: "already up to date", call, now: { vpc }, steps: [] },
  { title: "no tags", call, now: { vpc: { ...vpc, tags: {} } }, steps: ["tag the VPC lab"] },
  {
    title: "a different network",
    call,
    now: { vpc: { ...vpc, cidr: "10.0.0.0/16" } },
    steps: [],
    refusal: "other-network",
  },
  { title: "not created by furrow", call, now: { vpc: { ...vpc, ours: false } }, steps: [], refusal: "not-ours" },
  { title: "a VPC to delete", call: removal, now: { vpc }, steps: ["delete the VPC lab"] },
  { title: "gone", call: removal, now: { vpc: absent }, steps: [] },
];
