import { type LabHost, labUp } from "../../src/lab/index.ts";
import { libvirtDomain } from "../../tasks/libvirt-domain/libvirt-domain.ts";
import { libvirtNet } from "../../tasks/libvirt-net/libvirt-net.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import type { TaskCall } from "../../src/core/authoring/call.ts";
import { labTaskHost, type TaskEnd, type TaskHost } from "../tasks/on-host.ts";

/** The guest's MAC address. */
export const mac = "52:54:00:00:00:01";
/** The image of the guest's disk. */
export const image = "/var/lib/libvirt/images/node-1.qcow2";
/** The address that is reserved for the guest. */
export const kept = { mac, ip: "10.55.0.11", name: "node-1" };
/** The host's web server, as the guest sees it. */
export const base = "http://10.55.0.1";

/** A network that gives the guest its reserved address and tells the guest to boot from the host. */
export function net(change: object = {}, dhcp: object = {}): TaskCall {
  return libvirtNet({
    name: "vlan1",
    bridge: "virbr1",
    address: "10.55.0.1",
    dhcp: {
      ranges: [{ start: "10.55.0.200", end: "10.55.0.250" }],
      hosts: [kept],
      reserved: ["10.55.0.120"],
      bootFile: `${base}/default.ipxe`,
      ...dhcp,
    },
    ...change,
  });
}

/** A call that removes the same network. */
export const noNet = libvirtNet({ name: "vlan1", state: "absent" });

/** The guest, emulated in software. */
export function node(change: object = {}): TaskCall {
  return libvirtDomain({
    name: "node-1",
    type: "qemu",
    memoryMiB: 256,
    vcpus: 1,
    disks: [{ file: image, size: "1G", serial: "n1" }],
    interfaces: [{ mac, network: "vlan1" }],
    bootOrder: ["hd", "network"],
    vnc: { port: 5901 },
    ...change,
  });
}

/** A call that removes the guest, running or not, with or without its disks. */
export function noNode(name: string, removeDisks = false): TaskCall {
  return libvirtDomain({ name, state: "absent", removeDisks, force: true });
}

/** The codes of refusals, in task order; undefined for a task that did not refuse. */
export function refusals(ends: readonly TaskEnd[]): (string | undefined)[] {
  return ends.map(({ error }) => error?.failure.details?.find((line) => line.startsWith("refused: "))?.slice(9));
}

/** The refusal codes for the task: first from check mode, then from a run. */
export async function bothRefuse(host: TaskHost, one: Node): Promise<(string | undefined)[]> {
  return [...refusals(await host.check(one)), ...refusals(await host.apply(one))];
}

/** Starts a fresh lab host with libvirt. */
export async function libvirtHost(name: string): Promise<TaskHost> {
  const lab = await labUp({ hosts: 1, name, libvirt: true, replace: true });
  const [first] = lab.hosts as readonly [LabHost];
  return labTaskHost(first);
}
