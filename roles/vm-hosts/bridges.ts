import { z } from "../../src/authoring.ts";
import { bridgeParam } from "./bridge-there.ts";

const bridge = z.strictObject({
  ports: z
    .array(z.string())
    .min(1)
    .describe("Interfaces that become the bridge's ports; their own addresses and routes are removed"),
  addresses: z.array(z.string()).optional().describe("The host's static addresses on the bridge, with prefix lengths"),
  dhcp: z.boolean().optional().describe("Get the host's address on the bridge by DHCP"),
  gateway: z.string().optional().describe("Router of the default route, if the route goes through the bridge"),
  nameservers: z.array(z.string()).optional().describe("DNS servers"),
  mtu: z.int().optional().describe("Largest packet in bytes"),
  confirmSeconds: z.int().optional().describe("Seconds after which a change that cuts the connection is reverted"),
});

/** The var for bridges to create. */
export const bridgeFields = {
  bridges: z
    .record(bridgeParam(), bridge)
    .default({})
    .describe("Bridges to create on the host, with the params of networkInterface; others must already exist"),
} as const;
