import { absent } from "../../src/authoring.ts";
import {
  domainXml,
  type LibvirtDomain,
  type LibvirtOverview,
  netXml,
  type WantedDomainConfig,
} from "../../src/facts/catalogue.ts";
import { libvirtDomainKind } from "../../src/facts/libvirt/domain.ts";
import { libvirtNetKind } from "../../src/facts/libvirt/net.ts";
import type { Case } from "../../src/testing/index.ts";
import { libvirtDomain } from "./libvirt-domain.ts";

const file = "/data/node-1.qcow2";
const mac = "52:54:00:00:00:01";
const gib = 2 ** 30;

/** The params used in most cases. */
export const params = {
  name: "node-1",
  memoryMiB: 2048,
  vcpus: 2,
  disks: [{ file, size: "20G", serial: "n1" }],
  interfaces: [{ mac, network: "vlan1" }],
  bootOrder: ["hd" as const, "network" as const],
};

/** The definition as libvirt prints it, but shortened: with addresses, controllers and a drive that furrow ignores. */
const xml =
  "<domain type='kvm'><name>node-1</name><uuid>u-1</uuid><description>a&#10;b</description><memory unit='KiB'>2097152</memory>" +
  "<currentMemory unit='KiB'>2097152</currentMemory><vcpu placement='static'>2</vcpu>" +
  "<os><type arch='x86_64' machine='pc-q35-7.2'>hvm</type><boot dev='hd'/><boot dev='network'/></os>" +
  "<cpu mode='host-passthrough' check='none' migratable='on'><topology sockets='1' dies='1' cores='2' threads='1'/></cpu>" +
  "<on_reboot>restart</on_reboot><on_crash>destroy</on_crash><devices>" +
  `<disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none'/><source file='${file}'/>` +
  "<target dev='vda' bus='virtio'/><serial>n1</serial><address type='pci' bus='0x03'/></disk>" +
  "<disk type='file' device='cdrom'><driver name='qemu' type='raw'/><target dev='sda' bus='sata'/><readonly/></disk>" +
  "<controller type='pci' index='0' model='pcie-root'/>" +
  `<interface type='network'><mac address='${mac}'/><source network='vlan1'/><model type='virtio'/><address type='pci' bus='0x01'/></interface>` +
  "<serial type='pty'><target type='isa-serial' port='0'/></serial><console type='pty'><target type='serial' port='0'/></console>" +
  "</devices></domain>";

interface Flags {
  readonly state?: string;
  readonly autostart?: boolean;
  readonly persistent?: boolean;
  readonly reason?: string;
  /** True if its memory is saved. */
  readonly saved?: boolean;
  readonly checkpoints?: readonly string[];
  /** The configuration that the machine is running with, if it differs from the definition. */
  readonly live?: WantedDomainConfig;
}

/** Returns the virtual machine with parts of its definition changed. */
export function domainWith(change: WantedDomainConfig = {}, flags: Flags = {}): LibvirtDomain {
  const {
    state = "running",
    autostart = true,
    persistent = true,
    saved = false,
    checkpoints = [],
    reason,
    live,
  } = flags;
  const yes = (flag: boolean): string => (flag ? "yes" : "no");
  const lines = {
    state,
    autostart: yes(autostart),
    persistent: yes(persistent),
    saved: yes(saved),
    ...(checkpoints.length > 0 && { checkpoints: checkpoints.join("/") }),
    ...(reason !== undefined && { reason: `${state} (${reason})` }),
    inactive: domainXml(xml, "node-1", change),
    ...(state !== "shut off" && { live: domainXml(xml, "node-1", live ?? change) }),
  };
  const domain = libvirtDomainKind.parse(lines, { kind: "libvirtDomain", key: "node-1", facets: [] });
  if (domain === absent) throw new Error("parsing the XML of a domain never returns absent");
  return domain;
}

/** The claims of the machine, as the overview shows them. */
export const claims = { active: true, disks: [file], networks: ["vlan1"], bridges: [] };
const nets = { vlan1: { bridge: "virbr1", subnets: ["10.0.0.1/24"], active: true, autostart: true } };
const libvirt: LibvirtOverview = {
  daemon: "up",
  problem: "",
  networks: nets,
  domains: { "node-1": claims },
  links: {},
};
const empty: LibvirtOverview = { ...libvirt, domains: {} };
const off: LibvirtOverview = { ...libvirt, domains: { "node-1": { ...claims, active: false } } };

const netText = netXml(undefined, "vlan1", { bridge: "virbr1", address: "10.0.0.1/24" });
const netLines = { active: "yes", autostart: "yes", persistent: "yes", inactive: netText, live: netText };
const question = { kind: "libvirtNet", key: "vlan1", facets: [] };
const vlan1 = libvirtNetKind.parse(netLines, question);
const idle = libvirtNetKind.parse({ ...netLines, active: "no" }, question);

const directory = { type: "directory", mode: "0755", owner: "root", group: "root" };
const device = { ...directory, type: "other", mode: "0660" };
const image = { format: "qcow2", sizeBytes: 20 * gib, hasBacking: false };

/** The facts of a host on which everything is already in the desired state. */
export const right = {
  domain: domainWith(),
  libvirt,
  virsh: { path: "/usr/bin/virsh" },
  networks: [vlan1],
  folders: [directory],
  kvm: device,
  units: [],
  images: [image],
  uses: [],
};
/** The facts of a host without the virtual machine. */
export const none = { ...right, domain: absent, libvirt: empty, images: [absent], uses: [{ uses: [], lost: [] }] };
const stopped = { ...right, domain: domainWith({}, { state: "shut off" }), libvirt: off };
const { kvm: _kvm, ...withoutKvm } = right;
const { kvm: _too, ...stoppedWithoutKvm } = stopped;

const call = libvirtDomain(params);
const shutoff = libvirtDomain({ ...params, state: "shutoff" });
const bare = { ...withoutKvm, networks: [], folders: [], images: [] };
const gone = libvirtDomain({ name: "node-1", state: "absent" });
/** The removal of the machine with all its disks. */
export const goneWithDisks = libvirtDomain({ name: "node-1", state: "absent", removeDisks: true });
/** The facts about a removal of a machine that is shut off. */
export const bareOff = { ...bare, domain: stopped.domain, libvirt: off };
const create = [`make ${file}`, "define node-1", "virsh autostart node-1", "virsh start node-1"];
/** The step that removes the definition. */
export const undefine = "virsh undefine node-1 --nvram --managed-save --snapshots-metadata";
const withCheckpoints = domainWith({}, { state: "shut off", checkpoints: ["monday", "tuesday"] });
const unneeded = [{ uses: [{ domain: "node-1", disk: file }], lost: [] }];
const refused = (title: string, now: Case["now"], refusal: string, asked = call): Case => ({
  title,
  call: asked,
  now,
  steps: [],
  refusal,
});
const stuck = (state: string): Case["now"] => ({ ...right, domain: domainWith({}, { state, reason: "unknown" }) });

/** Test cases for `libvirtDomain`: each gives the state of a host and what the task does in that state. */
export const cases: readonly Case[] = [
  { title: "already up to date", call, now: right, steps: [] },
  { title: "missing", call, now: none, steps: create },
  { title: "missing, with an existing disk", call, now: { ...none, images: [image] }, steps: create.slice(1) },
  { title: "shut off", call, now: stopped, steps: ["virsh start node-1"] },
  {
    title: "no autostart",
    call,
    now: { ...right, domain: domainWith({}, { autostart: false }) },
    steps: ["virsh autostart node-1"],
  },
  {
    title: "transient",
    call,
    now: { ...right, domain: domainWith({}, { persistent: false }) },
    steps: ["define node-1"],
  },
  { title: "other memory", call, now: { ...right, domain: domainWith({ memoryMiB: 1024 }) }, steps: ["define node-1"] },
  {
    title: "destroyed when the guest reboots",
    call,
    now: { ...right, domain: domainWith({ onReboot: "destroy" }) },
    steps: ["define node-1"],
  },
  {
    title: "an extra disk and an extra interface",
    call,
    now: {
      ...right,
      domain: domainWith({
        disks: { vdb: { file: "/x.raw", format: "raw", bus: "virtio" } },
        interfaces: { "52:54:00:00:00:09": { bridge: "br0", network: "", model: "e1000e" } },
      }),
    },
    steps: ["define node-1"],
  },
  {
    title: "running with more or less memory than defined",
    call,
    now: { ...right, domain: domainWith({}, { live: { memoryMiB: 1024 } }) },
    steps: [],
  },
  {
    title: "a disk that must grow while its guest is running",
    call,
    now: { ...right, images: [{ ...image, sizeBytes: gib }] },
    steps: [`virsh blockresize node-1 ${file} ${20 * gib}B`],
  },
  {
    title: "a disk that must grow while its guest is shut off",
    call: shutoff,
    now: { ...stoppedWithoutKvm, images: [{ ...image, sizeBytes: gib }] },
    steps: [`qemu-img resize -q -f qcow2 ${file} ${20 * gib}`],
  },
  { title: "running, but must be shut down", call: shutoff, now: withoutKvm, steps: ["shut node-1 down"] },
  { title: "shut off, and must be shut off", call: shutoff, now: stoppedWithoutKvm, steps: [] },
  { title: "must be removed", call: gone, now: bareOff, steps: [undefine] },
  {
    title: "must be removed with its disks",
    call: goneWithDisks,
    now: { ...bareOff, images: [image], uses: unneeded },
    steps: [`remove ${file}`, undefine],
  },
  {
    title: "must be removed with a listed disk",
    call: libvirtDomain({ name: "node-1", state: "absent", removeDisks: [file] }),
    now: { ...bareOff, images: [image], uses: unneeded },
    steps: [`remove ${file}`, undefine],
  },
  {
    title: "must be removed, but its disk is not listed",
    call: libvirtDomain({ name: "node-1", state: "absent", removeDisks: ["/data/other.qcow2"] }),
    now: bareOff,
    steps: [undefine],
  },
  { title: "already removed", call: goneWithDisks, now: { ...bare, domain: absent, libvirt: empty }, steps: [] },
  {
    title: "must be removed by force",
    call: libvirtDomain({ name: "node-1", state: "absent", force: true }),
    now: bare,
    steps: ["virsh destroy node-1", undefine],
  },
  refused(
    "must be removed, but has checkpoints",
    { ...bareOff, domain: withCheckpoints },
    "domain-has-checkpoints",
    gone,
  ),
  refused("must be removed, but runs", bare, "domain-active", gone),
  refused("paused", stuck("paused"), "domain-paused"),
  refused("crashed", stuck("crashed"), "domain-crashed"),
  refused("about to shut down", stuck("in shutdown"), "domain-in-shutdown"),
  refused("a different machine type", right, "machine-fixed", libvirtDomain({ ...params, machine: "pc" })),
  refused("a different firmware", right, "firmware-fixed", libvirtDomain({ ...params, firmware: "uefi" })),
  refused(
    "a disk that belongs to another guest",
    { ...none, libvirt: { ...empty, domains: { other: { ...claims, active: false } } } },
    "disk-in-use",
  ),
  refused(
    "removal of a disk that another guest uses too",
    {
      ...bareOff,
      images: [image],
      uses: unneeded,
      libvirt: { ...off, domains: { ...off.domains, other: claims } },
    },
    "disk-in-use",
    goneWithDisks,
  ),
  refused("a disk without a size", none, "disk-missing", libvirtDomain({ ...params, disks: [{ file }] })),
  refused("a disk without its directory", { ...none, folders: [absent] }, "folder-missing"),
  refused("a disk of another format", { ...right, images: [{ ...image, format: "raw" }] }, "disk-format"),
  refused("a disk that is larger", { ...right, images: [{ ...image, sizeBytes: 21 * gib }] }, "disk-shrink"),
  refused("no such network", { ...none, networks: [absent] }, "network-missing"),
  refused("a network that is not active", { ...none, networks: [idle] }, "network-inactive"),
  refused("no KVM", { ...none, kvm: absent }, "no-kvm"),
  refused("no virsh", { ...none, virsh: absent }, "no-libvirt"),
  refused(
    "a daemon that is down",
    {
      ...none,
      libvirt: { ...empty, daemon: "down", problem: "no socket" },
      units: [absent, absent, absent, absent, absent, absent],
    },
    "libvirt-down",
  ),
];
