import { z } from "zod";
import { FurrowError } from "../../core/errors.ts";
import type { Json } from "../../core/facts/fact.ts";
import { type Absent, absent, isRecord } from "../../core/facts/symbols.ts";
import { isSecretName } from "../../core/secrets/secret-schema.ts";
import { lastApplied } from "../../facts/controller/kube-documents.ts";
import {
  type KubeCondition,
  type KubeSeen,
  type KubeSeenQuestion,
  sealedFieldValue,
} from "../../facts/controller/kube-seen.ts";
import { readList } from "../kubernetes-list.ts";
import type { Cluster } from "./cluster.ts";
import { type Resource, versionsThatServe, whileServed } from "./discovery.ts";
import type { LiveObject } from "./live-object.ts";
import { readLive } from "./live-read.ts";

const text = z.string().default("").catch("");

const condition = z.looseObject({
  type: z.string().min(1),
  status: z.string().min(1),
  reason: text,
  message: text,
});

/** Kinds differ in the form of their status, so one unusual part does not hide the others. */
const status = z
  .looseObject({
    conditions: z.array(z.unknown()).catch([]),
    phase: z.string().optional().catch(undefined),
    // Some kinds write it as a string.
    observedGeneration: z
      .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
      .optional()
      .catch(undefined),
  })
  .catch({ conditions: [] });

/** Reads what a wait needs to know about an object. Throws FurrowError E_DRIVER if it cannot be read. */
export async function readSeen(cluster: Cluster, question: KubeSeenQuestion): Promise<KubeSeen> {
  const { apiVersion, kind } = question;
  const seen = await whileServed(cluster, question, (resource) => readServed(cluster, resource, question));
  if (seen !== undefined) return seen;
  const servedIn = await versionsThatServe(cluster, apiVersion, kind);
  return { exists: false, lacks: "kind", ...(servedIn.length > 0 && { servedIn }) };
}

async function readServed(cluster: Cluster, resource: Resource, question: KubeSeenQuestion): Promise<KubeSeen> {
  const { apiVersion, kind, name, namespace, field } = question;
  if (resource.namespaced && namespace === undefined) {
    throw new FurrowError("E_DRIVER", {
      what: `cannot read ${kind} ${name}`,
      current: `a ${kind} is namespaced, but no namespace is given`,
      hint: "Give the task a `namespace`",
      isLasting: true,
    });
  }
  const object = { apiVersion, kind, metadata: { name, namespace } };
  const live = await readLive(cluster, resource, { object });
  if (live === undefined) return { exists: false };
  const own = status.parse(live["status"] ?? {});
  const { generation, resourceVersion } = live.metadata as Readonly<Record<string, unknown>>;
  const observed = own.observedGeneration;
  const conditions = own.conditions.flatMap((one) => condition.safeParse(one).data ?? []);
  return {
    exists: true,
    conditions: Object.fromEntries(conditions.map((one) => [one.type, said(one)])),
    value: field === undefined ? absent : shown(kind, field, valueAt(live, field)),
    phase: own.phase ?? absent,
    isOutdated: typeof generation === "number" && observed !== undefined && observed < generation,
    deleting: live.metadata.deletionTimestamp === undefined ? absent : live.metadata.finalizers,
    version: typeof resourceVersion === "string" ? resourceVersion : "",
    warning: await latestWarning(cluster, live),
  };
}

function said({ status: is, reason, message }: z.output<typeof condition>): KubeCondition {
  return { status: is, reason, message };
}

/** The keys of a field's name: `a.b[0].c[d.e/f]` gives a, b, 0, c and d.e/f. */
function keysOf(field: string): string[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, inBrackets, plain]) => inBrackets ?? plain ?? "");
}

function valueAt(object: unknown, field: string): Json | Absent {
  let value: unknown = object;
  for (const key of keysOf(field)) {
    if (Array.isArray(value)) value = value[Number(key)] as unknown;
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value === undefined ? absent : (value as Json);
}

function shown(kind: string, field: string, value: Json | Absent): Json | Absent {
  const isHidden = (kind === "Secret" && holdsValues(field)) || isSecretName(field.replaceAll(/[[\]]/g, "."));
  return value !== absent && isHidden ? sealedFieldValue(value) : value;
}

/** True for a field of a Secret that is, or contains, the Secret's values or their copy in an annotation. */
function holdsValues(field: string): boolean {
  const [first, second, third] = keysOf(field);
  if (first !== "metadata") return first === "data" || first === "stringData";
  return second === undefined || (second === "annotations" && (third === undefined || third === lastApplied));
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
  return last === undefined ? absent : `${last.reason}: ${last.message}`;
}
