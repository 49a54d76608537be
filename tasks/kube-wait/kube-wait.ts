import { absent, match, refuse, type Refusal, seconds, shellQuote, task, z } from "../../src/authoring.ts";
import {
  isKubeOwn,
  hidesFieldValue,
  isSealedField,
  type KubeCondition,
  kubeKindHint,
  kubeMisnamed,
  kubeSeen,
  type KubeSeen,
  kubeThing,
  sealedFieldValue,
} from "../../src/facts/catalogue.ts";
import { shared } from "../kube-object/params.ts";

const condition = (): z.ZodType<string, string> =>
  z
    .string({ error: 'the type of a condition, like "Ready"' })
    .regex(/^[A-Za-z0-9]([\w./-]*[A-Za-z0-9])?$/, 'the type of a condition, like "Ready"');

const common = {
  apiVersion: shared.apiVersion().describe("Version of the kind: `v1`, `apps/v1`"),
  kind: shared.kind().describe("Kind of the object"),
  name: shared.name().describe("Name of the object"),
  namespace: shared.namespace().optional().describe("Namespace of the object; none for a cluster-scoped kind"),
  kubeconfig: shared.kubeconfig(),
  context: shared.context(),
  failOn: condition().optional().describe("Condition that makes the task fail at once when it is True: `Failed`"),
  intervalSeconds: seconds()
    .default(2)
    .describe("Seconds between two checks. If the cluster reports changes itself, the wait notices them at once"),
  deadlineSeconds: seconds().default(300).describe("Seconds after which the wait fails"),
};

const params = z.union(
  [
    z.strictObject({
      ...common,
      condition: condition().describe("Type of the condition to wait for: `Ready`, `Available`, `Established`"),
      status: z
        .enum(["True", "False", "Unknown"], { error: '"True", "False" or "Unknown"' })
        .default("True")
        .describe("Status that the condition must have"),
    }),
    z.strictObject({
      ...common,
      field: z
        .string({ error: 'the name of a field, like "status.phase"' })
        .regex(/^[^.[\]\s{}]+(\.[^.[\]\s{}]+|\[[^[\]]+\])*$/, 'the name of a field, like "status.phase"')
        .describe(
          "Field to wait for: `status.phase`, `status.ingress[0].ip`, `metadata.annotations[example.com/done]`",
        ),
      value: z
        .union([z.string(), z.number(), z.boolean()], { error: "a string, a number or a boolean" })
        .optional()
        .describe("Value that the field must have; default: any non-empty value"),
    }),
    z.strictObject({
      ...common,
      state: z
        .enum(["present", "absent"], { error: '"present" or "absent"' })
        .describe("Whether the object must exist"),
    }),
  ],
  { error: "one of `condition`, `field` and `state`" },
);

type Params = z.output<typeof params>;

const vm = {
  apiVersion: "kubevirt.io/v1",
  kind: "VirtualMachine",
  name: "db-1",
  namespace: "shop",
  kubeconfig: "harvester.kubeconfig",
};

/** Waits until a Kubernetes object is in the desired state. */
export const kubeWait = task({
  name: "kubeWait",
  summary: "Wait until a Kubernetes object has a condition or a value, exists, or is gone",
  params,
  examples: [
    { ...vm, condition: "Ready", failOn: "Failure", deadlineSeconds: 900 },
    { ...vm, field: "status.printableStatus", value: "Stopped" },
    { ...vm, state: "absent" },
  ],
  title: (p) => `kubeWait ${nameOf(p)}`,
})
  .facts((p) => ({ object: kubeSeen({ ...p, field: "field" in p ? p.field : undefined }) }))
  .want((p, { object }) => {
    const over = failed(p, object) ?? misplaced(p, object) ?? misnamed(p, object);
    if (over !== undefined) return over;
    const wrong = difference(p, object);
    return wrong === undefined ? {} : notYet(p, object, wrong);
  })
  .wait((p) => ({
    intervalSeconds: p.intervalSeconds,
    deadlineSeconds: p.deadlineSeconds,
    waitsFor: `${nameOf(p)} to ${wanted(p)}`,
    about: [
      kubeThing(p, { apiVersion: p.apiVersion, kind: p.kind, metadata: { name: p.name, namespace: p.namespace } }),
    ],
  }))
  .outputs((_p, { object }) => ({ value: object.exists && object.value !== absent ? object.value : null }));

function nameOf({ kind, namespace, name }: Params): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function wanted(p: Params): string {
  if ("condition" in p)
    return `have the condition ${p.condition}${p.status === "True" ? "" : ` with status ${p.status}`}`;
  if ("field" in p)
    return p.value === undefined || hidesFieldValue(p.kind, p.field, p.value)
      ? `have ${p.value === undefined ? "a" : "the given"} value in ${p.field}`
      : `have ${p.field} ${JSON.stringify(p.value)}`;
  return p.state === "present" ? "exist" : "be gone";
}

/** The condition in `failOn`, if it is True. */
function failureOf({ failOn }: Params, object: KubeSeen): KubeCondition | undefined {
  const own = failOn !== undefined && object.exists ? object.conditions[failOn] : undefined;
  return own?.status === "True" ? own : undefined;
}

/**
 * Ends the wait if the object has the condition in `failOn`. A condition from before the last change, or of an object
 * that is about to be replaced, is not final.
 */
function failed(p: Params, object: KubeSeen): Refusal | undefined {
  const own = failureOf(p, object);
  if (own === undefined || own.isOutdated || leaving(p, object) !== undefined) return undefined;
  return refuse({
    code: "failed",
    message: `${nameOf(p)} has the condition ${p.failOn}: ${reasonOf(own)}`,
    hint: "Fix the cause, then rerun",
    final: true,
  });
}

/** Ends the wait for an object of a namespaced kind if no namespace is given. */
function misplaced(p: Params, object: KubeSeen): Refusal | undefined {
  if (object.exists || object.needs !== "namespace") return undefined;
  return refuse({
    code: "namespace-missing",
    message: `cannot wait for ${nameOf(p)}: a ${p.kind} is namespaced, but no namespace is given`,
    hint: "Give the task a `namespace`",
    final: true,
  });
}

/**
 * Stops waiting for an object of one of Kubernetes' own kinds that the server does not serve, because nothing can add
 * such a kind. If the object must be gone, it may exist under another version of its kind.
 */
function misnamed(p: Params, object: KubeSeen): Refusal | undefined {
  if (object.exists || object.lacks !== "kind") return undefined;
  if ("state" in p && p.state === "absent") {
    const problem = kubeMisnamed(p, nameOf(p), object);
    return problem && refuse({ ...problem, final: true });
  }
  if (!isKubeOwn(p)) return undefined;
  return refuse({
    code: "no-kind",
    message: `${nameOf(p)}: ${kindMissing(p)}`,
    hint: kubeKindHint(object.near),
    final: true,
  });
}

function kindMissing({ kind, apiVersion }: Params): string {
  return `the cluster does not have the kind ${kind} in ${apiVersion}`;
}

/** Describes how an object differs from the awaited state; undefined if it does not. */
function difference(p: Params, object: KubeSeen): string | undefined {
  if ("state" in p && p.state === "absent") {
    if (!object.exists) return undefined;
    return object.deleting === absent
      ? "it exists, and nobody has asked for its deletion"
      : deletionOf(object.deleting);
  }
  if (!object.exists) return object.lacks === "kind" ? kindMissing(p) : "it does not exist";
  const unsettled =
    leaving(p, object) ?? (failureOf(p, object) && `its condition ${p.failOn} is True, but ${outdated}`);
  if (unsettled !== undefined || "state" in p) return unsettled;
  return "condition" in p ? conditionDifference(p, object) : fieldDifference(p, object);
}

const outdated = "its controller has not seen its last change yet";

/**
 * Says that the object is being deleted, so it will soon be gone or replaced. Undefined if it is not being deleted, or
 * if the task waits for its deletion.
 */
function leaving(p: Params, object: KubeSeen): string | undefined {
  const mustGo = "state" in p && p.state === "absent";
  const isAsked = "field" in p && /^metadata\.(deletion|finalizers)/.test(p.field);
  return !object.exists || object.deleting === absent || mustGo || isAsked ? undefined : deletionOf(object.deleting);
}

function deletionOf(finalizers: readonly string[]): string {
  return finalizers.length === 0
    ? "it is being deleted"
    : `it is being deleted, and waits for ${finalizers.join(", ")}`;
}

type Seen = Extract<KubeSeen, { exists: true }>;

function conditionDifference(p: Extract<Params, { condition: string }>, object: Seen): string | undefined {
  const own = object.conditions[p.condition];
  if (own === undefined) return `it has no condition ${p.condition}${phaseOf(object)}`;
  if (own.status !== p.status)
    return `its condition ${p.condition} is ${own.status}: ${reasonOf(own)}${phaseOf(object)}`;
  return own.isOutdated ? outdated : undefined;
}

function fieldDifference(p: Extract<Params, { field: string }>, object: Seen): string | undefined {
  const { value } = object;
  if (value === absent) return `it has no ${p.field}${phaseOf(object)}${troubleOf(object)}`;
  const sealed = isSealedField(value);
  const isWanted =
    p.value === undefined
      ? value !== null && value !== "" && value !== 0 && value !== false
      : match(value, sealed ? sealedFieldValue(p.value) : p.value) === "same";
  if (isWanted) return object.isOutdated && /^status(?![^.[])/.test(p.field) ? outdated : undefined;
  const current = sealed ? "another secret value" : `${JSON.stringify(value)}${typeOf(value, p.value)}`;
  return `its ${p.field} is ${current}${phaseOf(object)}${troubleOf(object)}`;
}

/** Names the types of a value and of the wanted value if only the types differ; otherwise empty. */
function typeOf(value: unknown, wanted: string | number | boolean | undefined): string {
  if (wanted === undefined || typeof value === typeof wanted || String(value) !== String(wanted)) return "";
  return `, a ${typeof value}, and the task's \`value\` is a ${typeof wanted}`;
}

function reasonOf({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return [reason, message].filter((part) => part !== "").join(": ") || "it gives no reason";
}

/** The conditions that are not True and give a reason: they often explain a field. */
function troubleOf({ conditions }: Seen): string {
  const open = Object.entries(conditions).filter(([, { status, message }]) => status !== "True" && message !== "");
  return open.map(([type, own]) => `; its condition ${type} is ${own.status}: ${reasonOf(own)}`).join("");
}

function phaseOf(object: Seen): string {
  return object.phase === absent ? "" : ` (phase ${object.phase})`;
}

function notYet(p: Params, object: KubeSeen, wrong: string): Refusal {
  const warning = object.exists && object.warning !== absent ? `. Its last warning: ${object.warning}` : "";
  return refuse({
    code: "not-yet",
    message: `${nameOf(p)}: ${wrong}${warning}`,
    hint: `${object.exists ? `Read its events with \`${describeCommand(p)}\`` : "Find out what should create it"}, or raise deadlineSeconds`,
  });
}

/** The kubectl command that describes the object. */
function describeCommand({ kubeconfig, context, kind, apiVersion, namespace, name }: Params): string {
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  const options = [
    `--kubeconfig=${kubeconfig}`,
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
  ];
  return ["kubectl", "describe", `${kind}${group}`, name, ...options].map(shellQuote).join(" ");
}
