import { z } from "../../src/authoring.ts";
import { ipv4Number } from "../../src/facts/catalogue.ts";
import { isInside, subnetAround, toAddress } from "./ipv4.ts";

/** An IPv4 address. */
export const address = (): z.ZodType<string, string> =>
  z.string().refine((value) => ipv4Number(value) !== undefined, "an IPv4 address, like 192.168.130.1");

/** The network of the nodes on the host. */
export const network = z
  .strictObject({
    name: z.string().default("vlan1").describe("Name of the libvirt network"),
    bridge: z.string().max(15).default("virbr1").describe("Name of the network's bridge"),
    address: address()
      .default("192.168.130.1")
      .describe("The host's own address in the network, at which it serves DNS, DHCP, HTTP and NTP"),
    prefix: z.int().min(16).max(29).default(24).describe("Prefix length of the subnet"),
    vip: address().default("192.168.130.120").describe("The cluster's virtual address"),
    firstNode: address()
      .default("192.168.130.11")
      .describe("Address of the first node; the other nodes get the next ones"),
  })
  .superRefine((value, context) => {
    const subnet = subnetAround(value.address, value.prefix);
    for (const key of ["vip", "firstNode"] as const) {
      if (isInside(value[key], subnet) && value[key] !== value.address) continue;
      context.addIssue({
        code: "custom",
        path: [key],
        message: `an address in ${toAddress(subnet.first)}/${value.prefix} that is not the host's own`,
      });
    }
  });
