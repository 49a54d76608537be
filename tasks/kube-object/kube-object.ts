import { absent, match, onlyRead, refuse, type Refusal, seconds, task, z } from "../../src/authoring.ts";
import {
  kubeApplied,
  kubeApply,
  kubeDelete,
  kubeDeleted,
  kubeFacts,
  kubeFactsOf,
  kubeKind,
  kubeKindsOf,
  kubeName,
  kubeNamespace,
  type KubeObjectData,
  type KubeObjectState,
  kubeThere,
} from "../../src/facts/catalogue.ts";
import { object, shared } from "./params.ts";

const params = z.strictObject({
  object: object().describe(
    "Object: `apiVersion`, `kind`, `metadata`, and the fields that it must have; all others are left alone",
  ),
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  fieldManager: z
    .string({ error: managerForm() })
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/, managerForm())
    .max(128, "a name of at most 128 characters")
    .describe("Name under which the server records which fields are furrow's: one per playbook, the same forever"),
  force: z
    .boolean()
    .default(false)
    .describe("Take fields that other managers own; with state absent, delete an object that others own"),
  state: z.enum(["present", "absent"]).default("present").describe("Whether it exists"),
  deleteContents: z
    .boolean()
    .default(false)
    .describe("With state absent: also delete what is in the namespace, or all objects of the kind"),
  deadlineSeconds: seconds().default(120).describe("With state absent: seconds until the object must be gone"),
});

type Params = z.output<typeof params>;

const example = {
  kubeconfig: "harvester.kubeconfig",
  fieldManager: "shop",
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "web", namespace: "shop" },
    data: { color: "green" },
  },
};

/** Keeps one Kubernetes object as wanted, by server-side apply, or deletes it. */
export const kubeObject = task({
  name: "kubeObject",
  summary: "Keep one Kubernetes object as wanted, by server-side apply, or delete it",
  params,
  examples: [
    example,
    { ...example, object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } } },
    { ...example, state: "absent" },
  ],
  title: (p) => `kubeObject ${nameOf(p)}`,
  disturbs: () => kubeFacts,
  // Another task's fact about the same object has another id, because the answer depends on what that task sends.
  mayProvide: (p) => kubeFactsOf({ ...p, object: dataOf(p) }, p.state),
})
  .facts((p) => ({ object: p.state === "present" ? kubeApplied(requestOf(p)) : kubeDeleted(requestOf(p)) }))
  .facts((p, now) => {
    const { metadata, apiVersion, kind } = dataOf(p);
    const own = isChange(p, now.object);
    const made = own && kind === "Namespace" && apiVersion === "v1";
    const defined = own ? kubeKindsOf(dataOf(p)) : [];
    const { lacks } = now.object;
    return {
      ...(made && { namespace: kubeNamespace(p, metadata.name) }),
      ...(lacks === "namespace" && { namespace: onlyRead(kubeNamespace(p, metadata.namespace ?? "")) }),
      ...(defined.length > 0 && { kinds: defined.map((one) => kubeKind(p, one.apiVersion, one.kind)) }),
      ...(lacks === "kind" && { kind: onlyRead(kubeKind(p, apiVersion, kind)) }),
    };
  })
  .want((p, { object: now, namespace, kinds, kind }) => {
    const refusal = p.state === "present" ? refuseApply(p, now) : refuseDeletion(p, now);
    if (refusal !== undefined) return refusal;
    if (now.lacks === "namespace" && namespace === absent)
      return lacking(p, `the namespace ${dataOf(p).metadata.namespace}`);
    if (now.lacks === "kind" && kind === absent)
      return lacking(p, `the kind ${dataOf(p).kind} in ${dataOf(p).apiVersion}`);
    const there = p.state === "present" ? kubeThere : absent;
    return {
      object: p.state === "present" ? now.after : { exists: false },
      ...(namespace !== undefined && now.lacks !== "namespace" && { namespace: there }),
      ...(kinds !== undefined && { kinds: kinds.map(() => there) }),
    };
  })
  .steps((p, { change, now }) => {
    if (Object.values(change).every((one) => one === undefined)) return [];
    return p.state === "present"
      ? [kubeApply(requestOf(p))]
      : [kubeDelete(requestOf(p), now.object.uid ?? "", p.deadlineSeconds)];
  })
  .notes((p, { object: now }) => [
    ...(now.unasked === undefined ? [] : [`not asked in advance: apply ${nameOf(p)} (${now.unasked})`]),
    ...(p.state === "present" || now.contents === undefined ? [] : [`deletes with it: ${now.contents}`]),
  ]);

function managerForm(): string {
  return 'a name of letters, digits, dots and dashes, like "shop"';
}

function dataOf(p: Params): KubeObjectData {
  return p.object;
}

function nameOf(p: Params): string {
  return kubeName(dataOf(p));
}

function requestOf(p: Params) {
  const { kubeconfig, context, fieldManager, force } = p;
  return { kubeconfig, context, fieldManager, force, object: dataOf(p) };
}

/** True if the task will change the object, as far as can be told before the cluster's other answers. */
function isChange(p: Params, { exists, fields, after }: KubeObjectState): boolean {
  return (
    exists !== (p.state === "present") || (exists && p.state === "present" && match(fields, after.fields) !== "same")
  );
}

function refuseApply(p: Params, { deleting, problem }: KubeObjectState): Refusal | undefined {
  if (deleting !== undefined) {
    return refuse({
      code: "being-deleted",
      message: `${nameOf(p)} is being deleted${deleting.length === 0 ? "" : `, and waits for ${deleting.join(", ")}`}`,
      hint: "Rerun when it is gone: what is applied to it now would be lost",
    });
  }
  return problem && refuse(problem);
}

function refuseDeletion(p: Params, { problem, contents }: KubeObjectState): Refusal | undefined {
  if (problem !== undefined) return refuse(problem);
  if (contents === undefined || p.deleteContents) return undefined;
  return refuse({
    code: "not-empty",
    message: `${nameOf(p)} cannot be deleted alone: ${contents} would be deleted with it`,
    hint: "Delete these objects first, or set deleteContents: true if all of them may be lost",
  });
}

function lacking(p: Params, what: string): Refusal {
  return refuse({
    code: what.startsWith("the kind") ? "no-kind" : "no-namespace",
    message: `${nameOf(p)} cannot be applied: the cluster does not have ${what}`,
    hint: "Add a kubeObject task that makes it before this one, or correct the object",
  });
}
