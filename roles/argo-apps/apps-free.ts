import { refuse, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import { foreignFields } from "./foreign-fields.ts";

/** The lists of Argo CD's objects that this task reads. */
export const argoLists = ["projects", "applications", "applicationSets"] as const;

const names = z.array(z.string());
const spec = z.record(z.string(), z.json());

const params = z.strictObject({
  kubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
  argoNamespace: z.string().describe("Namespace of Argo CD"),
  fieldManager: z.string().describe("Name under which the cluster records what furrow owns"),
  adopt: z.boolean().describe("Take over objects that something else has created"),
  projects: names.describe("Names of the AppProjects"),
  applications: z.array(z.strictObject({ name: z.string(), spec })).describe("Applications, with their spec"),
  applicationSets: z
    .array(z.strictObject({ name: z.string(), chooses: z.string(), spec }))
    .describe("ApplicationSets, with the source and the spec of their Applications"),
  acceptLoss: names.describe("Names of Applications that Argo CD may delete"),
});

/**
 * Refuses to change objects of Argo CD that something else has created, and to change a set's selection while the set
 * has Applications: Argo CD may delete those that the set no longer generates.
 */
export const appsFree = task({
  name: "appsFree",
  summary: "Refuse to change objects of Argo CD that something else has created",
  params,
  examples: [],
  title: () => "nobody else manages the objects of Argo CD",
})
  .facts((p) => askCluster(p.kubeconfig, ...argoLists))
  .want((p, now) =>
    decideOn(now, argoLists, "who created the objects of Argo CD", (seen) => {
      const problems = argoLists.flatMap((list) =>
        seen[list]
          .filter(({ name, namespace }) => namespace === p.argoNamespace && namesIn(p)[list].includes(name))
          .flatMap(({ name, owners, managers, isDeleted }) => {
            const what = `${kinds[list]} ${name}`;
            if (isDeleted) return [`${what} is being deleted`];
            // The owner would undo every change, so the object cannot be taken over.
            if (owners.length > 0) return [`${what} belongs to ${owners.join(", ")}`];
            return managers.includes(p.fieldManager) || p.adopt ? [] : [`${what} was not created by furrow`];
          }),
      );
      if (problems.length > 0)
        return refuse({
          code: "other-owner",
          message: `these objects are not changed: ${problems.join("; ")}`,
          hint: "Choose other names, or set adopt: true to take over objects that were created by hand",
        });
      const foreign = foreignIn(p, seen);
      if (foreign.length > 0)
        return refuse({
          code: "other-owner",
          message: `these objects cannot be adopted: ${foreign.join("; ")}`,
          hint: "Remove these fields with kubectl edit, so that Argo CD deploys what the playbook says, or choose other names",
        });
      const lost = lostIn(p, seen);
      if (lost.length === 0) return {};
      return refuse({
        code: "would-be-deleted",
        message: lost
          .map(
            ({ set, applications }) =>
              `ApplicationSet ${set} would select different clusters, or name its Applications differently; Argo CD may then ` +
              `delete ${applications.join(", ")} with everything that was deployed`,
          )
          .join("; "),
        hint: `Leave the set unchanged in Argo CD, or list each Application that may be deleted: acceptLoss: ${JSON.stringify(lost.flatMap(({ applications }) => applications))}`,
      });
    }),
  )
  .steps(() => []);

const kinds = { projects: "AppProject", applications: "Application", applicationSets: "ApplicationSet" } as const;

type Params = z.output<typeof params>;

function namesIn({ projects, applications, applicationSets }: Params) {
  const namesOf = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name);
  return { projects, applications: namesOf(applications), applicationSets: namesOf(applicationSets) };
}

/** The objects to adopt whose own fields would change what the playbook's fields mean. */
function foreignIn(p: Params, seen: Seen<(typeof argoLists)[number]>): string[] {
  return (["applications", "applicationSets"] as const).flatMap((list) =>
    p[list].flatMap(({ name, spec: wanted }) =>
      seen[list]
        .filter((one) => one.name === name && one.namespace === p.argoNamespace)
        .filter(({ managers }) => !managers.includes(p.fieldManager))
        .map((one) => foreignFields("template" in one ? one.template : one.spec, wanted))
        .filter((fields) => fields.length > 0)
        .map((fields) => `${kinds[list]} ${name} has ${fields.join(", ")}, which the playbook does not set`),
    ),
  );
}

/** The Applications of the sets whose selection would change, except for those whose loss the user has accepted. */
function lostIn(p: Params, { applications, applicationSets }: Seen<(typeof argoLists)[number]>) {
  return p.applicationSets
    .filter(({ name, chooses }) =>
      applicationSets.some((one) => one.name === name && one.namespace === p.argoNamespace && one.chooses !== chooses),
    )
    .map(({ name }) => ({
      set: name,
      applications: applications
        .filter(({ namespace, owners }) => namespace === p.argoNamespace && owners.includes(`ApplicationSet ${name}`))
        .map((one) => one.name)
        .filter((one) => !p.acceptLoss.includes(one))
        .toSorted(),
    }))
    .filter((one) => one.applications.length > 0);
}
