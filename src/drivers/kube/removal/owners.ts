import { isRecord } from "../../../core/facts/symbols.ts";
import { kubeName, type KubeProblem } from "../../../facts/controller/kube-object.ts";
import { entryOf, type LiveObject, type ManagedFields, othersOf } from "../live-object.ts";
import type { Sent } from "../view.ts";

/** The names of tools that manage whole objects and would re-create a deleted one. */
const keepers = /^(helm|argocd|argo-cd|flux|kustomize-controller|helm-controller|fleet|rancher)/i;

/** The labels and annotations that tools put on their own objects, and the tools' names. */
const marks: Readonly<Record<string, string>> = {
  "meta.helm.sh/release-name": "Helm",
  "argocd.argoproj.io/tracking-id": "Argo CD",
  "argocd.argoproj.io/instance": "Argo CD",
  "kustomize.toolkit.fluxcd.io/name": "Flux",
  "helm.toolkit.fluxcd.io/name": "Flux",
  "objectset.rio.cattle.io/id": "Rancher",
};

/** Kinds that consist of little more than metadata. The cluster itself adds everything else. */
const bare: ReadonlySet<string> = new Set(["Namespace", "ServiceAccount"]);

/** Why the object does not belong to this playbook alone; undefined if nobody else claims it. */
export function ownersProblem({ object, fieldManager }: Sent, live: LiveObject): KubeProblem | undefined {
  const { labels, annotations, ownerReferences } = live.metadata;
  const controllers = ownerReferences.map(({ kind, name }) => `the ${kind} ${name}`);
  const marked = Object.keys({ ...labels, ...annotations }).flatMap((name) => marks[name] ?? []);
  const managedBy = labels["app.kubernetes.io/managed-by"];
  const own = entryOf(live, fieldManager);
  const onlyMetadata =
    own !== undefined && contentIn(own).length === 0 && !(object.apiVersion === "v1" && bare.has(object.kind));
  const foreign = othersOf(live, fieldManager).filter(
    (other) =>
      own === undefined ||
      other.operation === "Apply" ||
      keepers.test(other.manager) ||
      (onlyMetadata && contentIn(other).length > 0),
  );
  const owners = [
    ...controllers,
    ...marked,
    ...(managedBy !== undefined && managedBy !== fieldManager ? [managedBy] : []),
    ...foreign.map((other) => managerText(other, fieldManager, onlyMetadata)),
  ];
  if (owners.length === 0) return own === undefined ? unknownOwner(object, live) : undefined;
  const isNamesake = foreign.some(({ manager }) => manager === fieldManager);
  const who = `${fieldManager}${isNamesake ? " (operation Apply)" : ""}`;
  return {
    code: "owned-by-others",
    message:
      `${kubeName(object)} belongs to ${[...new Set(owners)].join(", ")}, ` +
      (own === undefined ? `not to ${who}` : `not only to ${who}${onlyMetadata ? ", which owns only metadata" : ""}`),
    hint: "Remove it with the tool that owns it, or set force: true to delete it anyway",
  };
}

/** Without any manager, an object with content could belong to anyone. Someone may have removed its managers. */
function unknownOwner(object: Sent["object"], live: LiveObject): KubeProblem | undefined {
  const isEmpty = (part: unknown): boolean => isRecord(part) && Object.keys(part).length === 0;
  const content = Object.keys(live).filter((part) => !notContent.has(part) && !isEmpty(live[part]));
  if (content.length === 0 || (object.apiVersion === "v1" && bare.has(object.kind))) return undefined;
  return {
    code: "owner-unknown",
    message: `${kubeName(object)} has no field manager (metadata.managedFields), so anyone may own its ${content.join(" and ")}`,
    hint: "Find out who created it, or set force: true to delete it anyway",
  };
}

const notContent: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

function managerText(other: ManagedFields, fieldManager: string, withContent: boolean): string {
  const content = withContent ? contentIn(other) : [];
  const about = [
    ...(other.manager === fieldManager ? [`operation ${other.operation}`] : []),
    ...(content.length > 0 ? [`owns ${content.join(" and ")}`] : []),
  ];
  return `the field manager ${other.manager}${about.length === 0 ? "" : ` (${about.join(", ")})`}`;
}

/** The names of the parts of an object, such as `data`, in which a manager owns fields, except metadata and status. */
function contentIn({ fieldsV1 }: ManagedFields): readonly string[] {
  return Object.keys(fieldsV1)
    .filter((part) => part.startsWith("f:") && part !== "f:metadata" && part !== "f:status")
    .map((part) => part.slice(2));
}
