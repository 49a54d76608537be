import { z } from "../../src/authoring.ts";

const schema = z.looseObject({
  metadata: z.looseObject({ deletionTimestamp: z.string().optional() }),
  spec: z.looseObject({ description: z.string().default("") }).prefault({}),
  status: z
    .looseObject({
      state: z.string().default(""),
      progress: z.number().default(0),
      filename: z.string().default(""),
      filesize: z.number().default(0),
      conditions: z
        .array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().default("") }))
        .default([]),
    })
    .prefault({}),
});

/** Harvester's status of a support bundle. */
export interface BundleState {
  readonly isDeleted: boolean;
  readonly description: string;
  /** Any other state, including one that a later release may add, means that it is not ready yet. */
  readonly state: "ready" | "error" | "other";
  readonly progress: number;
  readonly file: string;
  readonly bytes: number;
  /** Harvester's message about a failure. */
  readonly why: string;
}

/**
 * Reads a SupportBundle: its state, and the condition in which Harvester says why it failed
 * (pkg/controller/master/supportbundle/controller.go in harvester/harvester, commit 05bb228c).
 */
export function bundleState(object: unknown): BundleState {
  const { data } = schema.safeParse(object);
  const state = data?.status.state ?? "";
  const failed = data?.status.conditions.find(({ type, status }) => type === "Initialized" && status === "False");
  return {
    isDeleted: data?.metadata.deletionTimestamp !== undefined,
    description: data?.spec.description ?? "",
    state: state === "ready" || state === "error" ? state : "other",
    progress: data?.status.progress ?? 0,
    file: data?.status.filename ?? "",
    bytes: data?.status.filesize ?? 0,
    why: failed?.message || "it gave no reason",
  };
}
