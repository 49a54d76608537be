import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn } from "../cluster-answers/answers.ts";

/** What is asked about Argo CD's objects. */
export const argoLists = ["projects", "applications", "applicationSets"] as const;

const names = z.array(z.string());

/** Refuses to change objects of Argo CD that something else has made. */
export const appsFree = task({
  name: "appsFree",
  summary: "Refuse to change objects of Argo CD that something else has made",
  params: z.strictObject({
    kubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
    argoNamespace: z.string().describe("Namespace of Argo CD"),
    fieldManager: z.string().describe("Name under which the cluster records what furrow owns"),
    adopt: z.boolean().describe("Take over objects that something else has made"),
    projects: names.describe("Names of the AppProjects"),
    applications: names.describe("Names of the Applications"),
    applicationSets: names.describe("Names of the ApplicationSets"),
  }),
  examples: [],
  title: () => "the objects of Argo CD are furrow's",
})
  .facts((p) => askCluster(p.kubeconfig, ...argoLists))
  .want((p, now) =>
    decideOn(now, argoLists, "who has made the objects of Argo CD", (seen) => {
      const problems = argoLists.flatMap((list) =>
        seen[list]
          .filter(({ name, namespace }) => namespace === p.argoNamespace && p[list].includes(name))
          .flatMap(({ name, owners, managers, isDeleted }) => {
            const what = `${kinds[list]} ${name}`;
            if (isDeleted) return [`${what} is being deleted`];
            // An owner would change it back, so it cannot be taken over.
            if (owners.length > 0) return [`${what} belongs to ${owners.join(", ")}`];
            return managers.includes(p.fieldManager) || p.adopt ? [] : [`${what} was not made by furrow`];
          }),
      );
      if (problems.length === 0) return {};
      return refuse({
        code: "other-owner",
        message: `these objects are not changed: ${problems.join("; ")}`,
        hint: "Choose other names, or set adopt: true to take over what was made by hand",
      });
    }),
  )
  .steps(() => []);

const kinds = { projects: "AppProject", applications: "Application", applicationSets: "ApplicationSet" } as const;
