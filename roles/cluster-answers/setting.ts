import { z } from "../../src/authoring.ts";

const schema = z.looseObject({
  value: z.string().default(""),
  metadata: z
    .looseObject({
      annotations: z.record(z.string(), z.string()).default({}),
      managedFields: z
        .array(z.looseObject({ time: z.string().optional(), fieldsV1: z.record(z.string(), z.unknown()).default({}) }))
        .default([]),
    })
    .default({ annotations: {}, managedFields: [] }),
  status: z
    .looseObject({
      conditions: z
        .array(
          z.looseObject({
            type: z.string(),
            status: z.string(),
            reason: z.string().default(""),
            message: z.string().default(""),
            lastUpdateTime: z.string().default(""),
          }),
        )
        .default([]),
    })
    .default({ conditions: [] }),
});

/** Harvester's status of one of its settings. */
export interface SettingState {
  readonly value: string;
  /** True if Harvester says that the setting is in effect. */
  readonly isConfigured: boolean;
  /** Harvester's message about the setting. */
  readonly why: string;
  /**
   * When the value last changed, if Harvester has not reported since: its last report may then be about the previous
   * value. Undefined if Harvester has reported since, or if the time is not known.
   */
  readonly unreportedSince: string | undefined;
  /**
   * The hash of the value that Harvester last applied; empty if it has applied no value. Harvester does not apply the
   * same value again.
   */
  readonly appliedHash: string;
  /** What Harvester appends to the value before it computes the hash. */
  readonly upgradePatched: string;
}

/** Reads a Setting (pkg/apis/harvesterhci.io/v1beta1/setting.go) with its condition `configured`. */
export function settingState(object: unknown): SettingState {
  const { data } = schema.safeParse(object);
  const configured = data?.status.conditions.find(({ type }) => type === "configured");
  const changed = data?.metadata.managedFields
    .flatMap(({ time, fieldsV1 }) => (time !== undefined && "f:value" in fieldsV1 ? [time] : []))
    .toSorted()
    .at(-1);
  // Harvester writes its report in a single update of the status; the API server sets the timestamp of that update, so
  // it does not depend on another node's clock.
  const updated = data?.metadata.managedFields.flatMap(({ time, fieldsV1 }) =>
    time !== undefined && "f:status" in fieldsV1 ? [time] : [],
  );
  const reported = [configured?.lastUpdateTime ?? "", ...(updated ?? [])].toSorted().at(-1) ?? "";
  const isOld = changed !== undefined && reported < changed;
  return {
    value: data?.value ?? "",
    isConfigured: configured?.status === "True",
    why: configured?.message || configured?.reason || "Harvester gives no reason",
    unreportedSince: isOld ? changed : undefined,
    appliedHash: data?.metadata.annotations["harvesterhci.io/hash"] ?? "",
    upgradePatched: data?.metadata.annotations["harvesterhci.io/upgrade-patched"] ?? "",
  };
}
