import type { Node } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";

const mac = "52:54:00:00:77:01";
const image = "/var/lib/libvirt/images/watched.qcow2";

const net = (change: object = {}): Node =>
  t.libvirtNet({
    name: "watched",
    bridge: "virbr7",
    address: "10.57.0.1",
    dhcp: { ranges: [{ start: "10.57.0.200", end: "10.57.0.250" }], hosts: [{ mac, ip: "10.57.0.11", name: "guest" }] },
    ...change,
  });

const guest = (change: object = {}): Node =>
  t.libvirtDomain({
    name: "watched",
    type: "qemu",
    memoryMiB: 64,
    vcpus: 1,
    disks: [{ file: image, size: "64M", serial: "watched" }],
    interfaces: [{ mac, network: "watched" }],
    bootOrder: ["hd"],
    ...change,
  });

/** A repository on the host itself, and a network and a guest of libvirt's: made, changed and taken away. */
export function virtual(): Node[] {
  return [
    t.file({ path: "/srv/repo", state: "directory" }),
    t.file({ path: "/srv/repo/Packages", content: "" }),
    t.packageRepo({ manager: "apt", name: "local", uris: ["file:///srv/repo"], suites: ["./"], trusted: true }),
    t.packageRepo({ manager: "apt", name: "local", state: "absent" }),
    t.packageIndex({}),
    // Whoever installs next finds the list of repositories changed, and fetches the index first.
    t.file({ path: "/etc/apt/sources.list.d/none.list", content: "# none\n" }),
    net(),
    guest({ state: "shutoff" }),
    net({ dhcp: { ranges: [{ start: "10.57.0.100", end: "10.57.0.150" }], hosts: [] } }),
    guest({ memoryMiB: 72 }),
    guest({ memoryMiB: 80, state: "shutoff", shutdownSeconds: 1, force: true }),
    t.libvirtDomain({ name: "watched", state: "absent", removeDisks: true }),
    t.libvirtNet({ name: "watched", state: "absent" }),
  ];
}
