import { secretText, seconds, z } from "../../src/authoring.ts";
import { localPath } from "../cluster/local-path.ts";

const versionForm = "a release of RKE2, like v1.28.11+rke2r1";

/** The schema of an RKE2 release, which always has its own revision number: `v1.28.11+rke2r1`. */
export const rke2Version = () =>
  z.string({ error: versionForm }).regex(/^v\d{1,3}\.\d{1,3}\.\d{1,3}\+rke2r\d{1,3}$/, versionForm);

const digestForm = '"sha256:HEX", as in the release\'s sha256sum-amd64.txt';

/** The schema of a SHA-256 that a file must have. */
export const digestParam = () => z.string({ error: digestForm }).regex(/^sha256:[0-9a-f]{64}$/i, digestForm);

/** The architectures for which RKE2's tarballs are built, by the output of `uname -m`. */
export const architectures = { x86_64: "amd64", aarch64: "arm64" } as const;

const addressForm = "a name or an address without a port, like parvester.example.org";
const address = () =>
  z
    .string({ error: addressForm })
    .regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/, addressForm)
    // Nobody gives a host a name of only digits and dots: `10.0.0.300` is a typo.
    .refine((text) => !/^[\d.]+$/.test(text) || z.ipv4().safeParse(text).success, "an address, like 10.0.0.11");

const mirrorForm = "an https URL, like https://mirror.example.org/parvester";

/** A server for machines without internet access; its files are at `URL/NAME/VERSION/FILE`. */
export const mirrorParam = () =>
  z
    .url({ protocol: /^https$/, error: mirrorForm })
    .refine((url) => !/^[a-z]+:\/\/[^/?#]*@|[\s"'\\?#]|\/$/i.test(url), `${mirrorForm}, without a trailing slash`);

/** The configuration of an RKE2 cluster. */
export const rke2Fields = {
  version: rke2Version().describe("Release of RKE2: `v1.28.11+rke2r1`"),
  tarballs: z
    .strictObject({ amd64: digestParam().optional(), arm64: digestParam().optional() })
    .refine(({ amd64, arm64 }) => (amd64 ?? arm64) !== undefined, "the digest for at least one architecture")
    .describe("SHA-256 of `rke2.linux-ARCH.tar.gz` of that release, by architecture: `sha256:HEX`"),
  imageArchives: z
    .strictObject({ amd64: digestParam().optional(), arm64: digestParam().optional() })
    .optional()
    .describe(
      "SHA-256 of `rke2-images.linux-ARCH.tar.zst`, for nodes that cannot pull images; default: they pull them",
    ),
  mirror: mirrorParam()
    .optional()
    .describe("Server with all files at `URL/NAME/VERSION/FILE`; default: the projects' own releases"),
  registry: address()
    .optional()
    .describe("Registry from which RKE2 pulls its own images (`system-default-registry`); default: Docker Hub"),
  token: secretText().describe("Secret that nodes use to join; it cannot be changed later"),
  serverAddress: address()
    .optional()
    .describe("Name or address by which all nodes reach the first server; default: its address in the inventory"),
  tlsSan: z.array(address()).default([]).describe("Additional names and addresses in the servers' certificate"),
  nodeIp: z
    .ipv4("an address, like 10.0.0.11")
    .optional()
    .describe("This node's address in the cluster, set as a host var; default: the address of the default route"),
  multus: z
    .enum(["rke2", "manifest"], { error: '"rke2" or "manifest"' })
    .default("rke2")
    .describe("Where Multus comes from: RKE2 itself (`cni: multus, canal`), or its project's manifest; never both"),
  kubeconfig: localPath()
    .default("./parvester-kubeconfig.yaml")
    .describe("Where the cluster's kubeconfig is stored on the controller, readable only by its owner"),
  readySeconds: seconds().default(900).describe("Seconds within which a node must be Ready"),
} as const;

const schema = z.strictObject(rke2Fields);

/** The validated configuration of an RKE2 cluster. */
export type Rke2 = z.output<typeof schema>;

/** Whether a node runs the control plane. */
export type NodeKind = "server" | "agent";

/** Returns the URL of a file of a release: on the mirror, or among the project's own releases. */
export function releaseUrl({ version, mirror }: Pick<Rke2, "version" | "mirror">, file: string): string {
  const from = mirror === undefined ? "https://github.com/rancher/rke2/releases/download" : `${mirror}/rke2`;
  return `${from}/${encodeURIComponent(version)}/${file}`;
}
