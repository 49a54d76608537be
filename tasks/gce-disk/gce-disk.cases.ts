import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceDisk } from "./gce-disk.ts";

const params = { name: "data-1", project: "project-1", zone: "europe-west3-a", sizeGb: 350, labels: { role: "data" } };
const call = gceDisk(params);
const fast = gceDisk({ ...params, type: "hyperdisk-balanced", iops: 6000, throughput: 400 });
const removal = gceDisk({ name: "data-1", project: "project-1", zone: "europe-west3-a", state: "absent" });
const there = {
  sizeGb: 350,
  type: "pd-balanced",
  iops: 0,
  throughput: 0,
  status: "READY",
  labels: { role: "data", cost: "lab" },
  labelFingerprint: "abc=",
  users: [],
  kmsKey: "",
  description: gceOwner("furrow"),
};
const type = { name: "pd-balanced", validSizes: "10GB-65536GB" };
const fresh = { disk: absent, users: [], types: [type] };
const key = "projects/project-1/locations/europe-west3/keyRings/lab/cryptoKeys/disks";
const encrypted = gceDisk({ ...params, kmsKey: key });
const used = { ...there, users: ["lab"] };
const theirs = { ...there, description: "database" };

/** Test cases for `gceDisk`: the state of the disk, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no disk", call, now: fresh, steps: ["create disk data-1"] },
  { title: "no disk, and a key is given", call: encrypted, now: fresh, steps: ["create disk data-1"] },
  {
    title: "up to date, with its key",
    call: encrypted,
    now: { ...fresh, types: [], disk: { ...there, kmsKey: key } },
    steps: [],
  },
  {
    title: "with a different key",
    call: encrypted,
    now: { ...fresh, types: [], disk: there },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "a type that the zone does not offer",
    call,
    now: { ...fresh, types: [absent] },
    steps: [],
    refusal: "no-disk-type",
  },
  {
    title: "a size that the type does not accept",
    call,
    now: { ...fresh, types: [{ ...type, validSizes: "500GB-10TB" }] },
    steps: [],
    refusal: "disk-size",
  },
  {
    title: "a type whose sizes the API does not report",
    call,
    now: { ...fresh, types: [{ ...type, validSizes: "" }] },
    steps: ["create disk data-1"],
  },
  { title: "up to date, with an extra label", call, now: { disk: there, users: [], types: [] }, steps: [] },
  {
    title: "smaller than requested",
    call,
    now: { disk: { ...there, sizeGb: 100 }, users: [], types: [type] },
    steps: ["grow disk data-1 to 350 GB"],
  },
  {
    title: "larger than requested",
    call,
    now: { disk: { ...there, sizeGb: 500 }, users: [], types: [] },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "of a slower type",
    call,
    now: { disk: { ...there, type: "pd-standard" }, users: [], types: [] },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "a different label",
    call,
    now: { disk: { ...there, labels: { role: "x" } }, users: [], types: [] },
    steps: ["label disk data-1"],
  },
  {
    title: "slower than requested, but of the right type",
    call: fast,
    now: { disk: { ...there, type: "hyperdisk-balanced", iops: 3000, throughput: 140 }, users: [], types: [] },
    steps: ["set the speed of disk data-1"],
  },
  {
    title: "not ready yet",
    call,
    now: { disk: { ...there, status: "CREATING" }, users: [], types: [] },
    steps: ["wait until disk data-1 is ready"],
  },
  { title: "not created by furrow", call, now: { disk: theirs, users: [], types: [] }, steps: [], refusal: "foreign" },
  {
    title: "a disk to delete",
    call: removal,
    now: { disk: there, users: [], types: [] },
    steps: ["delete disk data-1"],
  },
  {
    title: "removal of a disk whose instance no longer exists",
    call: removal,
    now: { disk: used, users: [absent], types: [] },
    steps: ["delete disk data-1"],
  },
  {
    title: "removal of a disk in use",
    call: removal,
    now: { disk: used, users: [{ status: "RUNNING" }], types: [] },
    steps: [],
    refusal: "disk-in-use",
  },
  { title: "gone", call: removal, now: { disk: absent, users: [], types: [] }, steps: [] },
];
