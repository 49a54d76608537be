/** The definition of a kind whose objects the server only has to store unchanged. */
export function plainKind(group: string, version: string, kind: string, scope: "Cluster" | "Namespaced"): object {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Rancher's Setting (pkg/apis/management.cattle.io/v3 in rancher/rancher). */
export const rancherSettingKind: object = plainKind("management.cattle.io", "v3", "Setting", "Cluster");
