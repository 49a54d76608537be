import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { type Absent, absent, isRecord } from "../../core/facts/symbols.ts";
import type { RanCommand } from "../../core/host/driver.ts";
import {
  type KubeCluster,
  kubeKindsOf,
  type KubeObjectData,
  type KubeThere,
} from "../../facts/controller/kube-object.ts";
import type { KubeSeen, KubeSeenQuestion } from "../../facts/controller/kube-seen.ts";
import { objectOf } from "../../facts/controller/kube-scale.ts";
import type { Patience } from "../kubernetes-exchange.ts";
import { apply, readApplied } from "./apply.ts";
import { readAutoscalers } from "./scale/autoscalers.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { findResource, forgetKinds, pathOf } from "./discovery.ts";
import { rehearseEviction } from "./eviction/eviction.ts";
import { evict } from "./eviction/change.ts";
import { runCommand, tryCommand } from "./exec/exec.ts";
import { readExecPods } from "./exec/exec-pods.ts";
import { failureOf, isNotFound } from "./failures.ts";
import { giveBack } from "./conflict/give-back.ts";
import { readNode, readPods } from "./eviction/pods.ts";
import { readDeleted, remove } from "./removal/removal.ts";
import { readScale, rehearseScale } from "./scale/scale.ts";
import { scale } from "./scale/change.ts";
import { readEnding } from "./scale/ending-pods.ts";
import { readSeen } from "./seen.ts";
import { changeOf } from "./watch.ts";
import { Question } from "./question.ts";

const name = z.string().min(1);
const cluster = { kubeconfig: name, context: name.optional() };
const of = z.looseObject(cluster);
const object = z.custom<KubeObjectData>(isObject, "a Kubernetes object");
const sent = { object, fieldManager: name, force: z.boolean().optional() };
const basis = z.union([z.strictObject({ uid: name, version: name, ours: name }), z.literal("absent")]).optional();
const besides = z.array(z.strictObject({ namespace: name.optional(), kind: name, name })).optional();

const target = { apiVersion: name, kind: name, name, namespace: name.optional() };
const number = z.int().min(0);

const where = z.union([z.strictObject({ node: name }), z.strictObject({ namespace: name, name })]);
const victims = z.array(z.strictObject({ namespace: name, name, uid: name }));

const inside = z.union([
  z.strictObject({ namespace: name, name }),
  z.strictObject({ namespace: name, labels: z.record(z.string(), z.string()) }),
]);
const command = {
  namespace: name,
  pod: name,
  uid: name,
  container: name,
  argv: z.array(z.string()).min(1),
  deadlineSeconds: z.number().positive(),
};

const whole = z.union([
  z.strictObject({ ...cluster, namespace: name }),
  z.strictObject({ ...cluster, group: z.string() }),
]);

/** Checks by hand what a schema would check. This is faster, and a manifest makes a query for each of its objects. */
function isObject(value: unknown): boolean {
  if (!isRecord(value) || !isName(value["apiVersion"]) || !isName(value["kind"])) return false;
  const { metadata } = value;
  if (!isRecord(metadata) || !isName(metadata["name"])) return false;
  return metadata["namespace"] === undefined || isName(metadata["namespace"]);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

const question = z.union([
  // This form comes first, because a manifest makes this query for each of its objects.
  z.strictObject({ of, apply: z.strictObject(sent) }),
  z.strictObject({ of, inside }),
  z.strictObject({ of, tried: z.strictObject(command) }),
  z.strictObject({ of, pods: where }),
  z.strictObject({ of, node: name }),
  z.strictObject({ of, evicting: z.strictObject({ where, victims }) }),
  z.strictObject({ of, scale: z.strictObject(target) }),
  z.strictObject({ of, scaleEnding: z.strictObject(target) }),
  z.strictObject({ of, scaling: z.strictObject({ ...target, replicas: number }) }),
  z.strictObject({ of, autoscalers: z.strictObject(target) }),
  z.strictObject({ of, delete: z.strictObject({ ...sent, besides }) }),
  z.strictObject({ any: z.strictObject(cluster) }),
  z.strictObject({ gained: whole }),
  z.strictObject({ lost: whole }),
  z.strictObject({ of, defined: z.literal(true) }),
  z.strictObject({ has: z.strictObject({ ...cluster, namespace: name }) }),
  z.strictObject({ has: z.strictObject({ ...cluster, apiVersion: name, kind: name }) }),
  z.strictObject({
    see: z.strictObject({ ...cluster, ...target, field: name.optional() }),
  }),
]);

const change = z.union([
  z.strictObject({
    of,
    run: z.strictObject({ ...command, okExit: z.array(z.int()), label: name, stdin: z.string().optional() }),
  }),
  z.strictObject({
    of,
    apply: z.strictObject({
      ...sent,
      basis,
      wasRefused: z.boolean().optional(),
      deadlineSeconds: z.number().positive().optional(),
    }),
  }),
  z.strictObject({
    of,
    delete: z.strictObject({
      ...sent,
      uid: name,
      deadlineSeconds: z.number().positive(),
      deleteContents: z.boolean().optional(),
    }),
  }),
  z.strictObject({
    of,
    scale: z.strictObject({
      ...target,
      replicas: number,
      uid: name,
      currentReplicas: number.optional(),
      deadlineSeconds: z.number().positive().optional(),
    }),
  }),
  z.strictObject({
    of,
    evict: z.strictObject({
      where,
      victims,
      gracePeriodSeconds: number.optional(),
      deadlineSeconds: z.number().positive(),
    }),
  }),
  z.strictObject({
    of,
    giveBack: z.strictObject({
      path: z.string().startsWith("/"),
      field: z.array(name).min(1),
      owners: z.array(z.strictObject({ manager: name, operation: z.enum(["Apply", "Update"]), apiVersion: name })),
    }),
  }),
]);

/** True for a request that identifies objects by kind and name instead of by a path in the API. */
export function isAboutObjects(request: unknown): boolean {
  return typeof request === "object" && request !== null && !("path" in request);
}

/**
 * Answers questions about objects: what applying, deleting or scaling one would change, and its current state. Throws
 * FurrowError E_DRIVER if the cluster does not answer.
 */
export async function readObjects(request: unknown, patience: Patience, signal: AbortSignal): Promise<unknown> {
  const asked = question.parse(request);
  if ("any" in asked || "defined" in asked || "gained" in asked || "lost" in asked) return true;
  if ("apply" in asked) return readApplication(asked.of, asked.apply, patience, signal);
  const open = await openCluster("of" in asked ? asked.of : "has" in asked ? asked.has : asked.see, patience, signal);
  if ("delete" in asked) return readDeleted(open, asked.delete);
  if ("scale" in asked) return readScale(open, objectOf(asked.scale));
  if ("scaleEnding" in asked) return readEnding(open, objectOf(asked.scaleEnding));
  if ("scaling" in asked) return rehearseScale(open, objectOf(asked.scaling), asked.scaling.replicas);
  if ("autoscalers" in asked) return readAutoscalers(open, objectOf(asked.autoscalers));
  if ("inside" in asked) return readExecPods(open, asked.inside);
  if ("tried" in asked) return tryCommand(open, asked.tried);
  if ("pods" in asked) return readPods(open, asked.pods);
  if ("node" in asked) return readNode(open, asked.node);
  if ("evicting" in asked) return rehearseEviction(open, asked.evicting.where, asked.evicting.victims);
  return "has" in asked ? readThere(open, asked.has) : readSeen(open, asked.see);
}

/**
 * Resolves when the object that a wait observes may have changed since it was `found`. Throws if that cannot be
 * observed.
 */
export async function objectChanged(
  request: unknown,
  found: unknown,
  patience: Patience,
  signal: AbortSignal,
): Promise<void> {
  const { see } = z.object({ see: z.custom<KubeSeenQuestion>() }).parse(request);
  return changeOf(await openCluster(see, patience, signal), see, found as KubeSeen);
}

/** Many of these queries, made at the same moment, share one list. */
async function readApplication(
  cluster: KubeCluster,
  applied: Parameters<typeof readApplied>[1],
  patience: Patience,
  signal: AbortSignal,
): Promise<unknown> {
  const question = new Question();
  try {
    return await readApplied(await openCluster(cluster, patience, signal, question), applied);
  } finally {
    question.arrive();
  }
}

/**
 * Applies, deletes or scales an object, gives a field back to its owners, evicts pods, or runs a command in a pod, and
 * waits until that is done. Throws FurrowError E_DRIVER or E_WAIT, or the command's failure.
 */
export async function changeObject(
  request: unknown,
  patience: Patience,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<RanCommand | undefined> {
  const wanted = change.parse(request);
  const wait = deadlineOf(wanted);
  const changeMs = wait === undefined ? undefined : wait * 1000;
  const patient = { ...patience, deadlineMs: patience.deadlineMs + (changeMs ?? 0), changeMs };
  const open = await openCluster(wanted.of, patient, signal);
  if ("run" in wanted) return runCommand(open, wanted.run);
  if ("giveBack" in wanted) await giveBack(open, wanted.giveBack, signal);
  else if ("delete" in wanted) await remove(open, wanted.delete, signal, say);
  else if ("evict" in wanted) await evict(open, { ...wanted.evict, pauseMs: patience.pauseMs }, signal, say);
  else if ("scale" in wanted) await scale(open, { ...wanted.scale, object: objectOf(wanted.scale) }, signal, say);
  else {
    await apply(open, wanted.apply, signal, say);
    if (wanted.apply.object.kind === "CustomResourceDefinition") {
      await waitUntilServed(open, wanted.apply.object, signal, say);
      if (typeof wanted.apply.basis === "object") await pause(schemaMs, undefined, { signal });
    }
  }
  return undefined;
}

/** The seconds that a change may wait; undefined if it does not wait. */
function deadlineOf(wanted: z.output<typeof change>): number | undefined {
  if ("run" in wanted || "giveBack" in wanted) return undefined;
  if ("apply" in wanted) return wanted.apply.deadlineSeconds;
  if ("delete" in wanted) return wanted.delete.deadlineSeconds;
  return ("evict" in wanted ? wanted.evict : wanted.scale).deadlineSeconds;
}

async function readThere(
  open: Cluster,
  has: { readonly namespace: string } | { readonly apiVersion: string; readonly kind: string },
): Promise<KubeThere | Absent> {
  if ("kind" in has) {
    const resource = await findResource(open, has.apiVersion, has.kind);
    return resource === undefined ? absent : { there: true, namespaced: resource.namespaced };
  }
  const doing = `read the namespace ${has.namespace}`;
  const namespaces = { plural: "namespaces", kind: "Namespace", namespaced: false, verbs: [], subresources: {} };
  const answer = await open.ask({ path: pathOf("v1", namespaces, has.namespace) }, doing);
  if (isNotFound(answer, has.namespace)) return absent;
  if (answer.status !== 200) throw failureOf(doing, open.server, answer);
  return { there: true };
}

/** How long the server may take to serve a kind after its CustomResourceDefinition is applied. */
const servedMs = 30_000;

/** How long a server may take to begin to use a changed schema; its answers do not show when it has begun. */
const schemaMs = 1000;

/**
 * A server begins to serve a new kind a moment after it accepts the kind's definition; objects that are applied
 * earlier are refused.
 */
async function waitUntilServed(
  open: Cluster,
  definition: KubeObjectData,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const end = Date.now() + servedMs;
  let said = false;
  for (const { apiVersion, kind } of kubeKindsOf(definition)) {
    forgetKinds(open);
    while ((await findResource(open, apiVersion, kind)) === undefined && Date.now() < end) {
      if (!said) say?.(`the server does not serve ${kind} in ${apiVersion} yet`);
      said = true;
      await pause(200, undefined, { signal });
    }
  }
}
