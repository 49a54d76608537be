import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceNetwork } from "./gce-network.ts";

const params = { name: "lab", project: "project-1" };
const call = gceNetwork(params);
const custom = gceNetwork({ ...params, subnets: "custom" });
const removal = gceNetwork({ ...params, state: "absent" });
const there = { autoSubnets: true, mtu: 1460, description: gceOwner("furrow") };
const theirs = { ...there, description: "" };

/** Test cases for `gceNetwork`: the state of the network, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no network", call, now: { network: absent }, steps: ["create network lab"] },
  { title: "already up to date", call, now: { network: there }, steps: [] },
  {
    title: "a smaller MTU",
    call,
    now: { network: { ...there, mtu: 1400 } },
    steps: ["set mtu of network lab to 1460"],
  },
  {
    title: "no network, and custom subnetworks are wanted",
    call: custom,
    now: { network: absent },
    steps: ["create network lab"],
  },
  { title: "with custom subnetworks", call: custom, now: { network: { ...there, autoSubnets: false } }, steps: [] },
  {
    title: "automatic subnetworks, but custom ones are wanted",
    call: custom,
    now: { network: there },
    steps: ["switch network lab to custom subnetworks"],
  },
  {
    title: "custom subnetworks, but automatic ones are wanted",
    call,
    now: { network: { ...there, autoSubnets: false } },
    steps: [],
    refusal: "not-in-place",
  },
  { title: "not created by furrow", call, now: { network: theirs }, steps: [], refusal: "foreign" },
  { title: "a network to delete", call: removal, now: { network: there }, steps: ["delete network lab"] },
  { title: "gone", call: removal, now: { network: absent }, steps: [] },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { network: theirs },
    steps: [],
    refusal: "foreign",
  },
];
