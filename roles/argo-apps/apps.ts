import { seconds, z } from "../../src/authoring.ts";
import { withoutUrlSecrets } from "../../src/facts/catalogue.ts";

const nameForm = "a name of at most 52 characters: lower-case letters, digits and dashes";
const name = () => z.string().regex(/^[a-z0-9]([a-z0-9-]{0,50}[a-z0-9])?$/, nameForm);

const repoForm = "a URL without a user and password; Argo CD stores repository credentials elsewhere";

/** True if a URL has no user, password or token: everyone who can read the object in Argo CD could read them. */
const isOpen = (url: string): boolean => withoutUrlSecrets(url) === url;

/** Where an application's manifests are: a path in a Git repository, or a chart in a Helm repository. */
export const sourceSchema = z
  .strictObject({
    repo: z
      .string()
      .regex(/^[^\s@]+$|^git@[^\s]+$/, repoForm)
      .refine(isOpen, repoForm)
      .describe("URL of the Git or Helm repository"),
    path: z.string().min(1).optional().describe("Path in the Git repository"),
    chart: z.string().min(1).optional().describe("Name of the chart in the Helm repository"),
    revision: z.string().min(1).describe("Branch, tag or commit; for a chart, its version"),
    values: z.string().optional().describe("Values for Helm, as YAML text; everyone who can read the object sees them"),
  })
  .refine(({ path, chart }) => (path === undefined) !== (chart === undefined), "either path or chart");

/** The validated source of an application's manifests. */
export type Source = z.output<typeof sourceSchema>;

const policy = {
  project: name().describe("AppProject"),
  source: sourceSchema.describe("Where the manifests are"),
  namespace: name().describe("Namespace in the cluster for objects that do not specify one"),
  automated: z.boolean().default(true).describe("Whether Argo CD syncs automatically"),
  prune: z.boolean().default(false).describe("Whether Argo CD deletes what is no longer in the manifests"),
  selfHeal: z.boolean().default(false).describe("Whether Argo CD undoes changes made by others"),
  createNamespace: z.boolean().default(false).describe("Whether Argo CD creates the namespace"),
};

const application = z.strictObject({
  ...policy,
  cluster: z.string().min(1).describe("Name of the cluster in Argo CD; `in-cluster`: the one in which Argo CD runs"),
});

const applicationSet = z.strictObject({
  ...policy,
  clusterLabels: z
    .record(z.string(), z.string())
    .refine(
      (labels) => Object.keys(labels).length > 0,
      "at least one label: without one, every cluster would be selected",
    )
    .describe("Labels of the clusters in Argo CD; each gets an Application"),
});

const project = z.strictObject({
  description: z.string().default("").describe("Description"),
  repos: z
    .array(z.string().min(1).refine(isOpen, repoForm))
    .min(1)
    .describe("Repositories that applications of the project may use; `*`: any"),
  destinations: z
    .array(
      z.strictObject({
        cluster: z.string().min(1).describe("Name of the cluster in Argo CD; `*`: any"),
        namespace: z.string().min(1).describe("Namespace; `*`: any"),
      }),
    )
    .min(1)
    .describe("Where applications of the project may create objects"),
  clusterKinds: z
    .array(z.strictObject({ group: z.string(), kind: z.string().min(1) }))
    .default([])
    .describe("Cluster-scoped kinds that applications of the project may create; default: none"),
});

/** The projects and applications of a cluster in Argo CD. */
export const appsSchema = z
  .strictObject({
    kubeconfig: z.string().min(1).describe("Kubeconfig of the cluster in which Argo CD runs, on the controller"),
    argoNamespace: name().default("argocd").describe("Namespace of Argo CD"),
    fieldManager: z
      .string()
      .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
      .default("furrow-apps")
      .describe("Name under which the cluster records what furrow owns; do not change it"),
    adopt: z.boolean().default(false).describe("Take over objects with these names that something else has created"),
    acceptLoss: z
      .array(z.string().min(1))
      .default([])
      .describe("Applications of a set that Argo CD may delete when the set's selection changes, listed individually"),
    projects: z.record(name(), project).default({}).describe("AppProjects by name"),
    applicationSets: z
      .record(name(), applicationSet)
      .default({})
      .describe("ApplicationSets by name; each creates an Application for every cluster with the given labels"),
    applications: z.record(name(), application).default({}).describe("Applications by name"),
    deadlineSeconds: seconds()
      .default(600)
      .describe("Seconds within which all applications must be synced and healthy"),
  })
  .superRefine(({ projects, applications }, context) => {
    for (const [own, { project: of, cluster }] of Object.entries(applications)) {
      const clusters = (projects[of]?.destinations ?? []).map((one) => one.cluster);
      if (clusters.length === 0 || clusters.some((one) => mayMean(one, cluster))) continue;
      const path = ["applications", own, "cluster"];
      const message = `a cluster in the destinations of the project ${of}: ${[...new Set(clusters)].join(", ")}`;
      context.addIssue({ code: "custom", path, message });
    }
  });

/**
 * True if a project's destination is this cluster, or may match it. Argo CD allows patterns and exceptions (`!name`)
 * here, and only Argo CD evaluates them.
 */
function mayMean(destination: string, cluster: string): boolean {
  return destination === cluster || /[*?[\]{}!]/.test(destination);
}

/** The validated projects and applications of a cluster. */
export type Apps = z.output<typeof appsSchema>;
