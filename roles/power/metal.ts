import { absolutePath, seconds, secretText, z } from "../../src/authoring.ts";
import { kubeletPort } from "../cluster-ready/node-answers.ts";

const redfish = z.strictObject({
  url: z
    .url({ protocol: /^https$/, error: "an https URL, like https://bmc-1.example.org" })
    .describe("The management controller: `https://bmc-1.example.org`"),
  user: z.string().min(1).describe("A user who may control the power"),
  password: secretText().describe("The user's password; a secret"),
  system: z.string().min(1).optional().describe("Id of the machine, if the controller has several"),
  caCert: z.string().min(1).optional().describe("PEM certificates to trust instead of the default ones"),
  fingerprint: z.string().min(1).optional().describe("The SHA-256 of the only certificate to accept"),
  insecure: z.boolean().default(false).describe("Accept any certificate"),
});

const ipmi = z.strictObject({
  address: z.string().min(1).describe("The management controller"),
  user: z.string().min(1).describe("A user who may control the power"),
  password: secretText().describe("The user's password; a secret"),
  cipherSuite: z.int().optional().describe("Cipher suite, if ipmitool does not negotiate one"),
});

const node = z
  .strictObject({
    name: z.string().min(1).describe("Name of the node in the cluster and, without a controller, in the inventory"),
    address: z
      .string()
      .regex(/^[\w.:-]+$/, "a name or an address")
      .refine(
        (text) => !/^[\d.]+$/.test(text) || z.ipv4().safeParse(text).success,
        "a name, or an address like 192.168.10.11",
      )
      .describe("Address at which the node accepts logins"),
    internalAddress: z
      .union([z.ipv4(), z.ipv6()], { error: "an address, like 192.168.10.11" })
      .optional()
      .describe("The node's address in the cluster (its InternalIP), if furrow reaches it at another one"),
    redfish: redfish.optional().describe("The node's management controller, by Redfish"),
    ipmi: ipmi.optional().describe("The node's management controller, by IPMI"),
  })
  .refine((one) => one.redfish === undefined || one.ipmi === undefined, "Redfish or IPMI, not both");

/** The machine that a node's management controller controls; undefined without one. */
export function controlledBy({ redfish: web, ipmi: lan }: z.output<typeof node>): string | undefined {
  // An invalid URL is reported separately.
  if (web !== undefined && !URL.canParse(web.url)) return undefined;
  if (web !== undefined) return `${new URL(web.url).origin} ${web.system?.replace(/^.*\//, "") ?? ""}`;
  return lan?.address.toLowerCase();
}

/** The vars of playbooks/power-off.ts. */
export const metalSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller; read permission is enough"),
    record: absolutePath().describe("A file on the controller, made by furrow, that records an unfinished shutdown"),
    nodes: z
      .array(node)
      .min(1)
      .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, "each node once")
      .refine((all) => {
        const controllers = all.flatMap((one) => controlledBy(one) ?? []);
        return new Set(controllers).size === controllers.length;
      }, "each management controller, or each machine of a controller, only once: two nodes cannot be the same machine")
      .describe("All nodes of the cluster; they are switched off from the last to the first"),
    force: z.boolean().default(false).describe("Switch off the cluster even if it is in use or does not answer"),
    cutPower: z.boolean().default(false).describe("Cut the power of a node that does not shut down in time"),
    shutdownSeconds: seconds().default(600).describe("Seconds that each node gets to shut down"),
    hypervisor: z
      .enum(["none", "esxi"])
      .default("none")
      .describe("`esxi`: the nodes are virtual machines on ESXi, which furrow does not switch off"),
  })
  .refine(({ kubeconfig, record }) => kubeconfig !== record, {
    path: ["record"],
    message: "a file of its own: the kubeconfig would be replaced by the record",
  });

/** The validated vars. */
export type Metal = z.output<typeof metalSchema>;
/** One node of a bare-metal cluster. */
export type MetalNode = Metal["nodes"][number];

/** The nodes in the order in which they are switched off. */
export function offOrder({ nodes }: Pick<Metal, "nodes">): readonly MetalNode[] {
  return nodes.toReversed();
}

/** The port of etcd's members. */
const etcdPort = 2380;

/** The ports of a node, other than that of its SSH server, that show that its system is still running. */
export const latePorts = [etcdPort, kubeletPort] as const;

/** The ports that must all be closed before a node without a management controller counts as off. */
export const nodePorts = [22, ...latePorts] as const;

/** The ports in a sentence. */
export const portsText = `${nodePorts.slice(0, -1).join(", ")} and ${nodePorts.at(-1)}`;
