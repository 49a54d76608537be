import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceInstance } from "./gce-instance.ts";

const params = {
  name: "lab",
  project: "project-1",
  zone: "europe-west3-a",
  machineType: "n2-standard-16",
  image: { project: "suse-cloud", family: "sles-15" },
  disks: ["data-1"],
  network: "lab",
  nested: true,
  tags: ["lab"],
  labels: { role: "harvester" },
  sshKeys: [{ user: "admin", key: "ssh-ed25519 AAAA" }],
};
const call = gceInstance(params);
const stopped = gceInstance({ ...params, state: "stopped" });
const removal = gceInstance({ name: "lab", project: "project-1", zone: "europe-west3-a", state: "absent" });
const reserving = gceInstance({ ...params, address: { name: "lab" } });

const machine = { name: "n2-standard-16", cpus: 16, memoryMb: 65_536, architecture: "X86_64" };
const disk = {
  sizeGb: 350,
  type: "pd-ssd",
  iops: 0,
  throughput: 0,
  status: "READY",
  labels: {},
  labelFingerprint: "a=",
  users: [],
  description: "",
};
const parts = {
  types: [machine],
  networks: [{ autoSubnets: true, mtu: 1460, description: "" }],
  images: [{ link: "projects/suse-cloud/global/images/sles-15-sp6", sizeGb: 10 }],
  disks: [disk],
  addresses: [],
  others: [],
};
const none = { types: [], networks: [], images: [], addresses: [], others: [], disks: [disk] };
const address = { address: "192.0.2.1", status: "RESERVED", users: [], description: "" };
const there = {
  status: "RUNNING",
  machineType: "n2-standard-16",
  nested: true,
  spot: false,
  network: "lab",
  internalAddress: "10.156.0.2",
  address: "192.0.2.9",
  tags: ["lab"],
  tagsFingerprint: "t=",
  labels: { role: "harvester", cost: "lab" },
  labelFingerprint: "l=",
  metadata: { "ssh-keys": "admin:ssh-ed25519 AAAA", "enable-guest-attributes": "TRUE", other: "x" },
  metadataFingerprint: "m=",
  disks: {
    boot: { disk: "lab", boot: true, autoDelete: true },
    "data-1": { disk: "data-1", boot: false, autoDelete: false },
  },
  hostKeys: ["ssh-ed25519 AAAA"],
  verified: true,
  description: gceOwner("furrow"),
};
const off = { ...there, status: "TERMINATED", address: "", hostKeys: [], verified: false };
const fresh = { ...parts, instance: absent };
const is = (other: object) => ({ ...none, instance: { ...there, ...other } });
const small = { ...machine, name: "e2-standard-16" };

/** Test cases for `gceInstance`: the state of the instance, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no instance", call, now: fresh, steps: ["create instance lab"] },
  { title: "as wanted, with an extra label and metadata", call, now: is({}), steps: [] },
  {
    title: "no instance, but a stopped one must exist",
    call: stopped,
    now: fresh,
    steps: ["create instance lab", "stop instance lab"],
  },
  {
    title: "no instance, with a reserved address",
    call: reserving,
    now: { ...fresh, addresses: [address] },
    steps: ["create instance lab"],
  },
  { title: "stopped", call, now: { ...none, instance: off }, steps: ["start instance lab"] },
  {
    title: "suspended",
    call,
    now: { ...none, instance: { ...off, status: "SUSPENDED" } },
    steps: ["start instance lab"],
  },
  {
    title: "starting",
    call,
    now: is({ status: "STAGING", hostKeys: [], verified: false }),
    steps: ["wait until instance lab is RUNNING", "wait until instance lab has published its host keys"],
  },
  {
    title: "stopping",
    call,
    now: is({ status: "STOPPING", hostKeys: [], verified: false }),
    steps: ["wait until instance lab is TERMINATED", "start instance lab"],
  },
  {
    title: "host keys not published yet",
    call,
    now: is({ hostKeys: [], verified: false }),
    steps: ["wait until instance lab has published its host keys"],
  },
  { title: "another label", call, now: is({ labels: { role: "x" } }), steps: ["label instance lab"] },
  {
    title: "another user's key",
    call,
    now: is({ metadata: { "enable-guest-attributes": "TRUE" } }),
    steps: ["set metadata of instance lab"],
  },
  { title: "no tags", call, now: is({ tags: [] }), steps: ["set tags of instance lab"] },
  { title: "without its data disk", call, now: is({ disks: {} }), steps: ["attach data-1 to instance lab"] },
  { title: "running, but must be stopped", call: stopped, now: is({}), steps: ["stop instance lab"] },
  { title: "stopped, and must be stopped", call: stopped, now: { ...none, instance: off }, steps: [] },
  {
    title: "stopped, with another type",
    call,
    now: { ...none, instance: { ...off, machineType: "n2-standard-8" } },
    steps: ["set machine type n2-standard-16 of instance lab", "start instance lab"],
  },
  {
    title: "running, with another type",
    call,
    now: is({ machineType: "n2-standard-8" }),
    steps: [],
    refusal: "needs-stop",
  },
  { title: "a spot instance", call, now: is({ spot: true }), steps: [], refusal: "not-in-place" },
  {
    title: "an instance without nested virtualization",
    call,
    now: is({ nested: false }),
    steps: [],
    refusal: "not-in-place",
  },
  { title: "in another network", call, now: is({ network: "default" }), steps: [], refusal: "not-in-place" },
  {
    title: "at another address",
    call: reserving,
    now: { ...is({}), addresses: [address] },
    steps: [],
    refusal: "not-in-place",
  },
  { title: "no such type", call, now: { ...fresh, types: [absent] }, steps: [], refusal: "no-machine-type" },
  {
    title: "a type without nested virtualization",
    call: gceInstance({ ...params, machineType: "e2-standard-16" }),
    now: { ...fresh, types: [small], others: [[small, machine]] },
    steps: [],
    refusal: "cannot-nest",
  },
  { title: "no network", call, now: { ...fresh, networks: [absent] }, steps: [], refusal: "no-network" },
  { title: "no image", call, now: { ...fresh, images: [absent] }, steps: [], refusal: "no-image" },
  { title: "no disk", call, now: { ...fresh, disks: [absent] }, steps: [], refusal: "no-disk" },
  { title: "no address", call: reserving, now: { ...fresh, addresses: [absent] }, steps: [], refusal: "no-address" },
  { title: "not created by furrow", call, now: is({ description: "" }), steps: [], refusal: "foreign" },
  {
    title: "an instance to delete",
    call: removal,
    now: { ...is({}), disks: [] },
    steps: ["delete instance lab with its boot disk"],
  },
  { title: "gone", call: removal, now: { ...none, disks: [], instance: absent }, steps: [] },
];
