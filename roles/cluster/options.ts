import { absolutePath, seconds, secretText, z } from "../../src/authoring.ts";
import { subnetOf } from "../../src/facts/catalogue.ts";
import { toAddress } from "./ipv4.ts";
import { localPath } from "./local-path.ts";
import { address } from "./network.ts";

const port = z.int().min(1, "a port from 1 to 65535").max(65_535, "a port from 1 to 65535");

const subnet = z.cidrv4("a subnet, like 203.0.113.0/24").refine(isWholeSubnet, {
  error: ({ input }) =>
    `the subnet ${wholeSubnet(String(input))}, or ${String(input).split("/")[0]}/32 for one address`,
});

function isWholeSubnet(text: string): boolean {
  return subnetOf(text) === undefined || text === wholeSubnet(text);
}

/** The whole subnet that contains the address in `text`. */
function wholeSubnet(text: string): string {
  const [, length] = text.split("/");
  return `${toAddress(subnetOf(text)?.first ?? 0)}/${length}`;
}

/** The ports on the host that are forwarded to the cluster's virtual address. */
export const exposure = z.strictObject({
  ports: z
    .array(port)
    .min(1, "at least one port: omit `ports` for 443 and 6443, or set `exposure: false` to forward none")
    .default([443, 6443])
    .describe("Host ports to forward to the cluster: 443 for its web UI, 6443 for Kubernetes"),
  from: z
    .array(subnet)
    .min(1, "at least one subnet: omit `from` for everyone, or set `exposure: false` for nobody")
    .default([])
    .describe("Subnets that may use these ports; if omitted, every client that the cloud's firewall lets through"),
});

/** The options for waiting for the cluster to answer. */
export const ready = z.strictObject({
  times: z.int().min(1).max(1000).default(15).describe("Number of consecutive correct answers required"),
  intervalSeconds: seconds().default(2).describe("Seconds between two requests"),
  deadlineSeconds: seconds().default(2700).describe("Seconds within which a node must be installed and answer"),
});

/** The kubeconfig's path on the controller, and how to log in to the nodes. */
export const kubeconfig = z.strictObject({
  to: localPath().optional().describe("Path on the controller; default ./PREFIX-kubeconfig.yaml"),
  identityFile: localPath()
    .optional()
    .describe("Another private key for the nodes' user rancher, if they do not accept furrow's own"),
  password: secretText()
    .optional()
    .describe("Password of the nodes' user, if it is no longer the one they were installed with; a secret"),
});

/** The Rancher server that manages the cluster. */
export const rancher = z.strictObject({
  url: z.url({ protocol: /^https?$/, error: "the URL of Rancher, like https://rancher.example.com" }),
  token: secretText().describe("API token (ACCESS:SECRET); a secret"),
  name: z.string().optional().describe("Name of the cluster in Rancher; default: prefix"),
  caCert: z.string().optional().describe("Certificates to trust, in PEM format"),
  insecure: z.boolean().default(false).describe("Accept any certificate"),
  id: z.string().optional().describe("Rancher's id for the cluster with this name; confirms that it is this cluster"),
  replaces: z.boolean().default(false).describe("Replace the cluster's existing registration in another Rancher"),
});

/** Settings for a cluster that must not reach anything outside its network. */
export const airGap = z.strictObject({
  allow: z.array(address()).default([]).describe("Outside addresses that nodes may still reach, such as Rancher's"),
  probe: address().default("1.1.1.1").describe("An outside address that a node must not reach: furrow tests this"),
});

/** A node that was created without furrow. */
export const adoptedNode = z.strictObject({
  mac: z
    .string()
    .regex(/^[\da-fA-F][02468aceACE](:[\da-fA-F]{2}){5}$/, "a MAC address, like 52:54:00:12:34:56")
    .transform((mac) => mac.toLowerCase())
    .describe("MAC address of the node"),
  address: address().describe("Address of the node in the cluster"),
});

/** An additional disk for one node. */
export const extraDisk = z.strictObject({
  node: z.int().min(1).describe("Number of the node"),
  device: absolutePath().describe("Disk on the host, by stable path"),
  sizeGiB: z.int().min(1).default(300).describe("Size that the node sees, in GiB"),
});
