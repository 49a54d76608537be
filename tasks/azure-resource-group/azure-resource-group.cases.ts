import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { azureResourceGroup } from "./azure-resource-group.ts";

const call = azureResourceGroup({ name: "lab", location: "westeurope", tags: { cost: "lab" } });
const removal = azureResourceGroup({ name: "lab", state: "absent" });
const group = { location: "westeurope", state: "Succeeded", tags: { furrow: "furrow", cost: "lab", other: "tag" } };
const none = { contents: [], locations: [], parts: [] };
const fresh = { ...none, group: absent, locations: [{ zones: true }] };
const disk = {
  location: "westeurope",
  state: "Succeeded",
  zone: "",
  sizeGb: 5,
  type: "Premium_LRS",
  machine: "",
  tags: {},
};
const going = { ...none, group };

/** Test cases for `azureResourceGroup`: the state of the group, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no group", call, now: fresh, steps: ["create the resource group lab"] },
  { title: "up to date, with an extra tag", call, now: { ...none, group }, steps: [] },
  {
    title: "without a tag",
    call,
    now: { ...none, group: { ...group, tags: { furrow: "furrow" } } },
    steps: ["tag the resource group lab"],
  },
  {
    title: "not finished",
    call,
    now: { ...none, group: { ...group, state: "Failed" } },
    steps: ["create the resource group lab"],
  },
  {
    title: "in another location",
    call,
    now: { ...none, group: { ...group, location: "westus" } },
    steps: [],
    refusal: "not-in-place",
  },
  { title: "an unknown location", call, now: { ...fresh, locations: [absent] }, steps: [], refusal: "no-location" },
  {
    title: "not created by furrow",
    call,
    now: { ...none, group: { ...group, tags: {} } },
    steps: [],
    refusal: "foreign",
  },
  {
    title: "an empty group to delete",
    call: removal,
    now: { ...going, contents: [{ all: [] }] },
    steps: ["delete the empty resource group lab"],
  },
  {
    title: "removal of a group whose disk an earlier task has deleted",
    call: removal,
    now: { ...going, contents: [{ all: ["Microsoft.Compute/disks/data"] }], parts: [absent] },
    steps: ["delete the empty resource group lab"],
  },
  {
    title: "a group to delete that contains a disk",
    call: removal,
    now: { ...going, contents: [{ all: ["Microsoft.Compute/disks/data"] }], parts: [disk] },
    steps: [],
    refusal: "group-not-empty",
  },
  {
    title: "a group to delete that contains a resource of an unknown kind",
    call: removal,
    now: { ...going, contents: [{ all: ["Microsoft.Storage/storageAccounts/a"] }] },
    steps: [],
    refusal: "group-not-empty",
  },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { ...going, group: { ...group, tags: { furrow: "other" } }, contents: [{ all: [] }] },
    steps: [],
    refusal: "foreign",
  },
  { title: "gone", call: removal, now: { ...none, group: absent }, steps: [] },
];
