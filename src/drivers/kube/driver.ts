import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { type Absent, absent } from "../../core/facts/symbols.ts";
import { kubeKindsOf, type KubeObjectData, type KubeThere } from "../../facts/controller/kube-object.ts";
import type { Patience } from "../kubernetes-exchange.ts";
import { apply, readApplied } from "./apply.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { findResource, forgetKinds, pathOf } from "./discovery.ts";
import { failureOf, isNotFound } from "./failures.ts";
import { readDeleted, remove } from "./removal.ts";
import { readSeen } from "./seen.ts";

const name = z.string().min(1);
const cluster = { kubeconfig: name, context: name.optional() };
const of = z.looseObject(cluster);
const object = z.custom<KubeObjectData>(
  (value) =>
    z
      .looseObject({ apiVersion: name, kind: name, metadata: z.looseObject({ name, namespace: name.optional() }) })
      .safeParse(value).success,
  "a Kubernetes object",
);
const sent = { object, fieldManager: name, force: z.boolean().optional() };
const besides = z.array(z.strictObject({ namespace: name.optional(), kind: name, name })).optional();

const question = z.union([
  z.strictObject({ of, apply: z.strictObject(sent) }),
  z.strictObject({ of, delete: z.strictObject({ ...sent, besides }) }),
  z.strictObject({ has: z.strictObject({ ...cluster, namespace: name }) }),
  z.strictObject({ has: z.strictObject({ ...cluster, apiVersion: name, kind: name }) }),
  z.strictObject({
    see: z.strictObject({
      ...cluster,
      apiVersion: name,
      kind: name,
      name,
      namespace: name.optional(),
      field: name.optional(),
    }),
  }),
]);

const change = z.union([
  z.strictObject({ of, apply: z.strictObject(sent) }),
  z.strictObject({ of, delete: z.strictObject({ ...sent, uid: name, deadlineSeconds: z.number().positive() }) }),
]);

/** True for a request about objects by their kind and name, and not by a path in the API. */
export function isAboutObjects(request: unknown): boolean {
  return typeof request === "object" && request !== null && !("path" in request);
}

/**
 * Answers what applying or deleting an object would change: from the object's managed fields if these are enough,
 * otherwise from the server's own dry run. Throws FurrowError E_DRIVER if the cluster does not answer.
 */
export async function readObjects(request: unknown, patience: Patience, signal: AbortSignal): Promise<unknown> {
  const asked = question.parse(request);
  const open = await openCluster("of" in asked ? asked.of : "has" in asked ? asked.has : asked.see, patience, signal);
  if ("apply" in asked) return readApplied(open, asked.apply);
  if ("delete" in asked) return readDeleted(open, asked.delete);
  return "has" in asked ? readThere(open, asked.has) : readSeen(open, asked.see);
}

/** Applies an object, or deletes one and waits until it is gone. Throws FurrowError E_DRIVER or E_WAIT. */
export async function changeObject(
  request: unknown,
  patience: Patience,
  signal: AbortSignal,
  say?: (text: string) => void,
): Promise<void> {
  const wanted = change.parse(request);
  if ("delete" in wanted) {
    const { deadlineSeconds } = wanted.delete;
    const patient = { ...patience, deadlineMs: patience.deadlineMs + deadlineSeconds * 1000 };
    return remove(await openCluster(wanted.of, patient, signal), wanted.delete, signal, say);
  }
  const open = await openCluster(wanted.of, patience, signal);
  await apply(open, wanted.apply);
  if (wanted.apply.object.kind === "CustomResourceDefinition") {
    await waitUntilServed(open, wanted.apply.object, signal, say);
  }
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
  const namespaces = { plural: "namespaces", kind: "Namespace", namespaced: false, verbs: [] };
  const answer = await open.ask({ path: pathOf("v1", namespaces, has.namespace) }, doing);
  if (isNotFound(answer, has.namespace)) return absent;
  if (answer.status !== 200) throw failureOf(doing, open.server, answer);
  return { there: true };
}

/** How long the server may take to serve a kind after its definition was applied. */
const servedMs = 30_000;

/** A server serves a new kind only a moment after it has accepted its definition; objects applied earlier are refused. */
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
