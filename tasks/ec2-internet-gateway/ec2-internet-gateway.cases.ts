import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2InternetGateway } from "./ec2-internet-gateway.ts";

const call = ec2InternetGateway({ name: "lab", vpc: "lab", tags: { team: "a" } });
const removal = ec2InternetGateway({ name: "lab", state: "absent" });
const vpc = { id: "vpc-1", cidr: "10.20.0.0/16", ours: true, tags: {} };
const gateway = { id: "igw-1", vpc: "vpc-1", routed: true, ours: true, tags: { team: "a" } };
const route = "route the traffic of the VPC lab to lab";

/** Test cases for `ec2InternetGateway`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no gateway",
    call,
    now: { gateway: absent, vpc },
    steps: ["create the internet gateway lab", "attach lab to the VPC lab", route],
  },
  {
    title: "not attached",
    call,
    now: { gateway: { ...gateway, vpc: "", routed: false }, vpc },
    steps: ["attach lab to the VPC lab", route],
  },
  {
    title: "no route and no tags",
    call,
    now: { gateway: { ...gateway, routed: false, tags: {} }, vpc },
    steps: ["tag the internet gateway lab", route],
  },
  { title: "already up to date", call, now: { gateway, vpc }, steps: [] },
  { title: "no VPC", call, now: { gateway: absent, vpc: absent }, steps: [], refusal: "no-vpc" },
  {
    title: "attached to another VPC",
    call,
    now: { gateway: { ...gateway, vpc: "vpc-2" }, vpc },
    steps: [],
    refusal: "attached-elsewhere",
  },
  {
    title: "not created by furrow",
    call,
    now: { gateway: { ...gateway, ours: false }, vpc },
    steps: [],
    refusal: "not-ours",
  },
  { title: "a gateway to delete", call: removal, now: { gateway }, steps: ["delete the internet gateway lab"] },
  { title: "gone", call: removal, now: { gateway: absent }, steps: [] },
];
