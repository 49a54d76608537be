import { z } from "zod";
import type { Json } from "../../core/facts/fact.ts";
import { type Absent, absent, isRecord } from "../../core/facts/symbols.ts";
import { withoutUrlSecrets } from "../../core/secrets/url-secrets.ts";
import {
  type KubeCondition,
  type KubeSeen,
  type KubeSeenQuestion,
  hidesFieldValue,
  keysOfField,
  sealedFieldValue,
} from "../../facts/controller/kube-seen.ts";
import { readList } from "../kubernetes-list.ts";
import type { Cluster } from "./cluster.ts";
import { type Resource, versionsThatServe, whileServed } from "./discovery.ts";
import { holdersOf, type LiveObject } from "./live-object.ts";
import { readLive } from "./live-read.ts";
import { nearKinds } from "./mistakes/near-kinds.ts";

const text = z.string().default("").catch("");

// Some kinds write this number as a string.
const generationNumber = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .optional()
  .catch(undefined);

const condition = z.looseObject({
  type: z.string().min(1),
  status: z.string().min(1),
  reason: text,
  message: text,
  observedGeneration: generationNumber,
});

type Condition = z.output<typeof condition>;

/** Kinds differ in the form of their status, so one unusual part must not make the others unreadable. */
const status = z
  .looseObject({
    conditions: z.array(z.unknown()).catch([]),
    phase: z.string().optional().catch(undefined),
    observedGeneration: generationNumber,
    /** Only in a KubeVirt VirtualMachine. */
    desiredGeneration: generationNumber,
    created: z.boolean().optional().catch(undefined),
  })
  .catch({ conditions: [] });

/** Reads what a wait needs to know about an object. Throws FurrowError E_DRIVER if it cannot be read. */
export async function readSeen(cluster: Cluster, question: KubeSeenQuestion): Promise<KubeSeen> {
  const { apiVersion, kind } = question;
  const seen = await whileServed(cluster, question, (resource) => readServed(cluster, resource, question));
  if (seen !== undefined) return seen;
  const servedIn = await versionsThatServe(cluster, apiVersion, kind);
  const near = await nearKinds(cluster, question);
  return { exists: false, lacks: "kind", ...(servedIn.length > 0 && { servedIn }), ...(near.length > 0 && { near }) };
}

async function readServed(cluster: Cluster, resource: Resource, question: KubeSeenQuestion): Promise<KubeSeen> {
  const { apiVersion, kind, name, namespace, field } = question;
  if (resource.namespaced && namespace === undefined) return { exists: false, needs: "namespace" };
  const object = { apiVersion, kind, metadata: { name, namespace } };
  const live = await readLive(cluster, resource, { object });
  if (live === undefined) return { exists: false };
  const own = status.parse(live["status"] ?? {});
  const { resourceVersion } = live.metadata;
  const outdated = outdatedIn(resource, live, own);
  const conditions = own.conditions.flatMap((one) => condition.safeParse(one).data ?? []);
  const values = field === undefined ? [] : valuesTo(live, field);
  const around = values.map((value) => condition.safeParse(value).data).findLast((one) => one !== undefined);
  return {
    exists: true,
    conditions: Object.fromEntries(conditions.map((one) => [one.type, said(one, outdated(one))])),
    value: field === undefined ? absent : shown(kind, field, values.at(-1)),
    phase: own.phase ?? absent,
    isOutdated: outdated(around),
    deleting: live.metadata.deletionTimestamp === undefined ? absent : holdersOf(live),
    version: typeof resourceVersion === "string" ? resourceVersion : "",
    warning: await latestWarning(cluster, live),
  };
}

/**
 * Returns a function that tells whether a condition, or the rest of the status, is about the object before its last
 * change. A condition may have its own `observedGeneration` (metav1.Condition).
 */
function outdatedIn(
  { subresources }: Resource,
  live: LiveObject,
  own: z.output<typeof status>,
): (one?: Condition) => boolean {
  const { generation } = live.metadata as Readonly<Record<string, unknown>>;
  const observed = observedBy(live, own);
  // Without the subresource, the generation also counts changes to the status.
  if (typeof generation !== "number" || !("status" in subresources)) return () => false;
  return (one) => {
    const { observedGeneration: own = 0 } = one ?? {};
    // A condition with generation 0 was written by a program that does not record the generation.
    return (own > 0 ? own : (observed ?? generation)) < generation;
  };
}

/**
 * The generation that the controller has processed. In a VirtualMachine, `observedGeneration` is the generation with
 * which the machine was started, and `desiredGeneration` is what the controller has processed; the controller sets both
 * only while the machine runs (syncGenerationInfo in kubevirt/pkg/virt-controller/watch/vm/vm.go).
 */
function observedBy({ apiVersion, kind }: LiveObject, own: z.output<typeof status>): number | undefined {
  if (kind !== "VirtualMachine" || !apiVersion.startsWith("kubevirt.io/")) return own.observedGeneration;
  return own.created === true ? own.desiredGeneration : undefined;
}

function said({ status: is, reason, message }: Condition, isOutdated: boolean): KubeCondition {
  return { status: is, reason, message: withoutUrlSecrets(message), isOutdated };
}

/** The object itself, the parts of it that lead to a field, and the field's value. */
function valuesTo(object: unknown, field: string): readonly unknown[] {
  const values = [object];
  for (const key of keysOfField(field)) values.push(partOf(values.at(-1), key));
  return values;
}

function partOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value[Number(key)] as unknown;
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function shown(kind: string, field: string, value: unknown): Json | Absent {
  if (value === undefined) return absent;
  return hidesFieldValue(kind, field, value) ? sealedFieldValue(value as Json) : (value as Json);
}

const event = z.looseObject({
  type: z.string().default(""),
  reason: z.string().default(""),
  message: z.string().default(""),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
});

/** The latest warning about an object. If it cannot be read, the wait continues, and the returned text says why. */
export async function latestWarning(cluster: Cluster, { metadata }: LiveObject): Promise<string | Absent> {
  const place = metadata.namespace === undefined ? "default" : encodeURIComponent(metadata.namespace);
  const selector = encodeURIComponent(`involvedObject.uid=${metadata.uid},type=Warning`);
  const path = `/api/v1/namespaces/${place}/events`;
  const ask = (page: string) =>
    cluster.ask({ path: `${page}&fieldSelector=${selector}` }, `read the events of ${metadata.name}`);
  const answer = await readList(path, ask).catch((error: unknown) => {
    if (error instanceof Error && error.name === "FurrowError") return { error: { code: "", message: error.message } };
    throw error;
  });
  if ("error" in answer) return `its events cannot be read (${`${answer.error.code} ${answer.error.message}`.trim()})`;
  const events = answer.items.flatMap((one) => event.safeParse(one).data ?? []);
  const time = (one: z.output<typeof event>): string => one.lastTimestamp ?? one.eventTime ?? "";
  const [last] = events.toSorted((a, b) => (time(a) < time(b) ? 1 : -1));
  return last === undefined ? absent : `${last.reason}: ${withoutUrlSecrets(last.message)}`;
}
