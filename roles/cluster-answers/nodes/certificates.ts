import { z } from "../../../src/authoring.ts";

/** The annotation in which Harvester stores the expiry of a node's certificates (pkg/util/certrotation/types.go). */
const infoAnnotation = "harvesterhci.io/rke2-cert-info";

/** The annotation of the setting `auto-rotate-rke2-certs` with the state of a rotation (the same file). */
const stateAnnotation = "harvesterhci.io/rke2-cert-rotation-state";

const info = z.looseObject({ closestExpiryTime: z.iso.datetime(), updatedAt: z.iso.datetime() });

const state = z.looseObject({
  phase: z.string(),
  currentNode: z.string().default(""),
  lastError: z.string().default(""),
});

/** When the first of a node's RKE2 certificates expires, according to Harvester. */
export interface NodeCertificates {
  readonly ends: string;
  /** When Harvester checked. */
  readonly seen: string;
}

/**
 * Reads Harvester's annotation about a node's certificates: undefined if it is missing, as in releases up to v1.8, and
 * `unreadable` if its form is unknown.
 */
export function nodeCertificates(
  annotations: Readonly<Record<string, string>>,
): NodeCertificates | "unreadable" | undefined {
  const text = annotations[infoAnnotation] ?? "";
  if (text === "") return undefined;
  const { data } = info.safeParse(parsed(text));
  return data === undefined ? "unreadable" : { ends: data.closestExpiryTime, seen: data.updatedAt };
}

/** The state of Harvester's rotation of a cluster's certificates. */
export interface Rotation {
  /** Also `none` for releases before v1.9, which do not report it. */
  readonly phase: "none" | "runs" | "failed" | "unreadable";
  readonly node: string;
  readonly error: string;
}

const settingSchema = z.looseObject({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).default({}) }),
});

/** Reads the state of a rotation from the setting `auto-rotate-rke2-certs`. */
export function rotationOf(setting: unknown): Rotation {
  const text = settingSchema.safeParse(setting).data?.metadata.annotations[stateAnnotation] ?? "";
  if (text === "") return { phase: "none", node: "", error: "" };
  const { data } = state.safeParse(parsed(text));
  if (data === undefined) return { phase: "unreadable", node: "", error: "" };
  const phases: Readonly<Record<string, Rotation["phase"]>> = { idle: "none", completed: "none", failed: "failed" };
  // An unknown phase, which a later release may add, means that the rotation has not finished.
  return { phase: phases[data.phase] ?? "runs", node: data.currentNode, error: data.lastError };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
