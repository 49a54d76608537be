import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { ec2Volume } from "./ec2-volume.ts";

const call = ec2Volume({ name: "data", sizeGb: 100, instance: "web", device: "/dev/sdf", tags: { team: "a" } });
const loose = ec2Volume({ name: "data", sizeGb: 100, zone: "eu-test-1a" });
const removal = ec2Volume({ name: "data", state: "absent" });
const instance = {
  id: "i-1",
  state: "running",
  zone: "eu-test-1a",
  tags: {},
  ours: true,
  hostKeys: [],
};
const volume = {
  id: "vol-1",
  sizeGb: 100,
  type: "gp3",
  iops: 3000,
  throughput: 125,
  encrypted: true,
  zone: "eu-test-1a",
  attached: true,
  instance: "i-1",
  device: "/dev/sdf",
  ours: true,
  tags: { team: "a" },
};
const free = { ...volume, attached: false, instance: "", device: "" };

/** Test cases for `ec2Volume`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  {
    title: "no volume",
    call,
    now: { volume: absent, instance },
    steps: ["create data (100 GiB gp3)", "attach data to web"],
  },
  {
    title: "no volume, and no such zone",
    call: loose,
    now: { volume: absent, zones: ["eu-test-1b"] },
    steps: [],
    refusal: "unknown-zone",
  },
  { title: "already up to date", call, now: { volume, instance }, steps: [] },
  { title: "not attached", call, now: { volume: free, instance }, steps: ["attach data to web"] },
  {
    title: "attached under another device name",
    call,
    now: { volume: { ...volume, device: "/dev/sdg" }, instance },
    steps: ["detach data", "attach data to web"],
  },
  {
    title: "too small, too slow and without its tag",
    call: ec2Volume({ name: "data", sizeGb: 200, iops: 6000, instance: "web", device: "/dev/sdf", tags: { a: "b" } }),
    now: { volume, instance },
    steps: ["data: sizeGb 200, iops 6000", "tag data"],
  },
  {
    title: "larger than requested",
    call,
    now: { volume: { ...volume, sizeGb: 200 }, instance },
    steps: [],
    refusal: "cannot-shrink",
  },
  {
    title: "attached to another instance",
    call,
    now: { volume: { ...volume, instance: "i-2" }, instance },
    steps: [],
    refusal: "attached-elsewhere",
  },
  { title: "no instance", call, now: { volume: absent, instance: absent }, steps: [], refusal: "no-instance" },
  {
    title: "not created by furrow",
    call,
    now: { volume: { ...volume, ours: false }, instance },
    steps: [],
    refusal: "not-ours",
  },
  {
    title: "attached to one of our machines, but must be detached",
    call: loose,
    now: { volume, holder: { name: "web", ours: true }, user: instance },
    steps: ["detach data"],
  },
  {
    title: "attached to someone else's machine, but must be detached",
    call: loose,
    now: { volume, holder: { name: "web", ours: false }, user: { ...instance, ours: false } },
    steps: [],
    refusal: "in-use",
  },
  {
    title: "in another zone",
    call: loose,
    now: { volume: { ...free, zone: "eu-test-1b" } },
    steps: [],
    refusal: "other-zone",
  },
  { title: "a volume to delete", call: removal, now: { volume: free }, steps: ["delete data"] },
  {
    title: "a volume to delete, attached to a machine that no longer exists",
    call: removal,
    now: { volume, holder: absent },
    steps: ["delete data"],
  },
  {
    title: "a volume to delete, attached to a machine that an earlier task removes",
    call: removal,
    now: { volume, holder: { name: "web", ours: true }, user: absent },
    steps: ["delete data"],
  },
  {
    title: "a volume to delete, attached to a machine",
    call: removal,
    now: { volume, holder: { name: "web", ours: true }, user: instance },
    steps: [],
    refusal: "in-use",
  },
  {
    title: "a volume to delete, attached to a machine without a name",
    call: removal,
    now: { volume, holder: { name: "", ours: false } },
    steps: [],
    refusal: "in-use",
  },
  { title: "gone", call: removal, now: { volume: absent }, steps: [] },
];
