import { registrationSchema } from "../../../roles/argo-cluster/registration.ts";
import { argoRegistration } from "../../../roles/argo-cluster/role.ts";
import type { TaskEnd } from "../../tasks/on-host.ts";
import { apply } from "../actors.ts";
import { ApiServer } from "../server/api-server.ts";

/**
 * Argo CD's cluster is the same server, but its user may only write Secrets in argocd: code that confuses the two
 * fails.
 */
export async function argoServer(): Promise<ApiServer> {
  const server = await ApiServer.up();
  const authority = server.kubectl([
    "config",
    "view",
    "--raw",
    "--output=jsonpath={.clusters[0].cluster.certificate-authority-data}",
  ]);
  const namespace = "argocd";
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "argo", namespace } };
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "kube-root-ca.crt", namespace: "kube-system" },
      data: { "ca.crt": Buffer.from(authority, "base64").toString("utf8") },
    },
    {
      ...rbac,
      kind: "Role",
      rules: [
        { apiGroups: [""], resources: ["secrets"], verbs: ["*"] },
        { apiGroups: ["argoproj.io"], resources: ["applications"], verbs: ["list"] },
      ],
    },
    {
      ...rbac,
      kind: "RoleBinding",
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "argo" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "guest" }],
    },
  );
  return server;
}

/** The outcome of each task in a run, one line each. */
export const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
/** The lines of the tasks that changed something, or failed. */
export const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

/** The registration of the server with itself. */
export function registrationOf(server: ApiServer, vars: object = {}) {
  return argoRegistration(
    registrationSchema.parse({
      kubeconfig: server.kubeconfig(),
      argoKubeconfig: server.kubeconfig("guest"),
      name: "harvester",
      server: server.url,
      labels: { tier: "lab" },
      ...vars,
    }),
  );
}

/** A set that a person has created, and ConfigMaps that represent what the Applications have deployed. */
export function setByHand(repoURL: string): object[] {
  const spec = { project: "lab", destination: {}, source: { repoURL, targetRevision: "main" } };
  const deployed = ["byhand-harvester", "monitoring-harvester"].map((name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "argocd" },
  }));
  return [
    {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      metadata: { name: "byhand", namespace: "argocd" },
      spec: {
        generators: [{ clusters: { selector: { matchLabels: { tier: "lab" } } } }],
        template: { metadata: { name: "byhand-{{.name}}" }, spec },
      },
    },
    ...deployed,
  ];
}
