import { refuse, task, z } from "../../src/authoring.ts";
import {
  accountIdentity,
  type ArgoCluster,
  argoCluster,
  argoClusterLabel,
  argoClustersFacts,
  type ArgoClusterQuestion,
  argoRegister,
  missingKubeconfigHint,
} from "../../src/facts/catalogue.ts";

const params = z.strictObject({
  argoKubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
  argoNamespace: z.string().describe("Namespace of Argo CD"),
  kubeconfig: z.string().describe("Kubeconfig of the cluster to register"),
  secret: z.string().describe("Name of the Secret"),
  name: z.string().describe("Name of the cluster in Argo CD"),
  server: z.string().describe("URL at which Argo CD reaches the cluster's API"),
  labels: z.record(z.string(), z.string()).describe("Labels of the Secret"),
  account: z.strictObject({ namespace: z.string(), name: z.string() }).describe("ServiceAccount of Argo CD"),
  lifetimeSeconds: z.int().describe("Requested lifetime of a token in seconds"),
  renewBeforeSeconds: z.int().describe("The token is replaced this many seconds before it expires"),
  fieldManager: z.string().describe("Name under which Argo CD's cluster records what furrow owns"),
  adopt: z.boolean().describe("Take over a Secret that something else has created"),
  acceptLoss: z.array(z.string()).describe("Names of Applications that may lose their cluster, or be deleted"),
});

/**
 * Maintains a cluster's Secret in Argo CD, with a token that the cluster accepts and that does not expire soon. The
 * token passes from one cluster to the other inside the driver, and appears in no fact, step or output.
 */
export const registeredWithArgo = task({
  name: "registeredWithArgo",
  summary: "Keep a cluster registered with Argo CD",
  params,
  examples: [],
  mayProvide: () => argoClustersFacts,
  title: ({ name, argoNamespace }) => `${name} is registered with Argo CD in ${argoNamespace}`,
})
  .facts((p) => ({ cluster: argoCluster(questionOf(p)) }))
  .want((p, { cluster }) => {
    if ("error" in cluster)
      return refuse({
        code: "cluster-not-seen",
        message: `cannot tell what Argo CD knows about ${p.name}: ${cluster.error.where} does not answer as expected (${cluster.error.message})`,
        hint:
          cluster.error.code === "no-kubeconfig"
            ? missingKubeconfigHint
            : "Check both kubeconfigs and the permissions of their users",
      });
    if (cluster.others.length > 0)
      return refuse({
        code: "registered-twice",
        message: `Argo CD already has ${p.name} or ${p.server} in ${cluster.others.join(", ")}, and would mix up the two`,
        hint: `Keep that Secret: set secret: ${cluster.others[0]} and adopt: true, and use the name and server that Argo CD has. Or delete it`,
      });
    if (cluster.found && !cluster.isOwn && !p.adopt)
      return refuse({
        code: "other-owner",
        message: `the Secret ${p.secret} in ${p.argoNamespace} was not created by furrow`,
        hint: "Choose another secret, or set adopt: true to take it over",
      });
    const moved = cluster.found ? movesOf(p, cluster) : [];
    if (cluster.found && !cluster.isOwn && moved.length > 0)
      return refuse({
        code: "other-cluster",
        message: `the Secret ${p.secret} in ${p.argoNamespace} is not taken over, because that would change ${moved.join(" and ")}: applications would lose their cluster`,
        hint: `Take it over as it is, with name: ${cluster.name} and server: ${cluster.server}; a later run may change them`,
      });
    const lost = cluster.found ? cluster.atRisk.filter((one) => !p.acceptLoss.includes(one)) : [];
    if (cluster.found && lost.length > 0)
      return refuse({
        code: "applications-at-risk",
        message: `this change to ${p.name} in Argo CD (${[...moved, ...labelsOf(p, cluster)].join(", ")}) can make these applications lose their cluster; those that an ApplicationSet created may be deleted with everything that they deployed: ${lost.join(", ")}`,
        hint: `Leave it as it is in Argo CD, or list the applications: acceptLoss: ${JSON.stringify(lost)}`,
      });
    return {
      cluster: {
        found: true as const,
        isOwn: true,
        name: p.name,
        server: p.server,
        labels: { ...p.labels, [argoClusterLabel]: "cluster" },
        // Removing a label is a change too.
        ownLabels: Object.keys({ ...p.labels, [argoClusterLabel]: "cluster" }).toSorted(),
        tls: "expected" as const,
        identity: accountIdentity(p.account),
        renewalDue: false,
      },
    };
  })
  .steps((p, { change }) => [change.cluster && argoRegister(questionOf(p))])
  .notes((p, { cluster }) => {
    if (!("found" in cluster) || !cluster.found || cluster.renewalDue) return [];
    const before = `a run within ${hours(p.renewBeforeSeconds)} before`;
    // In check mode, a token that does not exist yet has no expiry time.
    const { expires } = cluster as Partial<Known>;
    if (expires === undefined)
      return [
        `Argo CD gets a token for ${p.name} for ${hours(p.lifetimeSeconds)}, unless the cluster issues a shorter one; ${before} it expires replaces it`,
      ];
    return expires === "" ? [] : [`Argo CD's token for ${p.name} expires at ${expires}; ${before} then replaces it`];
  });

/** `240 h`. */
function hours(seconds: number): string {
  return `${seconds / 3600} h`;
}

type Params = z.output<typeof params>;
type Known = Extract<ArgoCluster, { readonly found: true }>;

/** The changes to the cluster's identity in Argo CD: `the name harvester-1`. */
function movesOf(p: Params, { name, server }: Known): string[] {
  const bare = (url: string): string => url.replace(/\/+$/, "");
  return [
    ...(name !== "" && name !== p.name ? [`the name ${name}`] : []),
    ...(server !== "" && bare(server) !== bare(p.server) ? [`the server ${server}`] : []),
  ];
}

/** The labels that would be removed or given another value: `tier=lab`. */
function labelsOf(p: Params, { labels, ownLabels }: Known): string[] {
  const wanted: Readonly<Record<string, string>> = { ...p.labels, [argoClusterLabel]: "cluster" };
  return Object.entries(labels)
    .filter(([label, value]) => (label in wanted ? wanted[label] !== value : ownLabels.includes(label)))
    .map(([label, value]) => `the label ${label}=${value}`);
}

function questionOf(p: z.output<typeof params>): ArgoClusterQuestion {
  const { argoKubeconfig, argoNamespace, kubeconfig, secret, name, server, labels, account, fieldManager } = p;
  const { lifetimeSeconds, renewBeforeSeconds } = p;
  const cluster = { argoKubeconfig, argoNamespace, kubeconfig, secret, name, server, labels, account, fieldManager };
  return { ...cluster, lifetimeSeconds, renewBeforeSeconds };
}
