import { z } from "../../src/authoring.ts";
import { bridgeParam } from "./bridge-there.ts";

const bridge = z.strictObject({
  ports: z.array(z.string()).min(1).describe("Interfaces that become its ports; their own addresses and routes go"),
  addresses: z.array(z.string()).optional().describe("Static addresses of the host on it, with prefix lengths"),
  dhcp: z.boolean().optional().describe("Get the host's address on it by DHCP"),
  gateway: z.string().optional().describe("Router of the default route, if that goes through the bridge"),
  nameservers: z.array(z.string()).optional().describe("DNS servers"),
  mtu: z.int().optional().describe("Largest packet in bytes"),
  confirmSeconds: z.int().optional().describe("Seconds after which a change that cuts the connection is reverted"),
});

/** The var about bridges that are made. */
export const bridgeFields = {
  bridges: z
    .record(bridgeParam(), bridge)
    .default({})
    .describe("Bridges that are made on the host, as by networkInterface; others must be there already"),
} as const;
