import { absent } from "../../src/authoring.ts";
import type { Case } from "../../src/testing/index.ts";
import { domainWith, none, right } from "../libvirt-domain/libvirt-domain.cases.ts";
import { libvirtPower } from "./libvirt-power.ts";

const file = { type: "file", mode: "0600", owner: "root", group: "root" };
const { libvirt, virsh, kvm } = right;
const claims = libvirt.domains["node-1"];
const still = { ...libvirt, domains: { "node-1": { ...(claims as object), active: false } } };
/** The facts of a host on which the machine is running. */
const runs = { domain: right.domain, libvirt, virsh, units: [], networks: [], images: [] };
/** The facts of a host on which the machine is off, for a task that must start it. */
const off = {
  ...runs,
  domain: domainWith({}, { state: "shut off" }),
  libvirt: still,
  networks: right.networks,
  images: [file],
  kvm,
};
const { kvm: _kvm, ...offAndStays } = { ...off, networks: [], images: [] };

const start = libvirtPower({ name: "node-1", state: "running" });
const stop = libvirtPower({ name: "node-1", state: "shutoff" });
const force = libvirtPower({ name: "node-1", state: "shutoff", force: true });
const stuck = (state: string): Case["now"] => ({ ...runs, domain: domainWith({}, { state, reason: "unknown" }) });
const saved = domainWith({}, { state: "shut off", saved: true });
const refused = (title: string, call: Case["call"], now: Case["now"], refusal: string): Case => ({
  title,
  call,
  now,
  steps: [],
  refusal,
});

/** The actions of `libvirtPower` in each state of the host. */
export const cases: readonly Case[] = [
  { title: "off, and must run", call: start, now: off, steps: ["virsh start node-1"] },
  { title: "runs already", call: start, now: runs, steps: [] },
  { title: "running, but must be off", call: stop, now: runs, steps: ["shut node-1 down"] },
  { title: "off already", call: stop, now: offAndStays, steps: [] },
  {
    title: "still shutting down after a killed run",
    call: stop,
    now: stuck("in shutdown"),
    steps: ["shut node-1 down"],
  },
  { title: "paused, and must be forced off", call: force, now: stuck("paused"), steps: ["shut node-1 down"] },
  {
    title: "crashed, and must be forced off",
    call: force,
    now: { ...stuck("crashed"), libvirt: still },
    steps: ["virsh destroy node-1"],
  },
  refused(
    "no such machine to start",
    start,
    { ...offAndStays, domain: absent, libvirt: none.libvirt },
    "domain-missing",
  ),
  refused(
    "no such machine to shut down",
    stop,
    { ...offAndStays, domain: absent, libvirt: none.libvirt },
    "domain-missing",
  ),
  {
    title: "off with saved memory, and must run",
    call: start,
    now: { ...off, domain: saved },
    steps: ["virsh start node-1"],
  },
  {
    title: "off with saved memory, and may be forced off",
    call: force,
    now: { ...offAndStays, domain: saved },
    steps: [],
  },
  refused("off with saved memory, so it was never shut down", stop, { ...offAndStays, domain: saved }, "domain-saved"),
  refused("paused", stop, stuck("paused"), "domain-paused"),
  refused("paused, and must run", start, stuck("paused"), "domain-paused"),
  refused("crashed", stop, { ...stuck("crashed"), libvirt: still }, "domain-crashed"),
  refused("shutting down, and must run", start, stuck("in shutdown"), "domain-in-shutdown"),
  refused("no stored definition", stop, { ...runs, domain: domainWith({}, { persistent: false }) }, "domain-transient"),
  refused("a disk that is not mounted", start, { ...off, images: [absent] }, "disk-missing"),
  refused("a network that does not exist", start, { ...off, networks: [absent] }, "network-missing"),
  refused("no KVM", start, { ...off, kvm: absent }, "no-kvm"),
  refused("no virsh", stop, { ...offAndStays, domain: absent, libvirt: none.libvirt, virsh: absent }, "no-libvirt"),
  refused(
    "a daemon that is down",
    stop,
    {
      ...runs,
      libvirt: { ...none.libvirt, daemon: "down", problem: "no socket" },
      units: [absent, absent, absent, absent, absent, absent],
    },
    "libvirt-down",
  ),
];
