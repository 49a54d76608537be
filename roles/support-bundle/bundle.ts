import { seconds, z } from "../../src/authoring.ts";

const nameForm = "a name of at most 40 characters: lower-case letters, digits and dashes";
const namespace = z.string().regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, "the name of a namespace");

/** A support bundle of a Harvester cluster. */
export const supportBundleSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  name: z
    .string({ error: nameForm })
    // Harvester names a Deployment after the bundle.
    .max(40, nameForm)
    .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, nameForm)
    .describe("Name of the bundle, which is created only once: `issue-1234`"),
  description: z.string().min(1).describe("What went wrong; it becomes part of the bundle"),
  issueUrl: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("URL of the issue that the bundle is for"),
  namespaces: z
    .array(namespace)
    .optional()
    .describe("Your own namespaces to collect as well, if this version of Harvester supports it"),
  deadlineSeconds: seconds().default(1800).describe("Seconds after which furrow stops waiting for the bundle"),
});

/** The validated params of a support bundle. */
export type SupportBundle = z.output<typeof supportBundleSchema>;

/** The namespace of support bundles. */
export const bundleNamespace = "harvester-system";

/** The path of a support bundle in the API. */
export function bundlePath(name: string): string {
  return `/apis/harvesterhci.io/v1beta1/namespaces/${bundleNamespace}/supportbundles/${name}`;
}

/**
 * The object from which Harvester makes a bundle (pkg/apis/harvesterhci.io/v1beta1/supportbundle.go in
 * harvester/harvester).
 */
export function bundleObject({
  name,
  description,
  issueUrl,
  namespaces,
}: Pick<SupportBundle, "name" | "description" | "issueUrl" | "namespaces">) {
  return {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "SupportBundle",
    metadata: { name, namespace: bundleNamespace },
    spec: {
      description,
      ...(issueUrl !== undefined && { issueURL: issueUrl }),
      ...(namespaces !== undefined && { extraCollectionNamespaces: namespaces }),
    },
  };
}
