import { canonical, refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import type { ApplicationObject } from "../cluster-answers/argo-objects.ts";
import { foreignFields } from "./foreign-fields.ts";

const lists = ["applications", "applicationSets"] as const;

const spec = z.record(z.string(), z.json());

const params = z.strictObject({
  kubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
  argoNamespace: z.string().describe("Namespace of Argo CD"),
  applications: z.array(z.strictObject({ name: z.string(), spec })).describe("Applications, with their spec"),
  sets: z
    .array(z.strictObject({ name: z.string(), labels: z.string(), spec }))
    .describe("ApplicationSets, with the labels of their clusters, and the spec of their Applications"),
  intervalSeconds: seconds().default(3).describe("Seconds between two checks"),
  deadlineSeconds: seconds().default(600).describe("Seconds after which the wait fails"),
});

/** Waits until applications are synced and healthy; if the wait fails, gives Argo CD's reasons. */
export const appsHealthy = task({
  name: "appsHealthy",
  summary: "Wait until Argo CD's applications are synced and healthy",
  params,
  examples: [],
  title: () => "the applications are synced and healthy",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((p, now) =>
    decideOn(now, lists, "whether the applications are synced and healthy", (seen) => {
      const problems = problemsIn(p, seen);
      if (problems.length === 0) return {};
      return refuse({
        code: "not-healthy",
        message: problems.join("; "),
        hint: `See the applications in Argo CD: kubectl get applications --namespace ${p.argoNamespace}`,
      });
    }),
  )
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: "Argo CD's applications to be synced and healthy",
  }))
  .notes((p, now) => {
    const decision = decideOn(now, lists, "", (seen) => ownApplications(p, seen).map(({ name }) => name));
    return Array.isArray(decision) && decision.length > 0 ? [`applications: ${decision.toSorted().join(", ")}`] : [];
  });

type Params = z.output<typeof params>;
type Cluster = Seen<(typeof lists)[number]>;

function ownApplications(p: Params, { applications }: Cluster): ApplicationObject[] {
  const owners = p.sets.map(({ name }) => `ApplicationSet ${name}`);
  return applications.filter(
    ({ name, namespace, owners: own }) =>
      namespace === p.argoNamespace &&
      (p.applications.some((one) => one.name === name) || own.some((one) => owners.includes(one))),
  );
}

function problemsIn(p: Params, seen: Cluster): string[] {
  const own = ownApplications(p, seen);
  return [
    ...p.applications.flatMap((wanted) => {
      const one = own.find(({ name }) => name === wanted.name);
      return one === undefined ? [`Application ${wanted.name} does not exist`] : specProblems(one, wanted.spec);
    }),
    ...p.sets.flatMap((set) => setProblems(p, set, seen)),
    ...own.flatMap(applicationProblems),
  ];
}

function setProblems(p: Params, { name, labels, spec }: Params["sets"][number], seen: Cluster): string[] {
  const set = seen.applicationSets.find((one) => one.name === name && one.namespace === p.argoNamespace);
  if (set === undefined) return [`ApplicationSet ${name} does not exist`];
  if (set.problem !== undefined) return [`ApplicationSet ${name}: ${set.problem}`];
  const made = seen.applications.filter(({ owners }) => owners.includes(`ApplicationSet ${name}`));
  if (!set.isUpToDate) return [`ApplicationSet ${name} has not created its Applications yet`];
  if (made.length === 0) return [`ApplicationSet ${name} selects no cluster: no cluster in Argo CD has ${labels}`];
  const old = made.filter((one) => specText(one.spec) !== specText(spec));
  return old.map((one) => `ApplicationSet ${name} has not updated Application ${one.name} yet`);
}

/**
 * The reasons why an Application's status says nothing about the spec in the playbook: the Application has a different
 * spec.
 */
function specProblems({ name, spec: is, isDeleted }: ApplicationObject, wanted: unknown): string[] {
  if (isDeleted || (specText(is) === specText(wanted) && is.destination.name === clusterIn(wanted))) return [];
  const fields = foreignFields(is, wanted);
  const differs =
    fields.length > 0 ? `has ${fields.join(", ")}, which the playbook does not set` : "has a different spec";
  return [`Application ${name} ${differs}, so Argo CD does not deploy what the playbook says`];
}

function clusterIn(wanted: unknown): string | undefined {
  return specSchema.safeParse(wanted).data?.destination.name;
}

const text = z.string().default("");

const specSchema = z.looseObject({
  project: z.string().default(""),
  source: z.unknown().optional(),
  sources: z.array(z.unknown()).default([]),
  sourceHydrator: z.unknown().optional(),
  destination: z.looseObject({ name: text, namespace: text, server: text }).prefault({}),
  syncPolicy: z
    .looseObject({
      automated: z.looseObject({ prune: z.boolean().default(false), selfHeal: z.boolean().default(false) }).nullish(),
      syncOptions: z.array(z.string()).default([]),
    })
    .prefault({}),
});

/**
 * The fields that the set's template determines, without the cluster's name, which differs for each Application. Argo
 * CD leaves out fields that are false.
 */
function specText(spec: unknown): string {
  const { data } = specSchema.safeParse(spec);
  const { automated, syncOptions } = data?.syncPolicy ?? {};
  return canonical({
    project: data?.project ?? null,
    source: data?.source ?? null,
    others: [data?.sources ?? null, data?.sourceHydrator ?? null],
    namespace: data?.destination.namespace ?? null,
    server: data?.destination.server ?? null,
    automated: automated ? [automated.prune, automated.selfHeal] : null,
    syncOptions: syncOptions ?? null,
  });
}

function applicationProblems(one: ApplicationObject): string[] {
  const { name, isDeleted, isCompared, isSyncing, isSyncFailed, sync, health, reasons } = one;
  if (isDeleted) return [`Application ${name} is being deleted`];
  if (!isCompared && reasons.length === 0)
    return [`Argo CD has not processed the current version of Application ${name}`];
  const isGood = isCompared && sync === "Synced" && health === "Healthy";
  if (isGood && isSyncing) return [`the sync of Application ${name} has not ended`];
  if (isGood && !isSyncFailed) return [];
  const is = [sync || "not compared", health || "its health is unknown"].join(", ");
  return [`Application ${name} is ${is}${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`];
}
