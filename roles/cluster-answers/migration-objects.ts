import { z } from "../../src/authoring.ts";

const name = z.string().min(1);
const ended = ["Succeeded", "Failed"];

/**
 * The live migration of a machine (KubeVirt's VirtualMachineInstanceMigration, staging/src/kubevirt.io/api/core/v1).
 * A migration that was just created has no status; KubeVirt deletes old ones.
 */
export const migrationSchema = z
  .looseObject({
    metadata: z.looseObject({ name, namespace: name, deletionTimestamp: z.string().optional() }),
    spec: z.looseObject({ vmiName: name }),
    status: z
      .looseObject({
        phase: z.string().default(""),
        migrationState: z
          .looseObject({ targetNode: z.string().default(""), failureReason: z.string().default("") })
          .optional(),
      })
      .default({ phase: "" }),
  })
  .transform(({ metadata, spec, status }) => ({
    name: `${metadata.namespace}/${metadata.name}`,
    machine: `${metadata.namespace}/${spec.vmiName}`,
    phase: status.phase,
    /**
     * True until the migration has succeeded or failed; in any other phase, even an unknown one, it counts as running.
     */
    running: !ended.includes(status.phase),
    isAborted: metadata.deletionTimestamp !== undefined,
    target: status.migrationState?.targetNode ?? "",
    /** KubeVirt's message about a failure. */
    why: status.migrationState?.failureReason || "KubeVirt gives no reason",
  }));
