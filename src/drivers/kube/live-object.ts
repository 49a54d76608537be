import { z } from "zod";
import { isRecord } from "../../core/facts/symbols.ts";
import type { KubeObjectData } from "../../facts/controller/kube-object.ts";
import type { FieldSet } from "./field-set.ts";

const owner = z.looseObject({ kind: z.string(), name: z.string(), controller: z.boolean().optional() });

const fieldSet = z.custom<FieldSet>(isRecord, "a set of fields");

const managed = z.looseObject({
  manager: z.string().default(""),
  operation: z.enum(["Apply", "Update"]),
  apiVersion: z.string(),
  fieldsType: z.literal("FieldsV1"),
  fieldsV1: fieldSet.default({}),
  subresource: z.string().default(""),
});

/** An object as the server sends it: the parts that every object has. */
export const liveObject = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({
    name: z.string().min(1),
    namespace: z.string().optional(),
    uid: z.string().min(1),
    resourceVersion: z.string().optional(),
    deletionTimestamp: z.string().optional(),
    finalizers: z.array(z.string()).default([]),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
    ownerReferences: z.array(owner).default([]),
    managedFields: z.array(managed).default([]),
  }),
});

/** An object on the server. */
export type LiveObject = z.output<typeof liveObject>;

/** The fields that one manager owns in an object. */
export type ManagedFields = LiveObject["metadata"]["managedFields"][number];

const space = z.looseObject({
  spec: z.looseObject({ finalizers: z.array(z.string()).default([]) }).catch({ finalizers: [] }),
  status: z.looseObject({ conditions: z.array(z.unknown()).default([]) }).catch({ conditions: [] }),
});

const reason = z.looseObject({ type: z.string(), status: z.literal("True"), message: z.string() });

/**
 * What an object that is being deleted waits for: its finalizers. A namespace has finalizers in its spec too, and its
 * conditions say what it still contains.
 */
export function holdersOf(live: LiveObject): readonly string[] {
  const { finalizers } = live.metadata;
  if (live.kind !== "Namespace" || live.apiVersion !== "v1") return finalizers;
  const { spec, status } = space.parse(live);
  const reasons = status.conditions.flatMap((one) => reason.safeParse(one).data ?? []);
  const why = reasons.map(({ type, message }) => `${type}: ${message}`).join("; ");
  const own = `${spec.finalizers.join(", ")} in spec.finalizers${why === "" ? "" : ` (${why})`}`;
  return spec.finalizers.length === 0 ? finalizers : [...finalizers, own];
}

/** A field manager's entry for applied fields; undefined if it owns none. */
export function entryOf({ metadata }: LiveObject, fieldManager: string): ManagedFields | undefined {
  return metadata.managedFields.find(
    ({ manager, operation, subresource }) => manager === fieldManager && operation === "Apply" && subresource === "",
  );
}

/** All other entries, except those that contain only a status. */
export function othersOf({ metadata }: LiveObject, fieldManager: string): ManagedFields[] {
  return metadata.managedFields.filter(
    ({ manager, operation, subresource, fieldsV1 }) =>
      !(manager === fieldManager && operation === "Apply") &&
      subresource === "" &&
      Object.keys(fieldsV1).some((part) => part !== "f:status"),
  );
}

/** The fields of an object that can be owned: all but its type, its name and its namespace. */
export function ownable(object: KubeObjectData): Readonly<Record<string, unknown>> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: all, ...rest } = object;
  const { name: _name, namespace: _namespace, ...metadata } = all;
  return Object.keys(metadata).length > 0 ? { metadata, ...rest } : rest;
}
