import { absent } from "../../src/authoring.ts";
import { gceOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { gceSubnetwork } from "./gce-subnetwork.ts";

const place = { name: "lab", project: "project-1", region: "europe-west3" };
const params = { ...place, network: "lab", cidr: "10.20.0.0/20" };
const call = gceSubnetwork(params);
const open = gceSubnetwork({ ...params, privateGoogleAccess: true });
const removal = gceSubnetwork({ ...place, state: "absent" });
const network = { autoSubnets: false, mtu: 1460, description: "" };
const there = { network: "lab", cidr: "10.20.0.0/20", privateGoogleAccess: false, description: gceOwner("furrow") };
const own = { "europe-west3/lab": "10.20.0.0/20" };
const is = (other: object) => ({ subnetwork: { ...there, ...other }, networks: [network], ranges: own });
const fresh = { subnetwork: absent, networks: [network], ranges: {} };

/** Test cases for `gceSubnetwork`: the state of the subnetwork, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no subnetwork", call, now: fresh, steps: ["create subnetwork lab (10.20.0.0/20)"] },
  {
    title: "no subnetwork, but others in the network",
    call,
    now: { ...fresh, ranges: { "europe-west3/other": "10.20.16.0/20" } },
    steps: ["create subnetwork lab (10.20.0.0/20)"],
  },
  { title: "already up to date", call, now: is({}), steps: [] },
  {
    title: "already up to date, but not in the list yet",
    call,
    now: { ...is({}), ranges: {} },
    steps: ["wait until the list of subnetworks is up to date for lab"],
  },
  {
    title: "without private Google access",
    call: open,
    now: is({}),
    steps: ["turn private Google access on in subnetwork lab"],
  },
  {
    title: "with private Google access, which must be off",
    call,
    now: is({ privateGoogleAccess: true }),
    steps: ["turn private Google access off in subnetwork lab"],
  },
  {
    title: "smaller than requested",
    call,
    now: { ...is({ cidr: "10.20.0.0/24" }), ranges: { "europe-west3/lab": "10.20.0.0/24" } },
    steps: ["grow subnetwork lab to 10.20.0.0/20"],
  },
  { title: "larger than requested", call, now: is({ cidr: "10.20.0.0/16" }), steps: [], refusal: "not-in-place" },
  { title: "with a different range", call, now: is({ cidr: "10.30.0.0/20" }), steps: [], refusal: "not-in-place" },
  { title: "in another network", call, now: is({ network: "default" }), steps: [], refusal: "not-in-place" },
  { title: "no network", call, now: { ...fresh, networks: [absent] }, steps: [], refusal: "no-network" },
  {
    title: "a range that another region uses",
    call,
    now: { ...fresh, ranges: { "us-central1/other": "10.20.8.0/24" } },
    steps: [],
    refusal: "range-in-use",
  },
  {
    title: "a range that overlaps a secondary range",
    call,
    now: { ...fresh, ranges: { "us-central1/other": "10.30.0.0/20", "us-central1/other/pods": "10.20.0.0/16" } },
    steps: [],
    refusal: "range-in-use",
  },
  {
    title: "a range that Google reserves for automatic subnetworks",
    call: gceSubnetwork({ ...params, cidr: "10.130.0.0/20" }),
    now: { ...fresh, networks: [{ ...network, autoSubnets: true }] },
    steps: [],
    refusal: "range-in-use",
  },
  { title: "not created by furrow", call, now: is({ description: "" }), steps: [], refusal: "foreign" },
  {
    title: "a subnetwork to delete",
    call: removal,
    now: { ...is({}), networks: [] },
    steps: ["delete subnetwork lab"],
  },
  {
    title: "deleted, but still in its network's list",
    call: gceSubnetwork({ ...params, state: "absent" }),
    now: { ...fresh, ranges: own },
    steps: ["wait until the list of subnetworks is up to date for lab"],
  },
  { title: "gone", call: removal, now: { subnetwork: absent, networks: [] }, steps: [] },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { ...is({ description: "" }), networks: [] },
    steps: [],
    refusal: "foreign",
  },
];
