import { z } from "../../src/authoring.ts";

/** The path of a CephCluster in the API. */
export function clusterPath(namespace: string, name: string): string {
  return `/apis/ceph.rook.io/v1/namespaces/${namespace}/cephclusters/${name}`;
}

const text = z.string().optional().catch(undefined);

/** Rook's own error has the name "error"; all others are Ceph's. */
const details = z
  .looseObject({ error: z.looseObject({ message: text }).optional() })
  .nullish()
  .catch(undefined);

const schema = z.looseObject({
  spec: z
    .looseObject({ external: z.looseObject({ enable: z.boolean().default(false) }).nullish() })
    .nullish()
    .catch(undefined),
  status: z
    .looseObject({
      phase: text,
      state: text,
      message: text,
      conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).nullish(),
      ceph: z.looseObject({ fsid: text, health: text, details }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** Rook's status of its connection to a Ceph cluster. */
export interface ClusterState {
  /** True if Rook only uses the Ceph cluster and does not run it. */
  readonly isExternal: boolean;
  /**
   * `Connecting`, `Progressing`, `Failure` or `Connected`. Rook sets `Connected` even after it has failed to connect.
   */
  readonly phase: string;
  /** True if Rook's last query of the Ceph cluster succeeded. */
  readonly isConnected: boolean;
  readonly message: string;
  /** Why Rook could not query the Ceph cluster; undefined if it could. */
  readonly error: string | undefined;
  /** The id of the Ceph cluster; undefined until Rook has queried it, and in old versions of Rook. */
  readonly fsid: string | undefined;
  /** `HEALTH_OK`, `HEALTH_WARN` or `HEALTH_ERR`; undefined until Rook has queried it. */
  readonly health: string | undefined;
}

/** Reads a CephCluster (ClusterStatus and CephStatus in pkg/apis/ceph.rook.io/v1/types.go of rook/rook). */
export function clusterState(object: unknown): ClusterState {
  const { data } = schema.safeParse(object);
  const status = data?.status ?? undefined;
  return {
    isExternal: data?.spec?.external?.enable === true,
    phase: status?.phase ?? "",
    isConnected: isConnected(status),
    message: status?.message ?? "",
    error: status?.ceph?.details?.error?.message || undefined,
    fsid: status?.ceph?.fsid || undefined,
    health: status?.ceph?.health || undefined,
  };
}

type Status = NonNullable<z.output<typeof schema>["status"]>;

/**
 * Even if `ceph status` fails, Rook sets the phase `Connected`, but with the state `Error`, a condition that is False
 * and a made-up HEALTH_ERR without an id (checkStatus in pkg/operator/ceph/cluster/cephstatus.go,
 * UpdateClusterCondition in pkg/operator/ceph/controller/conditions.go of rook/rook).
 */
function isConnected(status: Status | undefined): boolean {
  if (status?.phase !== "Connected") return false;
  const own = (status.conditions ?? []).filter(({ type }) => type === "Connected");
  const says = own.length > 0 ? own.every((one) => one.status === "True") : status.state === "Connected";
  const failed = status.state === "Error" || (status.ceph?.health === "HEALTH_ERR" && !status.ceph.fsid);
  return says && !failed;
}
