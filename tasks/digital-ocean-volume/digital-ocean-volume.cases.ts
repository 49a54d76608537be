import { absent } from "../../src/authoring.ts";
import { digitalOceanOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { digitalOceanVolume } from "./digital-ocean-volume.ts";

const params = { name: "data-1", region: "fra1", sizeGb: 350, tags: ["lab"] };
const call = digitalOceanVolume(params);
const removal = digitalOceanVolume({ name: "data-1", region: "fra1", state: "absent" });
const anywhere = digitalOceanVolume({ name: "data-1", state: "absent" });
const mark = { [digitalOceanOwner("furrow")]: true };
const there = { id: "v-1", sizeGb: 350, filesystem: "", droplets: [], tags: { ...mark, lab: true, cost: true } };
const region = { available: true, features: ["storage"] };

/** Test cases for `digitalOceanVolume`: the state of the volume, and what the task does to it. */
export const cases: readonly Case[] = [
  {
    title: "no volume",
    call,
    now: { volume: absent, droplets: [], regions: [region] },
    steps: ["create the volume data-1"],
  },
  { title: "up to date, with an extra tag", call, now: { volume: there, droplets: [], regions: [] }, steps: [] },
  {
    title: "smaller than requested, without a tag",
    call,
    now: { volume: { ...there, sizeGb: 100, tags: mark }, droplets: [], regions: [] },
    steps: ["grow the volume data-1 to 350 GiB", "tag the volume data-1"],
  },
  {
    title: "larger than requested",
    call,
    now: { volume: { ...there, sizeGb: 500 }, droplets: [], regions: [] },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "an unknown region",
    call,
    now: { volume: absent, droplets: [], regions: [absent] },
    steps: [],
    refusal: "no-region",
  },
  {
    title: "a region without volumes",
    call,
    now: { volume: absent, droplets: [], regions: [{ ...region, features: [] }] },
    steps: [],
    refusal: "no-region",
  },
  {
    title: "not created by furrow",
    call,
    now: { volume: { ...there, tags: {} }, droplets: [], regions: [] },
    steps: [],
    refusal: "foreign",
  },
  {
    title: "a volume to delete",
    call: removal,
    now: { volume: there, droplets: [], regions: [] },
    steps: ["delete the volume data-1"],
  },
  {
    title: "a volume to delete, in any region",
    call: anywhere,
    now: { volume: there, droplets: [], regions: [] },
    steps: ["delete the volume data-1"],
  },
  {
    title: "removal of a volume in use",
    call: removal,
    now: { volume: { ...there, droplets: ["web"] }, droplets: [{ status: "active" }], regions: [] },
    steps: [],
    refusal: "volume-in-use",
  },
  {
    title: "removal of a volume whose droplet no longer exists",
    call: removal,
    now: { volume: { ...there, droplets: ["web"] }, droplets: [absent], regions: [] },
    steps: ["delete the volume data-1"],
  },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { volume: { ...there, tags: {} }, droplets: [], regions: [] },
    steps: [],
    refusal: "foreign",
  },
  { title: "gone", call: removal, now: { volume: absent, droplets: [], regions: [] }, steps: [] },
];
