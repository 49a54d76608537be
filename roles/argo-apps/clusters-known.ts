import { refuse, task, z } from "../../src/authoring.ts";
import { argoClusters } from "../../src/facts/catalogue.ts";

/** The name that Argo CD gives the cluster in which it runs, if no Secret gives it another one. */
const inCluster = "in-cluster";

/** Refuses applications for clusters that are not registered with Argo CD: it would never sync them. */
export const clustersKnown = task({
  name: "clustersKnown",
  summary: "Refuse applications for clusters that are not registered with Argo CD",
  params: z.strictObject({
    kubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
    argoNamespace: z.string().describe("Namespace of Argo CD"),
    applications: z
      .array(z.strictObject({ name: z.string(), cluster: z.string() }))
      .describe("Applications, each with its cluster"),
  }),
  examples: [],
  title: () => "the applications' clusters are registered with Argo CD",
})
  .facts((p) => ({ clusters: argoClusters(p.kubeconfig, p.argoNamespace) }))
  .want((p, { clusters }) => {
    // A user who may not read Secrets may still manage applications.
    if ("error" in clusters) return {};
    const unknown = p.applications.filter(({ cluster }) => cluster !== inCluster && !clusters.names.includes(cluster));
    if (unknown.length === 0) return {};
    return refuse({
      code: "cluster-unknown",
      message: `these clusters are not registered with Argo CD: ${unknown.map(({ name, cluster }) => `${cluster} (application ${name})`).join(", ")}`,
      current: `registered: ${[inCluster, ...clusters.names.filter((one) => one !== inCluster)].join(", ")}`,
      hint: "Correct the name, or register the cluster first, with gitops/register",
    });
  })
  .steps(() => [])
  .notes((_p, { clusters }) =>
    "error" in clusters
      ? [`cannot tell whether the applications' clusters are registered with Argo CD (${clusters.error.message})`]
      : [],
  );
