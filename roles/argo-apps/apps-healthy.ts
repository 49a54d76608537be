import { canonical, refuse, seconds, task, z } from "../../src/authoring.ts";
import { askCluster, decideOn, type Seen } from "../cluster-answers/answers.ts";
import type { ApplicationObject } from "../cluster-answers/argo-objects.ts";

const lists = ["applications", "applicationSets"] as const;

const params = z.strictObject({
  kubeconfig: z.string().describe("Kubeconfig of the cluster in which Argo CD runs"),
  argoNamespace: z.string().describe("Namespace of Argo CD"),
  applications: z.array(z.string()).describe("Names of the Applications"),
  sets: z
    .array(z.strictObject({ name: z.string(), labels: z.string(), spec: z.record(z.string(), z.json()) }))
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
      namespace === p.argoNamespace && (p.applications.includes(name) || own.some((one) => owners.includes(one))),
  );
}

function problemsIn(p: Params, seen: Cluster): string[] {
  const own = ownApplications(p, seen);
  const missing = p.applications.filter((name) => !own.some((one) => one.name === name));
  return [
    ...missing.map((name) => `Application ${name} does not exist`),
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

const specSchema = z.looseObject({
  project: z.string().default(""),
  source: z.unknown().optional(),
  destination: z.looseObject({ namespace: z.string().default("") }).prefault({}),
  syncPolicy: z
    .looseObject({
      automated: z.looseObject({ prune: z.boolean().default(false), selfHeal: z.boolean().default(false) }).nullish(),
      syncOptions: z.array(z.string()).default([]),
    })
    .prefault({}),
});

/**
 * The fields that the set's template determines, without the name of the cluster, which differs for each. Argo CD leaves
 * out fields that are false.
 */
function specText(spec: unknown): string {
  const { data } = specSchema.safeParse(spec);
  const { automated, syncOptions } = data?.syncPolicy ?? {};
  return canonical({
    project: data?.project ?? null,
    source: data?.source ?? null,
    namespace: data?.destination.namespace ?? null,
    automated: automated ? [automated.prune, automated.selfHeal] : null,
    syncOptions: syncOptions ?? null,
  });
}

function applicationProblems({ name, isDeleted, isCompared, sync, health, reasons }: ApplicationObject): string[] {
  if (isDeleted) return [`Application ${name} is being deleted`];
  if (!isCompared && reasons.length === 0)
    return [`Argo CD has not processed the current version of Application ${name}`];
  if (isCompared && sync === "Synced" && health === "Healthy") return [];
  const is = [sync || "not compared", health || "its health is unknown"].join(", ");
  return [`Application ${name} is ${is}${reasons.length === 0 ? "" : ` (${reasons.join("; ")})`}`];
}
