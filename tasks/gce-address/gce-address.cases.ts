import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceAddress } from "./gce-address.ts";

const params = { name: "lab", project: "project-1", region: "europe-west3" };
const call = gceAddress(params);
const removal = gceAddress({ ...params, state: "absent" });
const there = { address: "192.0.2.1", status: "RESERVED", users: [], description: gceOwner("furrow") };
const theirs = { ...there, description: "" };

/** Test cases for `gceAddress`: the state of the address, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no address", call, now: { address: absent }, steps: ["reserve address lab"] },
  { title: "already up to date", call, now: { address: there }, steps: [] },
  { title: "in use", call, now: { address: { ...there, status: "IN_USE", users: ["lab"] } }, steps: [] },
  { title: "not created by furrow", call, now: { address: theirs }, steps: [], refusal: "foreign" },
  { title: "an address to release", call: removal, now: { address: there }, steps: ["release address lab"] },
  { title: "gone", call: removal, now: { address: absent }, steps: [] },
];
