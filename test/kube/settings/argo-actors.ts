import { type Actor, apply, read } from "../actors.ts";
import type { ApiServer } from "../server/api-server.ts";

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string }[];
}

interface Spec {
  readonly source: { readonly targetRevision: string };
  readonly destination: { readonly name: string; readonly namespace: string };
}

interface Application {
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: {
    readonly sync?: { readonly comparedTo?: { readonly source?: object; readonly destination?: object } };
  };
}

interface ApplicationSet {
  readonly metadata: Metadata;
  readonly spec: {
    readonly syncPolicy?: { readonly applicationsSync?: string; readonly preserveResourcesOnDeletion?: boolean };
    readonly generators: readonly { clusters: { selector: { matchLabels: Readonly<Record<string, string>> } } }[];
    readonly template: { readonly metadata: { readonly name: string }; readonly spec: Spec };
  };
}

const place = "--namespace=argocd";
const finalizer = "resources-finalizer.argocd.argoproj.io";

function change(server: ApiServer, kind: string, name: string, more: object): void {
  server.kubectl(["patch", kind, name, place, "--type=merge", `--patch=${JSON.stringify(more)}`]);
}

/**
 * Argo CD's application controller (controller/appcontroller.go): it compares and syncs each definition that it has not
 * compared yet. The revision `broken` cannot be read. Deleting an Application that has a finalizer also deletes what it
 * has deployed.
 */
export const applicationController: Actor = (server) => {
  const { items } = read(server, "applications", place) as { items: Application[] };
  for (const { metadata, spec, status } of items) {
    if (metadata.deletionTimestamp !== undefined) {
      // Argo CD first deletes what the Application has deployed; here, that is the ConfigMap with the Application's
      // name.
      if (metadata.finalizers?.includes(finalizer))
        server.kubectl(["delete", "configmap", metadata.name, place, "--ignore-not-found"]);
      change(server, "application", metadata.name, { metadata: { finalizers: [] } });
      continue;
    }
    const comparedTo = { source: spec.source, destination: spec.destination };
    const { source, destination } = status?.sync?.comparedTo ?? {};
    if (JSON.stringify({ source, destination }) === JSON.stringify(comparedTo)) continue;
    const isBroken = spec.source.targetRevision === "broken";
    const message = "failed to list refs: repository not found";
    change(server, "application", metadata.name, {
      status: isBroken
        ? {
            sync: { status: "Unknown", comparedTo },
            health: { status: "Healthy" },
            conditions: [{ type: "ComparisonError", message }],
          }
        : {
            sync: { status: "Synced", comparedTo },
            health: { status: "Healthy" },
            conditions: [],
          },
    });
  }
};

/**
 * Argo CD's ApplicationSet controller (applicationset/controllers/applicationset_controller.go) with its cluster
 * generator: an Application for each cluster Secret with the labels. It deletes the set's other Applications, unless
 * the set's policy forbids that; with a finalizer, their objects are deleted too (applicationset/utils/utils.go).
 */
export const applicationSetController: Actor = (server, done) => {
  const { items } = read(server, "applicationsets", place) as { items: ApplicationSet[] };
  for (const { metadata, spec } of items) {
    const labels = Object.entries(spec.generators[0]?.clusters.selector.matchLabels ?? {});
    const chosen = read(server, "secrets", place, `--selector=${labels.map((one) => one.join("=")).join()}`);
    const clusters = (chosen as { items: Application[] }).items.map((one) => one.metadata.name);
    const all = (read(server, "applications", place) as { items: Application[] }).items.map((one) => one.metadata);
    const own = all.filter(({ ownerReferences }) => ownerReferences?.some(({ uid }) => uid === metadata.uid));
    // The controller also watches the Secrets and the set's Applications: a deleted Application is recreated.
    const seen = `${metadata.uid} ${JSON.stringify([spec, clusters, own.map(({ name }) => name)])}`;
    if (done.has(seen)) continue;
    // A set may return to an earlier choice of clusters.
    for (const old of [...done].filter((one) => one.startsWith(metadata.uid))) done.delete(old);
    done.add(seen);
    const { applicationsSync = "sync", preserveResourcesOnDeletion = false } = spec.syncPolicy ?? {};
    const made = clusters.map((cluster) => {
      const text = JSON.stringify({ metadata: spec.template.metadata, spec: spec.template.spec });
      return JSON.parse(text.replaceAll(/\{\{\.(name|nameNormalized)\}\}/g, cluster)) as Application;
    });
    const owner = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", name: metadata.name };
    for (const one of made)
      apply(server, {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        ...one,
        metadata: {
          ...one.metadata,
          namespace: "argocd",
          finalizers: preserveResourcesOnDeletion ? [] : [finalizer],
          ownerReferences: [{ ...owner, uid: metadata.uid, controller: true }],
        },
      });
    if (["sync", "create-delete"].includes(applicationsSync))
      for (const { name } of own.filter((one) => !made.some(({ metadata: { name: kept } }) => kept === one.name)))
        server.kubectl(["delete", "application", name, place, "--wait=false"]);
    const set = read(server, "applicationset", metadata.name, place) as object;
    const condition = {
      status: "True",
      reason: "ApplicationSetUpToDate",
      message: "All applications have been generated",
    };
    const conditions = [{ type: "ResourcesUpToDate", ...condition }];
    const path = `/apis/argoproj.io/v1alpha1/namespaces/argocd/applicationsets/${metadata.name}/status`;
    server.kubectl(["replace", "--raw", path, "--filename=-"], JSON.stringify({ ...set, status: { conditions } }));
  }
};
