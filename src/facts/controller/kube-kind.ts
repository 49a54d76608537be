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

/** True for a kind of Kubernetes itself. The group of a custom kind always has a dot in its name. */
export function isKubeOwn({ apiVersion }: Pick<KubeKind, "apiVersion">): boolean {
  const [group = ""] = apiVersion.split("/");
  return !group.includes(".") || ownGroups.has(group);
}

/**
 * Why furrow cannot tell whether an object is gone whose kind the server does not serve; undefined if it is gone. The
 * object may exist under another version of its kind. For a kind of Kubernetes itself, the name or the version may be
 * wrong. Any other kind was removed with all its objects. `name` is the object's name in messages, `servedIn` the
 * versions in which the server serves the kind.
 */
export function kubeMisnamed(
  { apiVersion, kind }: KubeKind,
  name: string,
  servedIn: readonly string[] = [],
): KubeProblem | undefined {
  if (servedIn.length === 0 && !isKubeOwn({ apiVersion })) return undefined;
  const instead = servedIn.length === 0 ? "" : `, but in ${servedIn.join(", ")}`;
  return {
    code: "no-kind",
    message: `furrow cannot tell whether ${name} is gone: the server does not serve the kind ${kind} in ${apiVersion}${instead}`,
    hint: "Correct apiVersion or kind",
  };
}
