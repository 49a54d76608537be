import { absent } from "../../src/authoring.ts";
import { digitalOceanOwner } from "../../src/facts/catalogue.ts";
import type { Case } from "../../src/testing/index.ts";
import { digitalOceanFirewall } from "./digital-ocean-firewall.ts";

const params = { name: "lab", inbound: [{ allow: ["tcp:22", "tcp:443"], from: ["192.0.2.7/32"] }] };
const call = digitalOceanFirewall(params);
const removal = digitalOceanFirewall({ name: "lab", state: "absent" });
const closed = digitalOceanFirewall({ ...params, outbound: [{ allow: ["udp:53"], to: ["192.0.2.1/32"] }] });
const there = {
  id: "f-1",
  status: "succeeded",
  inbound: ["tcp:22 192.0.2.7/32", "tcp:443 192.0.2.7/32"],
  outbound: ["icmp 0.0.0.0/0", "icmp ::/0", "tcp 0.0.0.0/0", "tcp ::/0", "udp 0.0.0.0/0", "udp ::/0"],
  tags: [digitalOceanOwner("furrow")],
  droplets: [],
};
const change = ["change the firewall lab"];

/** Test cases for `digitalOceanFirewall`: the state of the firewall, and what the task does to it. */
export const cases: readonly Case[] = [
  { title: "no firewall", call, now: { firewall: absent }, steps: ["create the firewall lab"] },
  { title: "up to date", call, now: { firewall: there }, steps: [] },
  {
    title: "open to everyone",
    call,
    now: { firewall: { ...there, inbound: ["tcp:22 0.0.0.0/0"] } },
    steps: change,
  },
  {
    title: "a source that is not an address",
    call,
    now: { firewall: { ...there, inbound: ["tcp:22 tags:web"] } },
    steps: change,
  },
  { title: "not applied yet", call, now: { firewall: { ...there, status: "waiting" } }, steps: change },
  { title: "less outbound traffic", call: closed, now: { firewall: there }, steps: change },
  { title: "for more droplets", call, now: { firewall: { ...there, tags: [...there.tags, "web"] } }, steps: change },
  {
    title: "attached to individual droplets, which it would no longer protect",
    call,
    now: { firewall: { ...there, droplets: ["7"] } },
    steps: [],
    refusal: "not-in-place",
  },
  {
    title: "not created by furrow",
    call,
    now: { firewall: { ...there, tags: ["web"] } },
    steps: [],
    refusal: "foreign",
  },
  { title: "a firewall to delete", call: removal, now: { firewall: there }, steps: ["delete the firewall lab"] },
  {
    title: "not created by furrow, but deletion is requested",
    call: removal,
    now: { firewall: { ...there, tags: [] } },
    steps: [],
    refusal: "foreign",
  },
  { title: "gone", call: removal, now: { firewall: absent }, steps: [] },
];
