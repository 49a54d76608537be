/**
 * Tasks that do not fit into the truth playbook: repository lists, libvirt's networks and guests, and a DHCP server,
 * each watched by an onlooker.
 */
import { type Node, playbook, z } from "furrow";
import * as t from "furrow/tasks";
import { onlooker } from "./onlooker.ts";

const mac = "52:54:00:00:77:01";
const image = "/var/lib/libvirt/images/watched.qcow2";
const lists = "/etc/apt/sources.list.d";

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

export default playbook({
  name: "Watched, too",
  vars: z.object({ fixtures: z.string() }),
  plays: [
    {
      name: "repositories",
      hosts: "all",
      tasks: ({ vars }) => [
        t.file({ path: "/srv/repo", state: "directory" }),
        t.file({ path: "/srv/repo/Packages", content: "" }),
        t.file({ path: `${lists}/none.list`, content: "# none\n" }),
        t.packageIndex({}),
        t.fileLine({ path: `${lists}/line.list`, line: "# none", create: true }),
        t.command({
          command: `echo '# none' >${lists}/command.list`,
          creates: `${lists}/command.list`,
          disturbs: [`file:${lists}/command.list`],
        }),
        t.directoryTree({ source: `${vars.fixtures}/lists`, path: lists }),
        t.packageRepo({ manager: "apt", name: "local", uris: ["file:///srv/repo"], suites: ["./"], trusted: true }),
        t.packageIndex({}),
      ],
    },
    {
      // A play never removes what its own tasks set up, so this is a separate play.
      name: "repositories removed",
      hosts: "all",
      tasks: () => [
        t.packageRepo({ manager: "apt", name: "local", state: "absent" }),
        t.packageIndex({}),
        t.file({ path: "/etc/apt/preferences", content: "" }),
        onlooker({ at: "packages" }),
      ],
    },
    {
      name: "libvirt",
      hosts: "all",
      tasks: () => [
        net(),
        guest({ state: "shutoff" }),
        t.dhcpServer({ subnets: [{ network: "10.58.0.0/24", interface: "watched" }], path: "/etc/dhcp-watched.conf" }),
      ],
    },
    {
      name: "libvirt changed",
      hosts: "all",
      tasks: () => [
        net({ dhcp: { ranges: [{ start: "10.57.0.100", end: "10.57.0.150" }], hosts: [] } }),
        guest({ memoryMiB: 72 }),
      ],
    },
    {
      name: "guest stopped",
      hosts: "all",
      tasks: () => [guest({ memoryMiB: 80, state: "shutoff", shutdownSeconds: 1, force: true })],
    },
    {
      name: "guest switched on",
      hosts: "all",
      tasks: () => [t.libvirtPower({ name: "watched", state: "running" })],
    },
    {
      name: "guest switched off",
      hosts: "all",
      tasks: () => [t.libvirtPower({ name: "watched", state: "shutoff", shutdownSeconds: 1, force: true })],
    },
    {
      name: "libvirt removed",
      hosts: "all",
      tasks: () => [
        t.libvirtDomain({ name: "watched", state: "absent", removeDisks: true }),
        t.libvirtNet({ name: "watched", state: "absent" }),
        onlooker({ at: "libvirt" }),
      ],
    },
  ],
});
