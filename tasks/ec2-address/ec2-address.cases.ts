import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2Address } from "./ec2-address.ts";

const call = ec2Address({ name: "web", instance: "web", tags: { team: "a" } });
const removal = ec2Address({ name: "web", state: "absent" });
const instance = { id: "i-1", state: "running", hostKeys: ["ssh-ed25519 AAAA"], tags: {}, ours: true };
const address = {
  id: "eipalloc-1",
  address: "127.1.0.1",
  associated: true,
  instance: "i-1",
  ours: true,
  tags: { team: "a" },
};
const users = { holder: { name: "web", ours: true }, user: instance };
const free = { ...address, associated: false, instance: "" };

const quota = { known: true, name: "EC2-VPC Elastic IPs", used: 4, needed: 1, most: 5 };

/** Test cases for `ec2Address`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no address",
    call,
    now: { address: absent, instance, quota },
    steps: ["allocate web", "associate web with web"],
  },
  {
    title: "no address, and the quota is exhausted",
    call,
    now: { address: absent, instance, quota: { ...quota, used: 5 } },
    steps: [],
    refusal: "quota",
  },
  { title: "already up to date", call, now: { address, instance }, steps: [] },
  { title: "not associated", call, now: { address: free, instance }, steps: ["associate web with web"] },
  {
    title: "associated with another of our instances",
    call,
    now: { address: { ...address, instance: "i-2" }, instance, holder: { name: "old", ours: true }, user: instance },
    steps: ["associate web with web"],
  },
  {
    title: "associated with someone else's instance",
    call,
    now: { address: { ...address, instance: "i-2" }, instance, holder: { name: "old", ours: false }, user: instance },
    steps: [],
    refusal: "in-use",
  },
  {
    title: "associated with a network interface",
    call: removal,
    now: { address: { ...address, instance: "" } },
    steps: [],
    refusal: "in-use",
  },
  { title: "no tags", call, now: { address: { ...address, tags: {} }, instance }, steps: ["tag web"] },
  { title: "no instance", call, now: { address: absent, instance: absent, quota }, steps: [], refusal: "no-instance" },
  {
    title: "associated, but must not be",
    call: ec2Address({ name: "web" }),
    now: { address, ...users },
    steps: ["free web"],
  },
  {
    title: "not created by furrow",
    call,
    now: { address: { ...address, ours: false }, instance },
    steps: [],
    refusal: "not-ours",
  },
  { title: "an address to release", call: removal, now: { address: free }, steps: ["release web"] },
  {
    title: "an address to release, in use by a machine that an earlier task removes",
    call: removal,
    now: { address, holder: { name: "web", ours: true }, user: absent },
    steps: ["release web"],
  },
  {
    title: "an address to release, in use",
    call: removal,
    now: { address, ...users },
    steps: [],
    refusal: "in-use",
  },
  { title: "gone", call: removal, now: { address: absent }, steps: [] },
];
