import { absolutePath, z } from "../../src/authoring.ts";
import { subnetOf } from "../../src/facts/catalogue.ts";
import { clusterFields } from "../cluster/cluster-fields.ts";
import { address } from "../cluster/network.ts";
import { installOptions, refusedInstallKeys } from "../harvester-config/install-part.ts";
import { misprints, osOptions, subdomain } from "../harvester-config/os-part.ts";
import { spelled } from "../harvester-config/spelling.ts";
import { acceptLoss } from "../node-removal/role.ts";

const { version, mirror, artifacts, token, password, sshAuthorizedKeys, ntpServers, prefix } = clusterFields.shape;

const boot = "the nodes' boot script sets it";
const vip = "set the var `vip` instead";
const ownInstallKeys = {
  ...refusedInstallKeys,
  automatic: boot,
  skipchecks: "set the var `skipChecks` instead",
  config_url: boot,
  mode: "the first node creates the cluster, and the others join it; set the var `join` if the cluster exists",
  role: "set the node's `role` instead",
  device: "set the node's `device` instead",
  iso_url: "set `version`, `mirror` or `artifacts` instead",
  vip,
  vip_mode: vip,
  vip_hw_addr: vip,
};

const config = spelled(
  {
    sans: z.array(z.string().min(1)).optional(),
    os: spelled(osOptions, {
      refused: {
        ...misprints,
        hostname: "set the node's `name` instead",
        password: "set the var `password` instead",
        ssh_authorized_keys: "set `sshAuthorizedKeys` instead",
      },
    }).optional(),
    install: spelled(installOptions, { refused: ownInstallKeys }).optional(),
    system_settings: z.record(z.string(), z.string()).optional(),
  },
  { refused: { scheme_version: "furrow sets it", server_url: vip, token: "set the var `token` instead" } },
)
  .default({})
  .describe("Additional Harvester configuration for every node (same keys as in Harvester's docs)");

const mac = z
  .string()
  .regex(/^[\da-fA-F]{2}(:[\da-fA-F]{2}){5}$/, 'a MAC address, like "52:54:00:00:00:01"')
  .transform((text) => text.toLowerCase());

const node = z.strictObject({
  name: subdomain()
    .refine((name) => /^[a-z0-9-]{1,63}$/.test(name), 'a host name without a domain, like "node-1"')
    .describe("Host name of the machine"),
  mac: mac.describe("MAC address of the network card from which the machine boots"),
  address: address().describe(
    "The machine's address during boot, which DHCP must always assign; by default also the address after the installation",
  ),
  firmware: z
    .enum(["uefi", "bios"], { error: '"uefi" or "bios"' })
    .default("uefi")
    .describe("The machine's firmware; bios only before Harvester v1.8"),
  secureBoot: z
    .boolean({ error: "true or false" })
    .default(false)
    .refine((on) => !on, "false: iPXE is not signed, so switch Secure Boot off in the machine's firmware")
    .describe("Whether Secure Boot is on; such a machine is refused"),
  device: z
    .string()
    .regex(/^\/dev\/./, "a path below /dev")
    .describe("Disk to install to, which is erased: a stable path, like /dev/disk/by-id/…"),
  role: z
    .enum(["default", "management", "worker", "witness"])
    .default("default")
    .describe("Role of the node in the cluster"),
  bootCard: z
    .string()
    .regex(/^[\w.-]{1,15}$/, 'the name of a network card, like "eno1"')
    .optional()
    .describe("Network card on which the installer's kernel uses DHCP, if it is not the first one with a link"),
  management: installOptions.management_interface.describe(
    "This node's management network, if it differs from `config.install.management_interface`",
  ),
});

/** A pool for the virtual machines on a VLAN in which the server has an interface. */
const vmNetwork = z.strictObject({
  network: z.string().describe("The VLAN's subnet, in CIDR notation"),
  interface: z.string().describe("The server's interface in this VLAN"),
  from: address().describe("First address of the pool"),
  to: address().describe("Last address of the pool"),
  router: address().optional().describe("The default route that clients get"),
  dns: z.array(address()).default([]).describe("Name servers that clients get"),
});

/** The vars of a rack, without the rules that involve several vars. */
export const rackFields = z.strictObject({
  name: prefix.describe("Name of the cluster, under which furrow stores its generated secrets"),
  version,
  mirror,
  artifacts,
  token,
  password: password.describe("Password of the user rancher on the nodes, or its crypt hash; a secret"),
  sshAuthorizedKeys,
  ntpServers: ntpServers.describe("The nodes' time servers"),
  config,
  vip: address().describe("The cluster's virtual address"),
  join: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("All nodes join the cluster that is already at `vip`; by default the first one creates it"),
  server: address().describe("The server's own address in the rack's subnet, at which it serves DHCP, TFTP and HTTP"),
  network: z
    .string()
    .refine((text) => subnetOf(text) !== undefined, 'a subnet, like "192.168.0.0/24"')
    .describe("The rack's subnet, in CIDR notation"),
  router: address().describe("The default route, without which Harvester's installer stops"),
  dns: z.array(address()).default([]).describe("Name servers of the nodes; required if their addresses are static"),
  dhcp: z
    .enum(["own", "proxy"], { error: '"own" or "proxy"' })
    .default("own")
    .describe(
      "`own` assigns the addresses too; `proxy` leaves that to another server, and only announces what to boot",
    ),
  otherServers: z
    .array(address())
    .default([])
    .describe("Other DHCP servers that may answer in the rack's subnet; all others are refused"),
  nodes: z.array(node).min(1, "at least one node").describe("The machines of the rack"),
  statics: z
    .record(z.string(), address())
    .default({})
    .describe("Other addresses that no pool may contain, by the name of their owner"),
  vmNetworks: z.array(vmNetwork).default([]).describe("Pools for virtual machines, each in its own VLAN"),
  skipChecks: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Skip the installer's checks of processors, memory and disk, which also refuse virtual machines"),
  reinstall: z
    .array(z.string())
    .default([])
    .describe("Names of installed nodes to reinstall at their next boot from the network; only on the command line")
    .meta({ perRun: true }),
  acceptLoss,
  kubeconfig: absolutePath()
    .optional()
    .describe(
      "The cluster's kubeconfig on the controller; `reinstall` asks the cluster what would be lost, and pxe-status which nodes have joined",
    ),
});

/** A rack in the form that the roles expect. */
export type Rack = z.output<typeof rackFields>;
/** A machine of a rack. */
export type RackNode = Rack["nodes"][number];
