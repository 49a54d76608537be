import { z } from "../../src/authoring.ts";

/** A var that is checked like a task's param, with the same messages; `param` is the param's schema. */
export function fits<T extends z.ZodType>(own: T, param: z.ZodType): T {
  const checked = own.superRefine((value, context) => {
    for (const issue of param.safeParse(value).error?.issues ?? [])
      context.addIssue({ ...issue, input: undefined } as never);
  });
  return own.description === undefined ? checked : checked.describe(own.description);
}

/** A network in the form that the firewalls of Google and DigitalOcean accept. */
export const networkRange = z
  .string()
  .refine((text) => z.union([z.cidrv4(), z.cidrv6()]).safeParse(text).success, 'a network, like "192.0.2.0/24"');

const keyText = 'like "ssh-ed25519 AAAA… me@here": the content of ~/.ssh/id_ed25519.pub';
const keyMeans = "Public key for the login: the content of ~/.ssh/id_ed25519.pub";

/** A public key of the types that all clouds accept. */
export const commonKey = z
  .string({ error: `an ed25519 or RSA key, ${keyText}` })
  .regex(/^(ssh-ed25519|ssh-rsa) [A-Za-z0-9+/]+=*( .*)?\n?$/, `an ed25519 or RSA key, ${keyText}`)
  .describe(keyMeans);

/** The vars of a cluster's host that are the same for every cloud. */
export const hostVars = {
  prefix: z
    .string()
    .regex(/^[a-z]([a-z0-9-]{0,39}[a-z0-9])?$/, 'a name of lower-case letters, digits and dashes, like "harvester"')
    .default("harvester")
    .describe("Name of the machine, and prefix of all other names"),
  nodes: z
    .union([z.literal(1), z.literal(3), z.literal(5)])
    .default(1)
    .describe("Number of nodes that the machine must be able to run"),
  size: z.enum(["small", "medium"]).default("small").describe("Size of each node"),
  type: z.string().optional().describe("Machine type; default: depends on the number and size of the nodes"),
  publicKey: z
    .string({ error: `a public key, ${keyText}` })
    .regex(/^(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/]+=*( .*)?\n?$/, `a public key, ${keyText}`)
    .describe(keyMeans),
  manageFrom: z
    .array(z.string())
    .optional()
    .describe(
      "Networks from which logins and API requests are allowed; default: only this machine's public address, or none with a tunnel; [] means none, and needs a tunnel",
    ),
  publicAddress: z
    .boolean()
    .default(true)
    .describe(
      "Whether the machine has a public address; without one, set how to reach it: tunnel, proxyJump or insideNetwork",
    ),
  proxyJump: z
    .string()
    .regex(/^(?!none$)[\w.@:-]+$/, 'a jump host, like "gate" or "user@gate:22"')
    .optional()
    .describe("Jump host that reaches the machine's private address: its name in an inventory or in ssh_config"),
  insideNetwork: z
    .boolean()
    .default(false)
    .describe("This machine can reach the private address itself, for example because it is on that network"),
  spot: z.boolean().default(false).describe("A cheaper machine that the provider may stop at any time"),
  rootDiskGb: z.int().min(20).default(100).describe("Size of the machine's first disk in GiB"),
  dataDiskGb: z.int().min(100).default(500).describe("Size of each node's disk in GiB"),
};
