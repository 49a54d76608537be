import { refuse, task, z } from "../../src/authoring.ts";
import {
  accountIdentity,
  argoCluster,
  argoClusterLabel,
  type ArgoClusterQuestion,
  argoRegister,
} from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  argoKubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
  argoNamespace: z.string().describe("Namespace of Argo CD"),
  kubeconfig: z.string().describe("Kubeconfig of the cluster that is registered"),
  secret: z.string().describe("Name of the Secret"),
  name: z.string().describe("Name of the cluster in Argo CD"),
  server: z.string().describe("URL at which Argo CD reaches the cluster's API"),
  labels: z.record(z.string(), z.string()).describe("Labels of the Secret"),
  account: z.strictObject({ namespace: z.string(), name: z.string() }).describe("ServiceAccount of Argo CD"),
  lifetimeSeconds: z.int().describe("Seconds for which a token is asked"),
  renewBeforeSeconds: z.int().describe("Seconds before its end from which on the token is replaced"),
  fieldManager: z.string().describe("Name under which Argo CD's cluster records what furrow owns"),
  adopt: z.boolean().describe("Take over a Secret that something else has made"),
});

/**
 * Keeps a cluster's Secret in Argo CD, with a token that the cluster accepts and that does not end soon. The token goes
 * from one cluster to the other inside the driver, and is in no fact, step or output.
 */
export const registeredWithArgo = task({
  name: "registeredWithArgo",
  summary: "Keep a cluster registered with Argo CD",
  params,
  examples: [],
  title: ({ name, argoNamespace }) => `${name} is registered with Argo CD in ${argoNamespace}`,
})
  .facts((p) => ({ cluster: argoCluster(questionOf(p)) }))
  .want((p, { cluster }) => {
    if ("error" in cluster)
      return refuse({
        code: "cluster-not-seen",
        message: `cannot tell what Argo CD knows about ${p.name}: ${cluster.error.where} does not answer as expected (${cluster.error.message})`,
        hint: "Check both kubeconfigs, and what their users may do",
      });
    if (cluster.others.length > 0)
      return refuse({
        code: "registered-twice",
        message: `Argo CD already has ${p.name} or ${p.server} in ${cluster.others.join(", ")}, and would mix up the two`,
        hint: "Use the name of that Secret and adopt: true, or delete it",
      });
    if (cluster.found && !cluster.isOwn && !p.adopt)
      return refuse({
        code: "other-owner",
        message: `the Secret ${p.secret} in ${p.argoNamespace} was not made by furrow`,
        hint: "Choose another name, or set adopt: true to take it over",
      });
    return {
      cluster: {
        found: true as const,
        isOwn: true,
        name: p.name,
        server: p.server,
        labels: { ...p.labels, [argoClusterLabel]: "cluster" },
        tls: "as wanted" as const,
        identity: accountIdentity(p.account),
        renewalDue: false,
      },
    };
  })
  .steps((p, { change }) => [change.cluster && argoRegister(questionOf(p))])
  .notes((p, { cluster }) =>
    "found" in cluster && cluster.found && cluster.expires !== "" && !cluster.renewalDue
      ? [`Argo CD's token for ${p.name} ends at ${cluster.expires}; a run in the time before replaces it`]
      : [],
  );

function questionOf(p: z.output<typeof params>): ArgoClusterQuestion {
  const { argoKubeconfig, argoNamespace, kubeconfig, secret, name, server, labels, account, fieldManager } = p;
  const { lifetimeSeconds, renewBeforeSeconds } = p;
  const cluster = { argoKubeconfig, argoNamespace, kubeconfig, secret, name, server, labels, account, fieldManager };
  return { ...cluster, lifetimeSeconds, renewBeforeSeconds };
}
