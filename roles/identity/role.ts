import { type Node, type PinnedKubeconfig, type Ref, role, z } from "../../src/authoring.ts";
import * as t from "../../tasks/index.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { type ClusterNode, clusterNodes, imageAt } from "../cluster/nodes.ts";
import { memoryFolder, ownerRecord } from "../cluster/places.ts";
import { kubeconfigPath } from "../kubeconfig/path.ts";
import { askedNode } from "./fingerprint.ts";
import { keepFingerprint } from "./keep-fingerprint.ts";
import { ownImages } from "./own-images.ts";
import { requestedCluster } from "./requested-cluster.ts";
import { sameCluster } from "./same-cluster.ts";
import { authorityShown } from "./served.ts";

const params = z.strictObject({ cluster: z.custom<Cluster>(), publicAddress: z.string() });

/** The data to compare with the cluster on the host. */
interface Comparison {
  readonly cluster: Cluster;
  readonly publicAddress: string;
  /** The play installs nodes, so the versions must be equal. */
  readonly installs: boolean;
  /** The play uses the kubeconfig, so it must be for this cluster. */
  readonly needsKubeconfig: boolean;
  /**
   * The play changes the cluster with the kubeconfig, so a record or the served CA must show which cluster the
   * kubeconfig is for.
   */
  readonly acts?: boolean;
  /** The play stores the cluster's kubeconfig, so the existing one must not be for another cluster. */
  readonly storesKubeconfig?: boolean;
  /** The play upgrades the cluster, so the versions differ until it has finished. */
  readonly upgrades: boolean;
  /** The next tasks must not run on a different cluster, so a cluster that cannot be compared is refused. */
  readonly proves?: Ref<boolean>;
}

/** Refuses to work on any cluster but the requested one, before anything is changed. */
export const identity = role(
  {
    name: "identity",
    summary: "Refuse to work on any cluster but the one that was first deployed on the host",
    params: params.extend({
      installs: z.boolean().default(false),
      needsKubeconfig: z.boolean().default(true),
      storesKubeconfig: z.boolean().default(false),
      upgrades: z.boolean().default(false),
    }),
  },
  ({ cluster, ...others }) => [ownImagesOf(cluster), clusterOf({ cluster, ...others })],
);

/** The tasks of `identity`, and the kubeconfig that all later tasks of the play must use. */
export interface Identified {
  readonly tasks: Node;
  readonly kubeconfig: Ref<PinnedKubeconfig>;
}

/**
 * Returns the tasks of `identity` for a play that queries the cluster before it destroys something. The kubeconfig is
 * pinned to the cluster that these tasks have identified: each later request compares the cluster again.
 */
export function identified(
  cluster: Cluster,
  publicAddress: string,
  more: Partial<Pick<Comparison, "installs" | "acts" | "upgrades">> = {},
): Identified {
  const compared = clusterOf({
    cluster,
    publicAddress,
    installs: false,
    needsKubeconfig: true,
    upgrades: false,
    ...more,
  });
  return { tasks: comparedIdentity({ cluster, compared }), kubeconfig: compared.output };
}

const comparedIdentity = role(
  {
    name: identity.card.name,
    summary: identity.card.summary,
    params: z.strictObject({ cluster: z.custom<Cluster>(), compared: z.custom<ReturnType<typeof sameCluster>>() }),
  },
  ({ cluster, compared }) => [ownImagesOf(cluster), compared],
);

/** Returns the task that queries the cluster with its kubeconfig, if the controller can reach its API. */
export function answersAsRequested(cluster: Cluster): ReturnType<typeof requestedCluster> | undefined {
  const { exposure, network, version } = cluster;
  if (exposure === false || !exposure.ports.includes(6443)) return undefined;
  const nodes = clusterNodes(cluster).map(({ name }) => ({ name }));
  return requestedCluster({ nodes, vip: network.vip, version, kubeconfig: kubeconfigPath(cluster) });
}

/** Returns the tasks that refuse a different cluster at the address of the cluster that has just been started. */
export function sameAnswers(cluster: Cluster, publicAddress: string): Node[] {
  // Without the wait for the nodes, there may be no answer yet.
  if (cluster.ready === false) return [];
  const shown = authorityShown({ node: firstOf(cluster), ...servedAt(cluster) });
  // Check mode does not know how a wait ends, so it neither compares nor refuses a cluster that is off.
  const proves = shown.output.map(() => true);
  return [
    shown,
    clusterOf(
      { cluster, publicAddress, installs: false, needsKubeconfig: false, upgrades: false, proves },
      "the cluster that answers is the one that was shut down",
    ),
  ];
}

function firstOf(cluster: Cluster): string {
  return clusterNodes(cluster)[0]?.name ?? cluster.prefix;
}

/** Returns the task that compares the cluster on the host with the requested one. */
function clusterOf(
  { cluster, publicAddress, storesKubeconfig = false, ...others }: Comparison,
  name?: string,
): ReturnType<typeof sameCluster> {
  // Without the wait for the nodes, there is nothing to fetch.
  const isStored = storesKubeconfig && cluster.ready !== false;
  const asked = {
    nodes: clusterNodes(cluster).map((node) => askedNode(cluster, node, publicAddress)),
    ...servedAt(cluster),
    version: cluster.version,
    ...(isStored && { replaces: { publicAddress } }),
    ...((cluster.kubeconfig !== false || others.needsKubeconfig) && { kubeconfig: kubeconfigPath(cluster) }),
    ...others,
  };
  return sameCluster(asked, name === undefined ? {} : { name });
}

/**
 * Records which cluster's disk images will be on the host, before the first one is created. The data disks are mounted
 * by now, so images that were not visible before are compared too.
 */
export const ownership = role(
  {
    name: "ownership",
    summary: "Record on the host which cluster its disk images belong to",
    params: z.strictObject({ cluster: z.custom<Cluster>() }),
  },
  ({ cluster }) => [
    ownImagesOf(cluster),
    t.file({ path: memoryFolder, state: "directory", mode: "0755" }),
    t.file({ path: ownerRecord, content: `${cluster.prefix}\n`, mode: "0600", owner: "root", group: "root" }),
  ],
);

/** Records how a node was installed, once it is in its cluster. */
export const fingerprint = role(
  {
    name: "fingerprint",
    summary: "Record how a node was installed, and which cluster it is in",
    params: params.extend({ node: z.custom<ClusterNode>() }),
  },
  ({ cluster, node, publicAddress }) => {
    // Without the wait, furrow cannot know whether the node is in a cluster.
    if (cluster.ready === false) return [];
    return [
      authorityShown({ node: node.name, ...servedAt(cluster) }),
      keepFingerprint(
        { node: askedNode(cluster, node, publicAddress), ...servedAt(cluster) },
        { retries: { times: 5, delaySeconds: 3, factor: 1 } },
      ),
    ];
  },
);

/** Returns the task that refuses disk images of other clusters. */
export function ownImagesOf(cluster: Cluster, unknown: "refuse" | "accept" = "refuse"): ReturnType<typeof ownImages> {
  return ownImages({ prefix: cluster.prefix, network: cluster.network.name, images: imagesOf(cluster), unknown });
}

/** Returns the disk images of all nodes, each with the node that uses it. */
export function imagesOf(cluster: Cluster): { node: string; file: string }[] {
  return clusterNodes(cluster).flatMap((node) =>
    [node, ...node.extraDisks].map((disk) => ({ node: node.name, file: imageAt(disk) })),
  );
}

function servedAt({ network }: Cluster): { vip: string; bridge: string } {
  return { vip: network.vip, bridge: network.bridge };
}
