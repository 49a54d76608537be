import { z } from "../../src/authoring.ts";

/** Vars of a cluster's host that mean the same in every cloud. */
export const hostVars = {
  prefix: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,40}$/, 'a name of lower-case letters, digits and dashes, like "harvester"')
    .default("harvester")
    .describe("Name of the machine, and beginning of all other names"),
  nodes: z
    .union([z.literal(1), z.literal(3), z.literal(5)])
    .default(1)
    .describe("How many nodes it is to hold"),
  size: z.enum(["small", "medium"]).default("small").describe("How large each is"),
  type: z.string().optional().describe("Type of machine, instead of the one that nodes and size ask for"),
  publicKey: z.string().describe("Public key of who logs in: the content of ~/.ssh/id_ed25519.pub"),
  manageFrom: z
    .array(z.string())
    .optional()
    .describe("Networks that may log in and use the cluster's API; default: this machine's public address alone"),
  spot: z.boolean().default(false).describe("A cheaper machine that the provider may take back at any time"),
  rootDiskGb: z.int().min(20).default(100).describe("GiB of its first disk"),
  dataDiskGb: z.int().min(100).default(500).describe("GiB of each node's disk"),
};
