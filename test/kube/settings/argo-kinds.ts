/**
 * The kinds of Argo CD as definitions for a real API server: the fields that furrow uses and those that the kinds
 * require, from manifests/crds/{application,applicationset,appproject}-crd.yaml in argoproj/argo-cd (commits 18f0d575,
 * a5d05afb and 1b0b389b). Only ApplicationSet has a status subresource.
 */
const text = { type: "string" };
const flag = { type: "boolean" };
const list = (items: object): object => ({ type: "array", items });
const object = (properties: object, required: string[] = []): object => ({
  type: "object",
  properties,
  ...(required.length > 0 && { required }),
});

const source = object(
  {
    repoURL: text,
    path: text,
    chart: text,
    targetRevision: text,
    helm: object({ values: text, releaseName: text }),
  },
  ["repoURL"],
);

const destination = object({ name: text, namespace: text, server: text });

const spec = object(
  {
    destination,
    project: text,
    source,
    sources: list(source),
    syncPolicy: object({
      automated: object({ prune: flag, selfHeal: flag, allowEmpty: flag }),
      syncOptions: list(text),
    }),
  },
  ["destination", "project"],
);

const health = object({ status: text, message: text, lastTransitionTime: text });

const status = object({
  conditions: list(object({ type: text, message: text, lastTransitionTime: text }, ["message", "type"])),
  health,
  operationState: object({ phase: text, message: text, startedAt: text, operation: object({}) }, [
    "operation",
    "phase",
    "startedAt",
  ]),
  reconciledAt: text,
  resources: list(object({ kind: text, name: text, namespace: text, status: text, health })),
  sync: object({ status: text, revision: text, comparedTo: object({ source, destination }, ["destination"]) }, [
    "status",
  ]),
});

const applicationSetSpec = object(
  {
    goTemplate: flag,
    goTemplateOptions: list(text),
    syncPolicy: object({
      applicationsSync: { type: "string", enum: ["create-only", "create-update", "create-delete", "sync"] },
      preserveResourcesOnDeletion: flag,
    }),
    generators: list(
      object({
        clusters: object({
          selector: object({ matchLabels: { type: "object", additionalProperties: text } }),
          values: { type: "object", additionalProperties: text },
        }),
      }),
    ),
    template: object(
      {
        metadata: object({ name: text, namespace: text, labels: { type: "object", additionalProperties: text } }),
        spec,
      },
      ["metadata", "spec"],
    ),
  },
  ["generators", "template"],
);

const applicationSetStatus = object({
  conditions: list(
    object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text }, [
      "message",
      "reason",
      "status",
      "type",
    ]),
  ),
});

const projectSpec = object({
  description: text,
  sourceRepos: list(text),
  destinations: list(destination),
  clusterResourceWhitelist: list(object({ group: text, kind: text }, ["group", "kind"])),
});

function definition(kind: string, schema: object, hasStatus = false): object {
  const plural = `${kind.toLowerCase()}s`;
  const version = { name: "v1alpha1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.argoproj.io` },
    spec: {
      group: "argoproj.io",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ ...version, ...(hasStatus && { subresources: { status: {} } }) }],
    },
  };
}

/** The definitions of Application, ApplicationSet and AppProject. */
export const argoKinds: readonly object[] = [
  definition("Application", object({ spec, status }, ["metadata", "spec"])),
  definition(
    "ApplicationSet",
    object({ spec: applicationSetSpec, status: applicationSetStatus }, ["metadata", "spec"]),
    true,
  ),
  definition("AppProject", object({ spec: projectSpec, status: object({}) }, ["metadata", "spec"])),
];
