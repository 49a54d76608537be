import { absolutePath, z } from "../../src/authoring.ts";
import { ipv4Number, subnetOf } from "../../src/facts/catalogue.ts";

const address = (): z.ZodType<string, string> =>
  z.string().refine((text) => ipv4Number(text) !== undefined, 'an IPv4 address, like "192.168.0.10"');

const network = z
  .string()
  .refine(
    (text) => /^[\d.]+\/(1[6-9]|2\d|30)$/.test(text) && subnetOf(text) !== undefined,
    'a subnet, like "192.168.0.0/24", with a prefix length from 16 to 30',
  );

const mac = z
  .string()
  .regex(/^[\da-fA-F]{2}(:[\da-fA-F]{2}){5}$/, 'a MAC address, like "52:54:00:00:00:01"')
  .transform((text) => text.toLowerCase());

/** Words that dnsmasq does not read as names in a dhcp-host line (dnsmasq(8), --dhcp-host). */
export const dnsmasqWord = /^(ignore|infinite|\d+[smhdw]?)$/;
const hostName = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'a host name in lower case, like "node-1"')
  .refine(
    (name) => !dnsmasqWord.test(name),
    "a host name that dnsmasq does not interpret as a keyword (ignore, infinite) or a time, like 12h",
  );
const fileOrUrl = z.string().regex(/^[^\s,"\\]+$/, "a file's name or a URL, without spaces, commas or quotes");
const domain = z.string().regex(/^[a-z0-9.-]+$/, 'a domain, like "rack.example"');
const interfaceName = z.string().regex(/^[\w.-]{1,15}$/, 'the name of a network interface, like "eno1"');

/** A client that always gets the same address. */
const reservation = z.strictObject({
  name: hostName.describe("Name of the client, which DHCP also assigns to it"),
  mac: mac.describe("MAC address of the client's network card"),
  address: address().optional().describe("The client's address; omitted only if another server assigns it (proxy)"),
  boot: z
    .strictObject({
      firmware: z
        .enum(["uefi", "bios"], { error: '"uefi" or "bios"' })
        .describe("Firmware that may boot; a client with different firmware gets no boot file"),
      script: fileOrUrl.describe("URL of the script that iPXE runs once the firmware has loaded iPXE"),
    })
    .optional()
    .describe("What the client boots from the network; nothing if not given"),
});

const pool = z.strictObject({
  from: address().describe("First address"),
  to: address().describe("Last address"),
  leaseSeconds: z.int().min(120, "at least 120").default(3600).describe("Lease time of an address"),
});

const subnet = z.strictObject({
  network: network.describe("The subnet, in CIDR notation"),
  interface: interfaceName.describe("The host's network interface in this subnet"),
  proxy: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe("Another server assigns the addresses here; this one only tells clients what to boot"),
  pools: z
    .array(pool)
    .default([])
    .describe("Addresses for clients without a reservation; by default, such clients get none"),
  reservations: z.array(reservation).default([]).describe("Clients with a reserved address"),
  router: address().optional().describe("The default route that clients get"),
  dns: z.array(address()).default([]).describe("Name servers that clients get"),
  ntp: z.array(address()).default([]).describe("Time servers that clients get"),
  domain: domain.optional().describe("Domain that clients get"),
  options: z
    .record(
      z.string().regex(/^(\d{1,3}|[a-z][a-z0-9-]*)$/, 'an option\'s number or its name in dnsmasq, like "mtu"'),
      z.string().regex(/^[^\n\0]+$/, "one line"),
    )
    .default({})
    .describe("Other DHCP options for clients, by number or by dnsmasq's name: { mtu: `9000` }"),
});

const programs = z.strictObject({
  bios: fileOrUrl.optional().describe("Program for BIOS firmware, below tftpRoot"),
  uefi: fileOrUrl.optional().describe("Program for x86-64 UEFI firmware, below tftpRoot"),
  http: z
    .url({ protocol: /^https?$/, error: "an http:// or https:// URL" })
    .optional()
    .describe("URL of the program for x86-64 UEFI firmware that boots over HTTP"),
});

/** The params of `dhcpServer`, before they are checked against each other. */
export const fields = z.strictObject({
  subnets: z.array(subnet).min(1, "at least one subnet").describe("The subnets that the server serves"),
  statics: z
    .record(z.string(), address())
    .default({})
    .describe("Addresses that no pool may contain, keyed by the name of their owner: hosts, virtual addresses"),
  programs: programs.optional().describe("The first program that a client's firmware loads: iPXE"),
  tftpRoot: absolutePath().optional().describe("Directory that is served over TFTP; default: none"),
  tftpByClient: z
    .boolean({ error: "true or false" })
    .default(false)
    .describe(
      "If a directory below tftpRoot is named after a client's MAC address, like 52-54-00-00-00-01, the client gets only the files in it",
    ),
  log: absolutePath()
    .optional()
    .describe("File for the server's log, with the details of each request; default: the system log"),
  path: absolutePath()
    .default("/etc/dnsmasq.d/furrow-dhcp.conf")
    .describe("The configuration file; the default is one that the distribution's own dnsmasq.service reads"),
});

/** Parsed params of `dhcpServer`. */
export type Params = z.output<typeof fields>;
/** A subnet in parsed params. */
export type Subnet = Params["subnets"][number];
/** A mistake in the params, and where it is. */
export interface Problem {
  readonly path: readonly (string | number)[];
  /** What is expected at the path. */
  readonly message: string;
}
