import { absent, contentHash } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { dhcpServer } from "./dhcp-server.ts";
import { params } from "./params.ts";
import { renderConfig } from "./render.ts";

const asked = {
  subnets: [
    {
      network: "192.168.0.0/24",
      interface: "eno1",
      router: "192.168.0.1",
      pools: [{ from: "192.168.0.180", to: "192.168.0.220" }],
    },
  ],
  statics: { "harvester-1": "192.168.0.171", "the cluster": "192.168.0.175" },
};
const path = "/etc/dnsmasq.d/furrow-dhcp.conf";
const text = renderConfig(params.parse(asked));
const call = dhcpServer(asked);
const parent = { type: "directory", mode: "0755", owner: "root", group: "root" };
const file = { type: "file", mode: "0644", owner: "root", group: "root", sha256: contentHash(text) };
const other = { ...file, sha256: "00" };
const accepted = { accepted: true, said: "dnsmasq: syntax check OK." };
const validator = { path: "/usr/sbin/dnsmasq" };

/** Test cases for `dhcpServer`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "up to date", call, now: { config: file, parent }, steps: [] },
  { title: "no configuration", call, now: { config: absent, parent, accepted, validator }, steps: [`write ${path}`] },
  {
    title: "a different configuration",
    call,
    now: { config: other, parent, accepted, validator },
    steps: [`write ${path}`],
  },
  {
    title: "a file that others can write to",
    call,
    now: { config: { ...file, mode: "0666" }, parent },
    steps: [`write ${path}`],
  },
  {
    title: "a configuration that dnsmasq does not accept",
    call,
    now: { config: other, parent, accepted: { accepted: false, said: "bad dhcp-option at line 7" }, validator },
    steps: [],
    refusal: "not-accepted",
  },
  {
    title: "no dnsmasq",
    call,
    now: { config: absent, parent, accepted: { accepted: false, said: "not found" }, validator: absent },
    steps: [],
    refusal: "no-program",
  },
  {
    title: "no directory for the file",
    call,
    now: { config: absent, parent: absent, accepted, validator },
    steps: [],
    refusal: "no-parent",
  },
  {
    title: "a directory instead of the file",
    call,
    now: { config: { ...parent }, parent, accepted, validator },
    steps: [],
    refusal: "in-the-way",
  },
];
