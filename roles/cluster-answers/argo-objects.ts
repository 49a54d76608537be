import { canonical, z } from "../../src/authoring.ts";

const name = z.string().min(1);
const text = z.string().default("");

/** The parts of an object's metadata that show what created it. */
const metadata = z.looseObject({
  name,
  namespace: name,
  deletionTimestamp: z.string().optional(),
  ownerReferences: z.array(z.looseObject({ kind: name, name })).default([]),
  managedFields: z.array(z.looseObject({ manager: text })).default([]),
});

function ownersOf({
  name: own,
  namespace,
  ownerReferences,
  managedFields,
  deletionTimestamp,
}: z.output<typeof metadata>) {
  return {
    name: own,
    namespace,
    /** What created the object, and would recreate it: `ApplicationSet monitoring`. */
    owners: ownerReferences.map((one) => `${one.kind} ${one.name}`),
    managers: managedFields.map(({ manager }) => manager),
    isDeleted: deletionTimestamp !== undefined,
  };
}

const condition = z.looseObject({ type: name, status: text, message: text });

const health = z.looseObject({ status: text, message: text }).default({ status: "", message: "" });

const resource = z.looseObject({ kind: text, name: text, namespace: text, status: text, health });

/** What Argo CD compares (ComparedTo in pkg/apis/application/v1alpha1/types.go). */
const comparedSchema = z.looseObject({
  source: z.unknown().optional(),
  sources: z.array(z.unknown()).default([]),
  destination: z.looseObject({ name: text, namespace: text, server: text }).prefault({}),
});

/** Argo CD writes an empty source next to several sources, and may add the server to a cluster's name. */
function comparable({ source, sources, destination }: z.output<typeof comparedSchema>): string {
  const { name: cluster, namespace, server } = destination;
  return canonical([sources.length > 0 ? sources : (source ?? null), cluster || server, namespace]);
}

const status = z
  .looseObject({
    sync: z
      .looseObject({
        status: text,
        revision: text,
        comparedTo: comparedSchema.prefault({}),
      })
      .prefault({}),
    health,
    conditions: z.array(condition).default([]),
    operationState: z
      .looseObject({ phase: text, message: text, syncResult: z.looseObject({ revision: text }).prefault({}) })
      .prefault({}),
    resources: z.array(resource).default([]),
  })
  .prefault({});

/** The phases of a sync that did not succeed. */
const failed: readonly string[] = ["Failed", "Error"];

function isPresent(synced: string, present: string): boolean {
  return synced === "" || present === "" || synced === present;
}

/**
 * An Application of Argo CD (pkg/apis/application/v1alpha1/types.go in argoproj/argo-cd, v2.14). An Application that
 * Argo CD has not processed yet has no status.
 */
export const applicationSchema = z
  .looseObject({
    metadata,
    spec: comparedSchema.extend({ project: text, syncPolicy: z.unknown().optional() }),
    operation: z.unknown().optional(),
    status,
  })
  .transform(({ metadata: own, spec, operation, status: is }) => ({
    ...ownersOf(own),
    spec,
    /** True while a sync is requested or has not ended. */
    isSyncing: operation !== undefined || ["Running", "Terminating"].includes(is.operationState.phase),
    /** True if the last sync failed, unless it is known to have synced a revision other than the current one. */
    isSyncFailed:
      failed.includes(is.operationState.phase) && isPresent(is.operationState.syncResult.revision, is.sync.revision),
    /** False while Argo CD's status refers to an earlier definition. */
    isCompared: comparable(spec) === comparable(is.sync.comparedTo),
    sync: is.sync.status,
    health: is.health.status,
    /** Argo CD's reasons, in its own words. */
    reasons: [
      ...is.conditions.filter(({ type }) => type.endsWith("Error")).map((one) => `${one.type}: ${one.message}`),
      ...(failed.includes(is.operationState.phase)
        ? [`the last sync ended with ${is.operationState.phase}: ${is.operationState.message}`]
        : []),
      ...is.resources
        .filter((one) => !["", "Healthy"].includes(one.health.status))
        .slice(0, 3)
        .map((one) => `${one.kind} ${one.namespace}/${one.name} is ${one.health.status}: ${one.health.message}`),
    ],
  }));

/** The parts of an Application that the guards use. */
export type ApplicationObject = z.output<typeof applicationSchema>;

/** The source of an ApplicationSet's Applications, and how the set names them, in a form that can be compared. */
export function choiceOf(goTemplate: boolean, generators: unknown, templateName: string): string {
  return canonical({ goTemplate, generators: generators ?? null, templateName });
}

/** An ApplicationSet of Argo CD (pkg/apis/application/v1alpha1/applicationset_types.go in argoproj/argo-cd, v2.14). */
export const applicationSetSchema = z
  .looseObject({
    metadata,
    spec: z.looseObject({
      goTemplate: z.boolean().default(false),
      generators: z.unknown().optional(),
      template: z
        .looseObject({ metadata: z.looseObject({ name: text }).prefault({}), spec: z.unknown().optional() })
        .prefault({}),
    }),
    status: z.looseObject({ conditions: z.array(condition).default([]) }).prefault({}),
  })
  .transform(({ metadata: own, spec: { goTemplate, generators, template }, status: { conditions } }) => ({
    ...ownersOf(own),
    /** The source of the set's Applications, and how the set names them, in a form that can be compared. */
    chooses: choiceOf(goTemplate, generators, template.metadata.name),
    /** The spec of the set's Applications, before Argo CD executes the templates in it. */
    template: template.spec,
    isUpToDate: conditions.some(({ type, status: is }) => type === "ResourcesUpToDate" && is === "True"),
    /** Why the set could not generate its Applications. */
    problem: conditions.find(({ type, status: is }) => type === "ErrorOccurred" && is === "True")?.message,
  }));

/** An AppProject of Argo CD (pkg/apis/application/v1alpha1/types.go in argoproj/argo-cd, v2.14). */
export const appProjectSchema = z
  .looseObject({ metadata, spec: z.looseObject({}) })
  .transform(({ metadata: own }) => ownersOf(own));
