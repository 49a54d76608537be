import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { call, disk, instance, launch, machineType, none, params, there } from "./facts.cases.ts";
import { ec2Instance } from "./ec2-instance.ts";
import { obstacleCases } from "./obstacles.cases.ts";

const removal = ec2Instance({ name: "web", state: "absent" });

const options = {
  hostname: "web-1",
  iamInstanceProfile: "web",
  publicAddress: false,
  terminationProtection: true,
  metadataHopLimit: 2,
} as const;

/** Test cases for `ec2Instance`: each gives the state of EC2 and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "no instance", call, now: none({}), steps: launch },
  {
    title: "no instance, and no such zone",
    call: ec2Instance({ ...params, zone: "eu-test-1a" }),
    now: none({ zones: ["eu-test-1b"] }),
    steps: [],
    refusal: "unknown-zone",
  },
  { title: "already up to date", call, now: there({}), steps: [] },
  { title: "being terminated", call, now: there({ state: "shutting-down" }), steps: launch },
  { title: "stopped", call, now: there({ state: "stopped", address: "" }), steps: ["start web"] },
  {
    title: "launched, but its console has not been read yet",
    call,
    now: there({ verified: false, hostKeys: [] }),
    steps: ["read the host keys of web"],
  },
  { title: "no tags", call, now: there({ tags: {} }), steps: ["tag web"] },
  {
    title: "other security groups",
    call,
    now: there({ securityGroups: ["default"] }),
    steps: ["change the security groups of web"],
  },
  {
    title: "smaller and slower disks",
    call,
    now: there({ disks: { "/dev/sda1": { ...disk, sizeGb: 20 }, "/dev/sdf": { ...disk, id: "vol-2", sizeGb: 100 } } }),
    steps: ["disk /dev/sda1: sizeGb 40", "disk /dev/sdf: iops 6000"],
  },
  { title: "a different type", call, now: there({ type: "m8i.8xlarge" }), steps: [], refusal: "needs-stop" },
  {
    title: "a different type, and the machine may be stopped",
    call: ec2Instance({ ...params, mayStop: true }),
    now: there({ type: "m5.large", nested: false }),
    steps: ["stop web", "change the type and the nested virtualization of web", "start web"],
  },
  {
    title: "a different type, while the machine is stopped",
    call: ec2Instance({ ...params, state: "stopped" }),
    now: there({ type: "m8i.8xlarge", state: "stopped" }),
    steps: ["change the type of web"],
  },
  {
    title: "running, but must be stopped",
    call: ec2Instance({ ...params, state: "stopped" }),
    now: there({}),
    steps: ["stop web"],
  },
  {
    title: "no instance, but a stopped one must exist",
    call: ec2Instance({ ...params, state: "stopped" }),
    now: none({}),
    steps: ["launch web (m8i.4xlarge)", "stop web"],
  },
  { title: "a different image", call, now: there({ image: "ami-0" }), steps: [], refusal: "needs-new-machine" },
  { title: "a different key pair", call, now: there({ keyPair: "old" }), steps: [], refusal: "needs-new-machine" },
  { title: "a spot instance", call, now: there({ spot: true }), steps: [], refusal: "needs-new-machine" },
  {
    title: "a disk that is too large, and a missing disk",
    call,
    now: there({ disks: { "/dev/sda1": { ...disk, sizeGb: 80 } } }),
    steps: [],
    refusal: "needs-new-machine",
  },
  {
    title: "an image by name, with a newer version available",
    call: ec2Instance({ ...params, image: { owner: "self", name: "noble-*" } }),
    now: there({ image: "ami-0" }),
    steps: [],
  },
  { title: "not created by furrow", call, now: there({ ours: false }), steps: [], refusal: "not-ours" },
  {
    title: "an unknown image",
    call,
    now: none({ image: absent }),
    steps: [],
    refusal: "unknown-image",
  },
  {
    title: "a type without nested virtualization",
    call,
    now: none({
      machineType: { ...machineType, nests: false, nesting: ["c8i.2xlarge", "m8i.4xlarge"] },
    }),
    steps: [],
    refusal: "cannot-nest",
  },
  {
    title: "an unknown type",
    call,
    now: none({ machineType: { ...machineType, known: false, nests: false, architectures: [] } }),
    steps: [],
    refusal: "unknown-type",
  },
  {
    title: "bare metal, for which EC2 refuses CPU options",
    call: ec2Instance({ ...params, type: "m5.metal", nestedVirtualization: true }),
    now: none({ machineType: { ...machineType, bareMetal: true, nests: false } }),
    steps: [],
    refusal: "bare-metal",
  },
  ...obstacleCases,
  { title: "no security group", call, now: none({ groups: [absent] }), steps: [], refusal: "no-security-group" },
  { title: "no key pair", call, now: none({ keyPair: absent }), steps: [], refusal: "no-key-pair" },
  {
    title: "an instance to terminate",
    call: removal,
    now: { instance, protection: { on: false } },
    steps: ["terminate web"],
  },
  {
    title: "protected against termination",
    call: removal,
    now: { instance, protection: { on: true } },
    steps: [],
    refusal: "protected",
  },
  {
    title: "protected against termination, and the protection may be turned off",
    call: ec2Instance({ name: "web", state: "absent", terminationProtection: false }),
    now: { instance, protection: { on: true } },
    steps: ["turn off the termination protection of web", "terminate web"],
  },
  {
    title: "no instance, and all options are wanted",
    call: ec2Instance({ ...params, ...options }),
    now: none({ protection: absent }),
    steps: launch,
  },
  {
    title: "without the options that EC2 can change",
    call: ec2Instance({ ...params, ...options }),
    now: { ...there({}), protection: { on: false } },
    steps: ["change the instance profile and the metadata hop limit and the termination protection of web"],
  },
  {
    title: "with all options",
    call: ec2Instance({ ...params, ...options }),
    now: { ...there({ instanceProfile: "web", metadataHopLimit: 2 }), protection: { on: true } },
    steps: [],
  },
  {
    title: "with a disk that someone else has attached, and that would be deleted too",
    call: removal,
    now: {
      instance: { ...instance, disks: { ...instance.disks, "/dev/sdp": { ...disk, id: "vol-9", own: false } } },
      protection: { on: false },
    },
    steps: ["keep /dev/sdp (vol-9) when web is terminated", "terminate web"],
  },
  {
    title: "with a disk that someone else has attached, and that stays anyway",
    call: removal,
    now: {
      instance: { ...instance, disks: { "/dev/sdp": { ...disk, own: false, deleteOnTermination: false } } },
      protection: { on: false },
    },
    steps: ["terminate web"],
  },
  { title: "gone", call: removal, now: { instance: absent }, steps: [] },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { instance: { ...instance, ours: false }, protection: { on: false } },
    steps: [],
    refusal: "not-ours",
  },
];
