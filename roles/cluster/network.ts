import { z } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";
import { usableIn } from "./usable.ts";

/** An IPv4 address. */
export const address = (): z.ZodType<string, string> =>
  z.string().refine((value) => ipv4Number(value) !== undefined, "an IPv4 address, like 192.168.130.1");

const prefixes = "a prefix length from 16 to 29";

/** The network of the nodes on the host. */
export const network = z
  .strictObject({
    name: z.string().default("vlan1").describe("Name of the libvirt network"),
    bridge: z.string().max(15).default("virbr1").describe("Name of the network's bridge"),
    address: address()
      .default("192.168.130.1")
      .describe("The host's own address in the network, at which it serves DNS, DHCP, HTTP and NTP"),
    prefix: z.int(prefixes).min(16, prefixes).max(29, prefixes).default(24).describe("Prefix length of the subnet"),
    vip: address().default("192.168.130.120").describe("The cluster's virtual address"),
    firstNode: address()
      .default("192.168.130.11")
      .describe("Address of the first node; the other nodes get the next ones"),
  })
  .superRefine((value, context) => {
    const usable = usableIn(value.address, value.prefix);
    // A wrong address or prefix has already been reported.
    if (usable === undefined) return;
    const wrong = (path: string, message: string): void => context.addIssue({ code: "custom", path: [path], message });
    const range = `${usable.cidr}, from ${usable.first} to ${usable.last}`;
    if (!usable.has(value.address)) wrong("address", `an address in ${range}`);
    for (const key of ["vip", "firstNode"] as const) {
      if (usable.has(value[key]) && value[key] !== value.address) continue;
      wrong(key, `an address in ${range}, that is not the host's own`);
    }
  });
