import { seconds, z } from "../../src/authoring.ts";

const count = z.int().min(1);
const bandwidthForm = "bytes per second, like 64Mi; 0 for no limit";
const bandwidth = z.string({ error: bandwidthForm }).regex(/^(0|[1-9]\d*(Ki|Mi|Gi))$/, bandwidthForm);

const each = {
  allowAutoConverge: z.boolean().optional().describe("Slow a busy machine down, so that its migration finishes"),
  allowPostCopy: z
    .boolean()
    .optional()
    .describe(
      "Start the machine on the new node before its memory has arrived; if the network fails then, the machine is lost",
    ),
  bandwidthPerMigration: bandwidth.optional().describe("Bandwidth of one migration: `64Mi`; `0`: no limit"),
  completionTimeoutPerGiB: count
    .optional()
    .describe("Seconds for each GiB of memory after which a migration is aborted"),
};

const labels = z.record(z.string(), z.string());

const policy = z
  .strictObject({
    namespaces: labels.default({}).describe("Labels of the namespaces to which the policy applies"),
    machines: labels.default({}).describe("Labels of the machines to which the policy applies"),
    ...each,
  })
  .refine(({ namespaces, machines }) => Object.keys(namespaces).length + Object.keys(machines).length > 0, {
    message: "labels of namespaces or of machines: without them, the policy would apply to all machines",
  });

/** How machines migrate: Harvester's setting, and KubeVirt's policies for selected machines. */
export const liveMigrationSchema = z.strictObject({
  kubeconfig: z.string().min(1).describe("The cluster's kubeconfig on the controller"),
  fieldManager: z
    .string()
    .regex(/^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/)
    .default("furrow-migration-policies")
    .describe("Name under which the cluster records what furrow owns; do not change it"),
  force: z.boolean().default(false).describe("Take over fields that others have changed"),
  settings: z
    .strictObject({
      parallelMigrationsPerCluster: count.optional().describe("Concurrent migrations in the cluster"),
      parallelOutboundMigrationsPerNode: count.optional().describe("Concurrent migrations away from one node"),
      progressTimeout: count.optional().describe("Seconds without progress after which a migration is aborted"),
      ...each,
    })
    .default({})
    .describe("Fields of Harvester's `kubevirt-migration` setting; others stay as they are"),
  policies: z
    .record(z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/), policy)
    .default({})
    .describe("Policies by name"),
  deadlineSeconds: seconds().default(120).describe("Seconds after which furrow stops waiting for Harvester"),
});

/** The validated settings and policies. */
export type LiveMigration = z.output<typeof liveMigrationSchema>;

/** The policies as objects (KubeVirt's MigrationPolicy, staging/src/kubevirt.io/api/migrations/v1alpha1/types.go). */
export function policyObjects({ policies }: Pick<LiveMigration, "policies">) {
  return Object.entries(policies).map(([name, { namespaces, machines, ...more }]) => ({
    apiVersion: "migrations.kubevirt.io/v1alpha1",
    kind: "MigrationPolicy",
    metadata: { name },
    spec: {
      selectors: {
        ...(Object.keys(namespaces).length > 0 && { namespaceSelector: namespaces }),
        ...(Object.keys(machines).length > 0 && { virtualMachineInstanceSelector: machines }),
      },
      ...given(more),
    },
  }));
}

/** The fields that have a value. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
