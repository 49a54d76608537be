import { z } from "../../src/authoring.ts";
import { argoClusterLabel } from "../../src/facts/catalogue.ts";

const kubeName = /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/;
const nameForm = "a name of lower-case letters, digits, dots and dashes";
const name = () => z.string().regex(kubeName, nameForm);

/** A cluster that should be registered with Argo CD. */
export const registrationSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("Kubeconfig of the cluster to register, on the controller"),
    argoKubeconfig: z.string().min(1).describe("Kubeconfig of the cluster in which Argo CD runs, on the controller"),
    argoNamespace: name().default("argocd").describe("Namespace of Argo CD"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-argo")
      .describe("Name under which both clusters record what furrow owns; do not change it"),
    name: name().describe("Name of the cluster in Argo CD"),
    secret: name().optional().describe("Name of its Secret; default: `name`"),
    server: z
      .string()
      .regex(/^https:\/\/[^\s/@]+$/, "a URL like https://harvester.example.org:6443")
      .describe("URL at which Argo CD reaches the cluster's API"),
    labels: z
      .record(z.string(), z.string())
      .default({})
      .describe("Labels of the Secret, by which ApplicationSets choose clusters"),
    account: z
      .strictObject({
        namespace: name().default("kube-system").describe("Namespace of the ServiceAccount; it must exist"),
        name: name().default("argocd-manager").describe("Name of the ServiceAccount"),
        clusterRole: z
          .string()
          .min(1)
          .default("cluster-admin")
          .describe("ClusterRole of the ServiceAccount; it must exist"),
      })
      .prefault({})
      .describe("ServiceAccount with which Argo CD logs in"),
    tokenHours: z.int().min(1).max(8760).default(720).describe("Requested lifetime of a token in hours"),
    renewBeforeHours: z
      .int()
      .nonnegative()
      .default(240)
      .describe("A run replaces a token that expires within this many hours"),
    adopt: z.boolean().default(false).describe("Take over a Secret with this name that something else has created"),
    acceptLoss: z
      .array(z.string().min(1))
      .default([])
      .describe("Applications that may lose their cluster or be deleted because of a change; listed individually"),
  })
  .superRefine(({ labels, tokenHours, renewBeforeHours }, context) => {
    if (argoClusterLabel in labels)
      context.addIssue({
        code: "custom",
        path: ["labels"],
        message: `labels without ${argoClusterLabel}, which furrow sets`,
      });
    if (renewBeforeHours >= tokenHours)
      context.addIssue({
        code: "custom",
        path: ["renewBeforeHours"],
        message: "fewer hours than tokenHours: otherwise every run would replace the token",
      });
  });

/** The validated vars of a cluster that should be registered with Argo CD. */
export type Registration = z.output<typeof registrationSchema>;

/** The account and its permissions, as objects of the registered cluster. */
export function accountObjects({ account }: Pick<Registration, "account">) {
  const { namespace, name: own, clusterRole } = account;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: own, namespace } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      // The role of a binding cannot be changed afterwards, so a different role needs a different binding.
      metadata: { name: `furrow:${namespace}:${own}:${clusterRole}` },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: clusterRole },
      subjects: [{ kind: "ServiceAccount", name: own, namespace }],
    },
  ];
}

/** The host and the port of a cluster's API. */
export function apiPlace(server: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(server);
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? 443 : Number(port) };
}
