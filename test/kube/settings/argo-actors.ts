import { type Actor, apply, read } from "../actors.ts";
import type { ApiServer } from "../server/api-server.ts";

interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly labels?: Readonly<Record<string, string>>;
}

interface Spec {
  readonly source: { readonly targetRevision: string };
  readonly destination: { readonly name: string; readonly namespace: string };
}

interface Application {
  readonly metadata: Metadata;
  readonly spec: Spec;
  readonly status?: { readonly sync?: { readonly comparedTo?: { readonly source?: object } } };
}

interface ApplicationSet {
  readonly metadata: Metadata;
  readonly spec: {
    readonly generators: readonly { clusters: { selector: { matchLabels: Readonly<Record<string, string>> } } }[];
    readonly template: { readonly metadata: { readonly name: string }; readonly spec: Spec };
  };
}

const place = "--namespace=argocd";

function change(server: ApiServer, kind: string, name: string, more: object): void {
  server.kubectl(["patch", kind, name, place, "--type=merge", `--patch=${JSON.stringify(more)}`]);
}

/**
 * Argo CD's application controller (controller/appcontroller.go): it compares each definition that it has not compared,
 * and syncs it. The revision `broken` cannot be read.
 */
export const applicationController: Actor = (server) => {
  const { items } = read(server, "applications", place) as { items: Application[] };
  for (const { metadata, spec, status } of items) {
    if (JSON.stringify(status?.sync?.comparedTo?.source) === JSON.stringify(spec.source)) continue;
    const comparedTo = { source: spec.source, destination: spec.destination };
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
 * generator: an Application for each cluster Secret with the labels.
 */
export const applicationSetController: Actor = (server, done) => {
  const { items } = read(server, "applicationsets", place) as { items: ApplicationSet[] };
  for (const { metadata, spec } of items) {
    const seen = `${metadata.uid} ${JSON.stringify(spec)}`;
    if (done.has(seen)) continue;
    done.add(seen);
    const labels = Object.entries(spec.generators[0]?.clusters.selector.matchLabels ?? {});
    const chosen = read(server, "secrets", place, `--selector=${labels.map((one) => one.join("=")).join()}`);
    for (const { metadata: secret } of (chosen as { items: Application[] }).items) {
      const text = JSON.stringify({ metadata: spec.template.metadata, spec: spec.template.spec });
      const made = JSON.parse(text.replaceAll(/\{\{\.(name|nameNormalized)\}\}/g, secret.name)) as Application;
      const owner = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", name: metadata.name };
      apply(server, {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        ...made,
        metadata: {
          ...made.metadata,
          namespace: "argocd",
          ownerReferences: [{ ...owner, uid: metadata.uid, controller: true }],
        },
      });
    }
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
