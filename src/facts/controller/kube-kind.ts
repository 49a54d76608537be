import type { KubeKind, KubeProblem } from "./kube-object.ts";

/** The groups with a dot in their names that belong to Kubernetes itself (`pkg/apis` in its source). */
const ownGroups: ReadonlySet<string> = new Set(
  [
    "admissionregistration",
    "apiextensions",
    "apiregistration",
    "auditregistration",
    "authentication",
    "rbac.authorization",
    "authorization",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "imagepolicy",
    "internal.apiserver",
    "networking",
    "node",
    "resource",
    "scheduling",
    "settings",
    "storage",
    "storagemigration",
  ].map((name) => `${name}.k8s.io`),
);

/** True for a kind that belongs to Kubernetes itself. The group of a custom kind always has a dot in its name. */
export function isKubeOwn({ apiVersion }: Pick<KubeKind, "apiVersion">): boolean {
  const [group = ""] = apiVersion.split("/");
  return !group.includes(".") || ownGroups.has(group);
}

/**
 * For an object whose kind the server does not serve: why furrow cannot tell whether the object is gone; undefined if
 * it is gone. The object may exist under another version of its kind. If the kind belongs to Kubernetes itself, the
 * name or the version may be wrong. Any other kind was removed with all its objects. `name` is the object's name in
 * messages; `servedIn` lists the versions in which the server serves the kind; `near` is what the user may have meant
 * instead.
 */
export function kubeMisnamed(
  { apiVersion, kind }: KubeKind,
  name: string,
  { servedIn = [], near }: { readonly servedIn?: readonly string[]; readonly near?: readonly string[] },
): KubeProblem | undefined {
  if (servedIn.length === 0 && !isKubeOwn({ apiVersion })) return undefined;
  const instead = servedIn.length === 0 ? "" : `, but in ${servedIn.join(", ")}`;
  return {
    code: "no-kind",
    message: `furrow cannot tell whether ${name} is gone: the server does not serve the kind ${kind} in ${apiVersion}${instead}`,
    hint: kubeKindHint(near),
  };
}

/** A hint about a kind that the server does not serve; `near` is what the user may have meant: `ConfigMap in v1`. */
export function kubeKindHint(near: readonly string[] = []): string {
  return `Correct apiVersion or kind${near.length === 0 ? "" : `: the server serves ${near.join(", ")}`}`;
}
