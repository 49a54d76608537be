import { z } from "../../src/authoring.ts";

const name = z.string().min(1);

/** A ClusterRoleBinding (rbac.authorization.k8s.io/v1). A binding without subjects grants nothing. */
export const clusterRoleBindingSchema = z
  .looseObject({
    metadata: z.looseObject({ name }),
    roleRef: z.looseObject({ kind: name, name }),
    subjects: z.array(z.looseObject({ kind: name, name, namespace: z.string().default("") })).default([]),
  })
  .transform(({ metadata, roleRef, subjects }) => ({
    name: metadata.name,
    /** `ClusterRole view`. */
    role: `${roleRef.kind} ${roleRef.name}`,
    /** `ServiceAccount kube-system/argocd-manager`. */
    subjects: subjects.map((one) => `${one.kind} ${one.namespace}/${one.name}`),
  }));
