import { choiceOf } from "../cluster-answers/argo-objects.ts";
import type { Apps, Source } from "./apps.ts";

const apiVersion = "argoproj.io/v1alpha1";

type Policy = Pick<
  Apps["applications"][string],
  "project" | "source" | "namespace" | "automated" | "prune" | "selfHeal" | "createNamespace"
>;

/** The source of an Application, as Argo CD writes it. */
export function sourceObject({ repo, path, chart, revision, values }: Source) {
  return {
    repoURL: repo,
    targetRevision: revision,
    ...(path !== undefined && { path }),
    ...(chart !== undefined && { chart }),
    ...(values !== undefined && { helm: { values } }),
  };
}

/** The destination is the cluster's name, not its server, because the projects use names too. */
function specOf(policy: Policy, cluster: string) {
  const { project, source, namespace, automated, prune, selfHeal, createNamespace } = policy;
  const syncPolicy = {
    ...(automated && { automated: { prune, selfHeal } }),
    ...(createNamespace && { syncOptions: ["CreateNamespace=true"] }),
  };
  return {
    project,
    source: sourceObject(source),
    destination: { name: cluster, namespace },
    ...(Object.keys(syncPolicy).length > 0 && { syncPolicy }),
  };
}

/** The projects as Argo CD's AppProjects. */
export function projectObjects({ argoNamespace, projects }: Apps) {
  return Object.entries(projects).map(([name, { description, repos, destinations, clusterKinds }]) => ({
    apiVersion,
    kind: "AppProject",
    metadata: { name, namespace: argoNamespace },
    spec: {
      ...(description !== "" && { description }),
      sourceRepos: repos,
      destinations: destinations.map(({ cluster, namespace }) => ({ name: cluster, namespace })),
      ...(clusterKinds.length > 0 && { clusterResourceWhitelist: clusterKinds }),
    },
  }));
}

/** The applications as Argo CD's Applications. */
export function applicationObjects({ argoNamespace, applications }: Apps) {
  return Object.entries(applications).map(([name, { cluster, ...policy }]) => ({
    apiVersion,
    kind: "Application",
    metadata: { name, namespace: argoNamespace },
    spec: specOf(policy, cluster),
  }));
}

/** The names of the applications, with the spec that each must have. */
export function specsOf(apps: Apps) {
  return applicationObjects(apps).map(({ metadata: { name }, spec }) => ({ name, spec }));
}

/**
 * The sets as ApplicationSets with Argo CD's cluster generator, which creates an Application NAME-CLUSTER for each
 * cluster that has the labels. The templates are Go templates, because Argo CD's older template language is deprecated
 * and ignores mistakes.
 *
 * Without a policy, Argo CD deletes an Application that its set no longer generates, with everything that it has
 * deployed (applicationset/controllers/applicationset_controller.go and applicationset/utils/utils.go in
 * argoproj/argo-cd, v2.14). `applicationsSync` has no effect if the controller was started with a policy of its own
 * (cmd/argocd-applicationset-controller); `preserveResourcesOnDeletion` always takes effect.
 */
export function applicationSetObjects({ argoNamespace, applicationSets }: Apps) {
  return Object.entries(applicationSets).map(([name, { clusterLabels, ...policy }]) => ({
    apiVersion,
    kind: "ApplicationSet",
    metadata: { name, namespace: argoNamespace },
    spec: {
      goTemplate: true,
      goTemplateOptions: ["missingkey=error"],
      generators: [{ clusters: { selector: { matchLabels: clusterLabels } } }],
      syncPolicy: { applicationsSync: "create-update", preserveResourcesOnDeletion: true },
      template: {
        metadata: { name: `${name}-{{.nameNormalized}}` },
        spec: templateOf(policy),
      },
    },
  }));
}

/**
 * The template of a set's Applications. Argo CD executes each string in it as a template, so braces in the vars are
 * escaped.
 */
function templateOf(policy: Policy) {
  const { source } = policy;
  const texts = Object.entries(source).map(([name, text]) => [name, text === undefined ? text : asPlainText(text)]);
  return specOf({ ...policy, source: Object.fromEntries(texts) as Source }, "{{.name}}");
}

/** Escapes a string so that Go's text/template prints it unchanged. */
function asPlainText(text: string): string {
  return text.replaceAll("{{", '{{"{{"}}');
}

/** The spec of a set's Applications, without the name of the cluster, which differs for each of them. */
export function renderedSpec(policy: Policy) {
  return specOf(policy, "");
}

/** The source of each set's Applications, in a form that can be compared with the sets in Argo CD. */
export function choicesOf(sets: ReturnType<typeof applicationSetObjects>) {
  return sets.map(({ metadata: { name }, spec: { goTemplate, generators, template } }) => ({
    name,
    chooses: choiceOf(goTemplate, generators, template.metadata.name),
    spec: template.spec,
  }));
}
