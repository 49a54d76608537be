import { absolutePath, seconds, z } from "../../src/authoring.ts";
import { ipv4Number, isUuid } from "../../src/facts/catalogue.ts";
import { dnsmasqWord } from "../dhcp-server/fields.ts";
import { problemsOfSubnet } from "./subnet.ts";

const macMessage = 'the MAC address of one interface, like "52:54:00:00:00:01"';

/** An IPv4 address. */
const address = (what: string) =>
  z
    .string({ error: `${what}, like "192.168.122.10"` })
    .refine((text) => ipv4Number(text) !== undefined, `${what}, like "192.168.122.10"`);

const hostNameMessage = 'a host name, like "node-1"';

const host = z.strictObject({
  mac: z
    .string({ error: macMessage })
    .regex(/^[\da-fA-F][02468aceACE](:[\da-fA-F]{2}){5}$/, macMessage)
    .transform((mac) => mac.toLowerCase())
    .describe("MAC address for which the IP address is reserved"),
  ip: address("an IPv4 address").describe("The address"),
  name: z
    .string({ error: hostNameMessage })
    .regex(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, hostNameMessage)
    // libvirt passes the name on to dnsmasq unchanged.
    .refine((name) => !dnsmasqWord.test(name), "a host name that dnsmasq does not interpret as a time, like 12h")
    .optional()
    .describe("Host name in DHCP and DNS"),
});

const dhcp = z.strictObject({
  ranges: z
    .array(
      z.strictObject({
        start: address("the first address of a range").describe("First address"),
        end: address("the last address of a range").describe("Last address"),
      }),
      { error: 'a list of ranges: [{ start: "192.168.122.10", end: "192.168.122.99" }]' },
    )
    .optional()
    .describe("Address ranges for any client; unchanged if not given"),
  hosts: z
    .array(host, { error: 'a list of reservations: [{ mac: "52:54:00:00:00:01", ip: "192.168.122.11" }]' })
    .optional()
    .describe("All reservations, one address per MAC; any others are removed; unchanged if not given"),
  reserved: z
    .array(address("an IPv4 address"), { error: 'a list of addresses: ["192.168.122.120"]' })
    .default([])
    .describe(
      "Addresses that DHCP must never assign, such as a cluster's virtual address; only checked, not configured",
    ),
  bootFile: z
    .string({ error: 'a file or a URL, like "http://192.168.122.1/default.ipxe"' })
    .regex(/^[^\s\0]*$/, 'a file or a URL without spaces, like "http://192.168.122.1/default.ipxe"')
    .optional()
    .describe('What clients boot over the network: a file on the TFTP server, or a URL for iPXE; "" for nothing'),
  bootServer: address("the address of a TFTP server")
    .or(z.literal(""))
    .optional()
    .describe("Address of the TFTP server that has the boot file, if it is not the network's own server"),
  leaseSeconds: seconds().optional().describe("Seconds for which an address from a range is leased"),
});

const name = z
  .string({ error: 'the name of a network, like "vlan1"' })
  .regex(/^[A-Za-z0-9][\w.+-]*$/, 'the name of a network, like "vlan1"')
  .refine((text) => !isUuid(text), 'a name that virsh does not take for the UUID of another network, like "vlan1"')
  .describe("Name of the network");

const defined = {
  name,
  state: z
    .enum(["active", "inactive"], { error: '"active", "inactive" or "absent"' })
    .default("active")
    .describe("Whether the network is active"),
  autostart: z.boolean({ error: "true or false" }).default(true).describe("Whether the network starts with the host"),
  bridge: z
    .string({ error: 'the name of a bridge, like "virbr1"' })
    .regex(/^[A-Za-z][\w.-]{0,14}$/, 'the name of a bridge, up to 15 characters, like "virbr1"')
    .describe("Bridge that exists on the host while the network is active"),
  forward: z
    .enum(["nat", "route", "isolated"], { error: '"nat", "route" or "isolated"' })
    .default("nat")
    .describe("How guests on the network reach other networks: with the host's address, with their own, or not at all"),
  forwardInterface: z
    .string({ error: 'an interface of the host, like "eth0"' })
    .regex(/^[\w.:-]{0,15}$/, 'an interface of the host, like "eth0"')
    .optional()
    .describe("The only host interface to which the network forwards traffic"),
  address: address("the host's own address in the network").describe("The host's own address in the network"),
  prefix: z
    .int({ error: "a prefix length, like 24" })
    .min(8, "a prefix length of 8 to 30")
    .max(30, "a prefix length of 8 to 30")
    .default(24)
    .describe("Prefix length of the subnet: 24 for 255.255.255.0"),
  domain: z
    .string({ error: 'a DNS domain, like "lab.internal"' })
    .regex(/^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*)?$/, 'a DNS domain, like "lab.internal"')
    .optional()
    .describe('DNS domain of the guests, resolved only within this network; "" for none'),
  dhcp: dhcp.optional().describe("DHCP settings; unchanged if not given"),
  tftpRoot: absolutePath().or(z.literal("")).optional().describe('Directory of its TFTP server; "" for none'),
  dnsmasqOptions: z
    .array(z.string().regex(/^[^\n\0]+$/, 'a line of dnsmasq.conf, like "dhcp-match=set:ipxe,175"'), {
      error: 'lines of dnsmasq.conf: ["dhcp-match=set:ipxe,175"]',
    })
    .optional()
    .describe(
      "All extra lines for the network's dnsmasq configuration, such as tags for iPXE clients; any others are removed",
    ),
};

/** Params of `libvirtNet`. */
export const params = z.union([
  z.strictObject(defined).superRefine((p, context) => {
    for (const { path, message } of problemsOfSubnet(p)) context.addIssue({ code: "custom", path: [...path], message });
  }),
  z.strictObject({
    name,
    state: z.literal("absent").describe("The network does not exist; it is not removed while guests run on it"),
  }),
]);

/** Parsed params of `libvirtNet`. */
export type NetParams = z.output<typeof params>;
/** The params for a network that must exist. */
export type DefinedNet = Exclude<NetParams, { readonly state: "absent" }>;
