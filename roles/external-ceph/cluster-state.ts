import { z } from "../../src/authoring.ts";

/** The path of a CephCluster in the API. */
export function clusterPath(namespace: string, name: string): string {
  return `/apis/ceph.rook.io/v1/namespaces/${namespace}/cephclusters/${name}`;
}

const text = z.string().optional().catch(undefined);

const schema = z.looseObject({
  spec: z
    .looseObject({ external: z.looseObject({ enable: z.boolean().default(false) }).nullish() })
    .nullish()
    .catch(undefined),
  status: z
    .looseObject({
      phase: text,
      message: text,
      ceph: z.looseObject({ fsid: text, health: text }).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
});

/** Rook's status of its connection to a Ceph cluster. */
export interface ClusterState {
  /** True if Rook only uses the Ceph cluster, but does not run it. */
  readonly isExternal: boolean;
  /** `Connected` once connected; before that, `Connecting`, `Progressing` or `Failure`. */
  readonly phase: string;
  readonly message: string;
  /** The id of the Ceph cluster; undefined until Rook has queried it, and in old versions of Rook. */
  readonly fsid: string | undefined;
  /** `HEALTH_OK`, `HEALTH_WARN` or `HEALTH_ERR`; undefined until Rook has queried it. */
  readonly health: string | undefined;
}

/** Reads a CephCluster (ClusterStatus and CephStatus in pkg/apis/ceph.rook.io/v1/types.go of rook/rook). */
export function clusterState(object: unknown): ClusterState {
  const { data } = schema.safeParse(object);
  return {
    isExternal: data?.spec?.external?.enable === true,
    phase: data?.status?.phase ?? "",
    message: data?.status?.message ?? "",
    fsid: data?.status?.ceph?.fsid || undefined,
    health: data?.status?.ceph?.health || undefined,
  };
}
