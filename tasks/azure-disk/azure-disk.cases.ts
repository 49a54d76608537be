import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { azureDisk } from "./azure-disk.ts";

const params = { name: "data", group: "lab", sizeGb: 350, tags: { cost: "lab" } };
const call = azureDisk(params);
const inZone = azureDisk({ ...params, zone: "2" });
const removal = azureDisk({ name: "data", group: "lab", state: "absent" });
const group = { location: "westeurope", state: "Succeeded", tags: {} };
const disk = {
  location: "westeurope",
  state: "Succeeded",
  zone: "",
  sizeGb: 350,
  type: "Premium_LRS",
  machine: "",
  tags: { furrow: "furrow", cost: "lab", other: "tag" },
};
const none = { machines: [], locations: [] };
const fresh = { ...none, disk: absent, group, locations: [{ zones: true }] };
const there = { ...none, disk, group };
const machine = {
  id: "1",
  location: "westeurope",
  status: "running",
  size: "Standard_D16s_v5",
  zone: "",
  security: "standard",
  login: "azureuser",
  osDisk: "web-os",
  disks: {},
  network: "lab/lab",
  publicAddress: false,
  address: "",
  privateAddress: "",
  tags: {},
  hostKeys: [],
};

/** Test cases for `azureDisk`: the state of the disk, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no disk", call, now: fresh, steps: ["create the disk data with 350 GiB"] },
  { title: "no disk, and a zone is given", call: inZone, now: fresh, steps: ["create the disk data with 350 GiB"] },
  { title: "up to date, with an extra tag", call, now: there, steps: [] },
  {
    title: "smaller than requested, without a tag",
    call,
    now: { ...there, disk: { ...disk, sizeGb: 100, tags: { furrow: "furrow" } } },
    steps: ["grow the disk data from 100 to 350 GiB", "tag the disk data"],
  },
  {
    title: "not finished",
    call,
    now: { ...there, disk: { ...disk, state: "Failed" } },
    steps: ["create the disk data with 350 GiB"],
  },
  {
    title: "larger than requested",
    call,
    now: { ...there, disk: { ...disk, sizeGb: 500 } },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "of a different type",
    call,
    now: { ...there, disk: { ...disk, type: "Standard_LRS" } },
    steps: [],
    refusal: "not-in-place",
  },
  { title: "in no zone, but one is requested", call: inZone, now: there, steps: [], refusal: "not-in-place" },
  {
    title: "a location without zones",
    call: inZone,
    now: { ...fresh, locations: [{ zones: false }] },
    steps: [],
    refusal: "no-zone",
  },
  {
    title: "no resource group",
    call,
    now: { ...none, disk: absent, group: absent },
    steps: [],
    refusal: "no-group",
  },
  {
    title: "not created by furrow",
    call,
    now: { ...there, disk: { ...disk, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  { title: "a disk to delete", call: removal, now: there, steps: ["delete the disk data with its data"] },
  {
    title: "removal of a disk whose machine no longer exists",
    call: removal,
    now: { ...there, disk: { ...disk, machine: "web" }, machines: [absent] },
    steps: ["delete the disk data with its data"],
  },
  {
    title: "removal of a disk in use",
    call: removal,
    now: { ...there, disk: { ...disk, machine: "web" }, machines: [machine] },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "removal of a disk attached to a machine in another group",
    call: removal,
    now: { ...there, disk: { ...disk, machine: "other/web" } },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "removal of a disk attached to two machines, one of which no longer exists",
    call: removal,
    now: { ...there, disk: { ...disk, machine: "web, other/web" }, machines: [absent] },
    steps: [],
    refusal: "disk-in-use",
  },
  {
    title: "up to date, with tags in capital letters",
    call,
    now: { ...there, disk: { ...disk, tags: { Furrow: "furrow", COST: "lab" } } },
    steps: [],
  },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { ...there, disk: { ...disk, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  { title: "gone", call: removal, now: { ...none, disk: absent, group }, steps: [] },
];
