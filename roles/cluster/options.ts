import { absolutePath, seconds, secretText, z } from "../../src/authoring.ts";
import { address } from "./network.ts";

const port = z.int().min(1, "a port from 1 to 65535").max(65_535, "a port from 1 to 65535");

/** Ports of the host that lead to the cluster's virtual address. */
export const exposure = z.strictObject({
  ports: z
    .array(port)
    .default([443, 6443])
    .describe("Ports of the host that lead to the cluster's: 443 for its pages, 6443 for Kubernetes"),
  from: z
    .array(z.cidrv4("a subnet, like 203.0.113.0/24"))
    .default([])
    .describe("Subnets that may use them; default: everybody whom the cloud's firewall lets through"),
});

/** How long and how often the cluster is asked whether it answers. */
export const ready = z.strictObject({
  times: z.int().min(1).max(1000).default(15).describe("How many answers in a row must be right"),
  intervalSeconds: seconds().default(2).describe("Seconds between two questions"),
  deadlineSeconds: seconds().default(2700).describe("Seconds for a node to install and answer"),
});

/** Where the kubeconfig is kept on the controller, and how its nodes are logged in to. */
export const kubeconfig = z.strictObject({
  to: z.string().min(1).optional().describe("Path on the controller; default ./PREFIX-kubeconfig.yaml"),
  identityFile: z
    .string()
    .min(1)
    .optional()
    .describe("Private key for the nodes' user rancher; default: as for the host itself"),
  password: secretText().optional().describe("Password of the nodes' user, where no key fits; a secret"),
});

/** The Rancher server that shall manage the cluster. */
export const rancher = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "where Rancher answers, like https://rancher.example.com" }),
  token: secretText().describe("API token (ACCESS:SECRET); a secret"),
  name: z.string().optional().describe("Name of the cluster in Rancher; default: prefix"),
  caCert: z.string().optional().describe("Certificates in PEM form to trust"),
  insecure: z.boolean().default(false).describe("Accept any certificate"),
});

/** What a cluster without a way out of its network still needs. */
export const airGap = z.strictObject({
  allow: z.array(address()).default([]).describe("Addresses outside that nodes may reach all the same: Rancher's"),
  probe: address().default("1.1.1.1").describe("An address outside that a node must not reach: this is tried"),
});

/** A node that was made without furrow. */
export const adoptedNode = z.strictObject({
  mac: z
    .string()
    .regex(/^[\da-fA-F][02468aceACE](:[\da-fA-F]{2}){5}$/, "a MAC address, like 52:54:00:12:34:56")
    .transform((mac) => mac.toLowerCase())
    .describe("Its MAC address"),
  address: address().describe("The address that its cluster knows it by"),
});

/** One more disk for one node. */
export const extraDisk = z.strictObject({
  node: z.int().min(1).describe("Number of the node"),
  device: absolutePath().describe("Disk of the host, by stable path"),
  sizeGiB: z.int().min(1).default(300).describe("Size that the node sees"),
});
