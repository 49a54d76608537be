import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceFirewall } from "./gce-firewall.ts";

const params = {
  name: "lab-ssh",
  project: "project-1",
  network: "lab",
  allow: ["tcp:443", "tcp:22"],
  sourceRanges: ["192.0.2.7/32"],
};
const call = gceFirewall(params);
const removal = gceFirewall({ name: "lab-ssh", project: "project-1", state: "absent" });
const networks = [{ autoSubnets: true, mtu: 1460, description: "" }];
const there = {
  network: "lab",
  direction: "INGRESS",
  allow: ["tcp:22", "tcp:443"],
  sourceRanges: ["192.0.2.7/32"],
  targetTags: [],
  priority: 1000,
  disabled: false,
  description: gceOwner("furrow"),
};
const theirs = { ...there, description: "by hand" };
const change = ["change firewall rule lab-ssh"];

/** Test cases for `gceFirewall`: the state of the firewall rule, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no rule", call, now: { rule: absent, networks }, steps: ["create firewall rule lab-ssh"] },
  { title: "up to date, but in a different order", call, now: { rule: there, networks }, steps: [] },
  { title: "open to all", call, now: { rule: { ...there, sourceRanges: ["0.0.0.0/0"] }, networks }, steps: change },
  { title: "a missing port", call, now: { rule: { ...there, allow: ["tcp:22"] }, networks }, steps: change },
  { title: "for some instances only", call, now: { rule: { ...there, targetTags: ["web"] }, networks }, steps: change },
  { title: "disabled", call, now: { rule: { ...there, disabled: true }, networks }, steps: change },
  { title: "no network", call, now: { rule: absent, networks: [absent] }, steps: [], refusal: "no-network" },
  {
    title: "in another network",
    call,
    now: { rule: { ...there, network: "default" }, networks },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "for outbound traffic",
    call,
    now: { rule: { ...there, direction: "EGRESS" }, networks },
    steps: [],
    refusal: "not-in-place",
  },
  { title: "not created by furrow", call, now: { rule: theirs, networks }, steps: [], refusal: "foreign" },
  {
    title: "a rule to delete",
    call: removal,
    now: { rule: there, networks: [] },
    steps: ["delete firewall rule lab-ssh"],
  },
  { title: "gone", call: removal, now: { rule: absent, networks: [] }, steps: [] },
];
