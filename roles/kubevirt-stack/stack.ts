import { seconds, z } from "../../src/authoring.ts";
import { digestParam } from "../rke2/rke2.ts";

const versionForm = "a release, like v1.1.1";
const version = () => z.string({ error: versionForm }).regex(/^v\d{1,3}\.\d{1,3}\.\d{1,3}$/, versionForm);

/**
 * The releases of the components that run virtual machines in a Kubernetes cluster, each with the digests of its files.
 */
export const stackFields = {
  kubevirt: z
    .strictObject({
      version: version().describe("Release of KubeVirt: `v1.1.1`"),
      operator: digestParam().describe("SHA-256 of `kubevirt-operator.yaml`: `sha256:HEX`"),
      virtctl: z
        .strictObject({ amd64: digestParam().optional(), arm64: digestParam().optional() })
        .default({})
        .describe("SHA-256 of `virtctl-VERSION-linux-ARCH`, by architecture; default: virtctl is not installed"),
    })
    .describe("KubeVirt, which runs the machines"),
  cdi: z
    .strictObject({
      version: version().describe("Release of CDI: `v1.59.0`"),
      operator: digestParam().describe("SHA-256 of `cdi-operator.yaml`: `sha256:HEX`"),
    })
    .describe("CDI, which fills volumes with images"),
  localPath: z
    .strictObject({
      version: version().describe("Release of local-path-provisioner: `v0.0.28`"),
      manifest: digestParam().describe("SHA-256 of `local-path-storage.yaml`: `sha256:HEX`"),
    })
    .describe("local-path-provisioner, which creates volumes in directories on the nodes"),
  multusManifest: z
    .strictObject({
      version: version().describe("Release of Multus: `v4.0.2`"),
      manifest: digestParam().describe("SHA-256 of `multus-daemonset.yml`: `sha256:HEX`"),
    })
    .optional()
    .describe('Multus, if `multus` is "manifest"'),
  stackSeconds: seconds().default(900).describe("Seconds within which each component must be available"),
} as const;

const schema = z.strictObject(stackFields);

/** The validated releases of the components. */
export type Stack = z.output<typeof schema>;

/** Where each file is in the projects' own releases; with a mirror, it is `mirror/NAME/VERSION/FILE`. */
const origins = {
  kubevirt: "https://github.com/kubevirt/kubevirt/releases/download/VERSION",
  cdi: "https://github.com/kubevirt/containerized-data-importer/releases/download/VERSION",
  "local-path": "https://raw.githubusercontent.com/rancher/local-path-provisioner/VERSION/deploy",
  multus: "https://raw.githubusercontent.com/k8snetworkplumbingwg/multus-cni/VERSION/deployments",
} as const;

/** The URL of a component's file. */
export function fileUrl(
  component: keyof typeof origins,
  release: string,
  file: string,
  mirror: string | undefined,
): string {
  const from =
    mirror === undefined ? origins[component].replace("VERSION", release) : `${mirror}/${component}/${release}`;
  return `${from}/${file}`;
}
