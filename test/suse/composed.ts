import { type FieldReport, fieldVersion } from "../../src/field/format.ts";
import type { Json } from "../../src/field/values.ts";
import { suse, type SuseSystem } from "./packages.ts";

type Facts = Record<string, Json>;

const absent = { symbol: "absent" } as const;
/** The same version for every package, because the sources do not name the versions of a release. */
const version = "1.0";

/** The directories that contain a cluster's files, and the boot program. */
const labelled = ["/mnt/datadisk1", "/srv/tftpboot/harvester", "/srv/tftpboot/harvester/ipxe.efi"];
const disk = "/dev/disk/by-id/composed";

/**
 * Uses SUSE's files and documentation to compose a report on a SUSE host with KVM and one blank disk. **No real host
 * was read:** anything that the sources do not state, such as sizes and versions, is a guess. `installed`: all packages
 * are installed, as after a run of the role that installs them; otherwise, none of them are.
 */
export function composedReport(system: SuseSystem, installed: boolean): FieldReport {
  return {
    fieldReport: fieldVersion,
    furrow: "0.1.0",
    subject: "harvester",
    origin: { how: "composed", from: Object.values(suse.sources).map(({ url }) => url) },
    host: { name: "host", address: "203.0.113.1", groups: [] },
    vars: {
      nodes: 1,
      disks: [disk],
      token: { symbol: "secret" },
      password: { symbol: "secret" },
      exposure: { from: ["203.0.113.0/24"] },
      airGap: {},
    },
    leftOut: [],
    facts: sorted({
      ...host(system),
      ...disks(),
      ...packages(system, installed),
      ...confinement(system),
      ...firewall(installed),
    }),
    answers: checksums(),
    unread: {},
  };
}

function host({ id, version: release, like }: SuseSystem): Facts {
  return {
    "host:self": {
      hostname: "name1",
      os: { id, version: release, like },
      architecture: "x86_64",
      kernel: "6.4.0",
      processors: 64,
      memoryBytes: 256 * 2 ** 30,
      kvm: true,
      addresses: { lo: ["127.0.0.1/8"], eth0: ["10.0.0.5/24"] },
    },
    "packageManager:host": { name: "zypper" },
    "packageIndex:host": { filled: true, outdated: false, ageMinutes: 0, manager: "zypper" },
    "file:/etc/machine-id": { type: "file", text: `${"0".repeat(31)}1\n` },
    "file:/etc/fstab": { type: "file", text: "UUID=00000000-0000-0000-0000-000000000001 / btrfs defaults 0 0\n" },
    "file:/dev/kvm": { type: "other" },
    "port:127.0.0.1 443": { open: false },
    "port:127.0.0.1 6443": { open: false },
    "port:192.168.130.11 22 virbr1": { open: false },
    "port:192.168.130.120 9345 virbr1": { open: false },
  };
}

function disks(): Facts {
  const zeros = (sectors: number): string => Buffer.alloc(sectors * 512).toString("base64");
  return {
    [`block-device:${disk}`]: {
      type: "disk",
      path: "/dev/sdb",
      sizeBytes: 400 * 2 ** 30,
      sectorBytes: 512,
      serial: "name2",
      readOnly: false,
      fileSystem: "",
      uuid: "",
      label: "",
      uses: [],
      carriesRoot: false,
      table: "",
      signatures: [],
      partitions: {},
    },
    [`disk-content:${disk}`]: { data: "none", head: zeros(34), tail: zeros(33) },
  };
}

/** Every package in the data with its files, units and users. Only packages in the data are offered. */
function packages({ version: release }: SuseSystem, installed: boolean): Facts {
  const facts: Facts = {};
  for (const { name, provides = [], files = [], units = [], users = [] } of suse.packages) {
    // The monolithic daemon is not installed where the modular ones are the default.
    const present = installed && (name !== "libvirt-daemon" || Number.parseFloat(release) < 15.6);
    const state = {
      present,
      version: present ? version : absent,
      complete: true,
      held: false,
      manual: true,
      providedBy: [],
    };
    facts[`package:${name}`] = state;
    facts[`packageOffer:${name}`] = { candidate: version, versions: [version], providers: [] };
    for (const other of provides)
      facts[`package:${other}`] = { ...state, version: absent, providedBy: present ? [name] : [] };
    for (const path of files)
      facts[`file:${path}`] = present ? { type: path.endsWith(".d") ? "directory" : "file" } : absent;
    for (const unit of units) facts[`unit:${unit}`] = present ? { state: "stopped", enabled: false } : absent;
    for (const user of users) {
      facts[`user:${user}`] = present
        ? { uid: 400, group: user, home: "/var/lib/empty", shell: "/sbin/nologin" }
        : absent;
      facts[`group:${user}`] = present ? { gid: 400, primaryOf: [user] } : absent;
    }
  }
  return facts;
}

function confinement({ confinement: module }: SuseSystem): Facts {
  const profile = `@{TFTP_DIR}=${configured("directories that AppArmor's profile of dnsmasq allows for TFTP").join(" ")}
profile dnsmasq /usr/{bin,sbin}/dnsmasq flags=(attach_disconnected) {
  @{TFTP_DIR}/ r,
  @{TFTP_DIR}/** r,
}
`;
  const isApparmor = module === "apparmor";
  return {
    "apparmorProfile:usr.sbin.dnsmasq": isApparmor ? { mode: "enforce", text: profile } : absent,
    "apparmorProfile:usr.lib.libvirt.virt-aa-helper": absent,
    ...Object.fromEntries(
      labelled.map((path) => [`selinuxLabel:${path}`, isApparmor ? absent : { mode: "enforcing", type: absent }]),
    ),
  };
}

function firewall(installed: boolean): Facts {
  const names = configured("services that the zone libvirt allows");
  const services = Object.fromEntries(names.map((name) => [name, true]));
  const libvirt = { target: "ACCEPT", services, ports: {}, rules: { 'rule priority="32767" reject': true } };
  const open = { target: "default", services: { ssh: true }, ports: {}, rules: {} };
  const zone = (name: string, one: Json): Json => ({ daemon: "running", zone: name, runtime: one, permanent: one });
  return {
    "firewalld:libvirt": zone("libvirt", installed ? libvirt : absent),
    "firewalld:default zone": zone("public", open),
  };
}

/** The release's list of checksums, with invented values. */
function checksums(): Facts {
  const url = "https://releases.rancher.com/harvester/v1.8.1/harvester-v1.8.1-amd64.sha512";
  const names = ["vmlinuz-amd64", "initrd-amd64", "rootfs-amd64.squashfs", "amd64.iso"];
  const body = names.map((name, at) => `${String(at).repeat(128)}  harvester-v1.8.1-${name}\n`).join("");
  const request = { url, timeoutSeconds: 30, redirects: 10, maxBytes: 8_388_608 };
  return { [`http:${JSON.stringify(request)}`]: { status: 200, headers: {}, body } };
}

function configured(name: (typeof suse.configuration)[number]["name"]): readonly string[] {
  return suse.configuration.find((one) => one.name === name)?.values ?? [];
}

function sorted(facts: Facts): Facts {
  return Object.fromEntries(Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
