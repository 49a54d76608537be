import { absent } from "../../src/authoring.ts";
import { digitalOceanOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { digitalOceanDroplet } from "./digital-ocean-droplet.ts";

const publicKey = "ssh-ed25519 AAAA";
const params = {
  name: "lab",
  region: "fra1",
  size: "g-16vcpu-64gb",
  image: "debian-12-x64",
  publicKeys: [`${publicKey} me@here`],
  volumes: ["data-1"],
  tags: ["web"],
};
const call = digitalOceanDroplet(params);
const removal = digitalOceanDroplet({ name: "lab", state: "absent" });
const removalIn = (region: string) => digitalOceanDroplet({ name: "lab", region, state: "absent" });
const vpc = "5a4981aa-9653-4bd1-bef5-d6bff52042e4";
const inVpc = digitalOceanDroplet({ ...params, vpc });
const mark = { [digitalOceanOwner("furrow")]: true };
const droplet = {
  id: "7",
  status: "active",
  region: "fra1",
  size: "g-16vcpu-64gb",
  image: "debian-12-x64",
  vpc: "other",
  address: "192.0.2.1",
  privateAddress: "10.0.0.1",
  volumes: { "data-1": true },
  tags: { ...mark, web: true, cost: true },
};
const volume = { id: "v-1", sizeGb: 350, filesystem: "", droplets: [], tags: mark };
const size = { vcpus: 16, memoryMb: 65_536, diskGb: 200, regions: ["ams3", "fra1"], available: true };
const region = { available: true, features: ["storage"] };
const image = { minDiskGb: 10, regions: ["fra1"], status: "available" };
const none = { sizes: [], regions: [], images: [], keys: [], volumes: [volume] };
const fresh = {
  droplet: absent,
  sizes: [size],
  regions: [region],
  images: [image],
  keys: [{ id: "1", publicKey }],
  volumes: [volume],
};
const there = { ...none, droplet };
const refused = { call, steps: [] };

/** Test cases for `digitalOceanDroplet`: the state of the droplet, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no droplet", call, now: fresh, steps: ["create the droplet lab"] },
  { title: "no droplet, and a VPC network is given", call: inVpc, now: fresh, steps: ["create the droplet lab"] },
  { title: "up to date, with an extra tag", call, now: there, steps: [] },
  {
    title: "up to date, with its volume",
    call,
    now: { ...there, volumes: [{ ...volume, droplets: ["lab"] }] },
    steps: [],
  },
  {
    title: "still being created",
    call,
    now: { ...there, droplet: { ...droplet, status: "new" } },
    steps: ["wait until the droplet lab is running"],
  },
  {
    title: "off, too small, and missing a tag and its volume",
    call,
    now: {
      ...there,
      sizes: [size],
      droplet: { ...droplet, status: "off", size: "g-8vcpu-32gb", tags: mark, volumes: {} },
    },
    steps: [
      "tag the droplet lab",
      "attach data-1 to the droplet lab",
      "resize the droplet lab to g-16vcpu-64gb",
      "start the droplet lab",
    ],
  },
  {
    ...refused,
    title: "running, with a different size",
    now: { ...there, sizes: [size], droplet: { ...droplet, size: "g-8vcpu-32gb" } },
    refusal: "needs-stop",
  },
  {
    ...refused,
    title: "off, and the region does not offer the wanted size",
    now: { ...there, sizes: [absent], droplet: { ...droplet, status: "off", size: "g-8vcpu-32gb" } },
    refusal: "no-size",
  },
  {
    ...refused,
    title: "in another region",
    now: { ...there, droplet: { ...droplet, region: "ams3" } },
    refusal: "not-in-place",
  },
  { title: "in another VPC network", call: inVpc, now: there, steps: [], refusal: "not-in-place" },
  { ...refused, title: "an unknown region", now: { ...fresh, regions: [absent] }, refusal: "no-region" },
  {
    ...refused,
    title: "a region that accepts no new droplets",
    now: { ...fresh, regions: [{ ...region, available: false }] },
    refusal: "no-region",
  },
  { ...refused, title: "an unknown size", now: { ...fresh, sizes: [absent] }, refusal: "no-size" },
  {
    ...refused,
    title: "a size that only another region offers",
    now: { ...fresh, sizes: [{ ...size, regions: ["ams3"] }] },
    refusal: "no-size",
  },
  {
    ...refused,
    title: "a size that no region offers",
    now: { ...fresh, sizes: [{ ...size, regions: [], available: false }] },
    refusal: "no-size",
  },
  { ...refused, title: "an unknown image", now: { ...fresh, images: [absent] }, refusal: "no-image" },
  {
    ...refused,
    title: "an image that only another region offers",
    now: { ...fresh, images: [{ ...image, regions: ["ams3"] }] },
    refusal: "no-image",
  },
  {
    ...refused,
    title: "a retired image",
    now: { ...fresh, images: [{ ...image, status: "retired" }] },
    refusal: "no-image",
  },
  {
    ...refused,
    title: "an image that is larger than the disk",
    now: { ...fresh, images: [{ ...image, minDiskGb: 500 }] },
    refusal: "disk-size",
  },
  { ...refused, title: "a key that is not registered", now: { ...fresh, keys: [absent] }, refusal: "no-ssh-key" },
  { ...refused, title: "an unknown volume", now: { ...fresh, volumes: [absent] }, refusal: "no-volume" },
  {
    ...refused,
    title: "a volume attached to another droplet",
    now: { ...fresh, volumes: [{ ...volume, droplets: ["db"] }] },
    refusal: "volume-in-use",
  },
  { ...refused, title: "a foreign volume", now: { ...fresh, volumes: [{ ...volume, tags: {} }] }, refusal: "foreign" },
  {
    ...refused,
    title: "not created by furrow",
    now: { ...there, droplet: { ...droplet, tags: {} } },
    refusal: "foreign",
  },
  {
    title: "a droplet to delete",
    call: removal,
    now: { ...none, volumes: [], droplet },
    steps: ["delete the droplet lab with its disk"],
  },
  {
    title: "a droplet to delete, in its region",
    call: removalIn("fra1"),
    now: { ...none, volumes: [], droplet },
    steps: ["delete the droplet lab with its disk"],
  },
  {
    title: "a droplet to delete that is in another region",
    call: removalIn("ams3"),
    now: { ...none, volumes: [], droplet },
    steps: [],
    refusal: "other-region",
  },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { ...none, volumes: [], droplet: { ...droplet, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  { title: "gone", call: removal, now: { ...none, volumes: [], droplet: absent }, steps: [] },
];
