import { type OrRef, type PinnedKubeconfig, role, z } from "../../src/authoring.ts";
import { bootArtifacts } from "../boot-artifacts/role.ts";
import type { Cluster } from "../cluster/cluster-fields.ts";
import { baseUrl, clusterNodes, documentRoot } from "../cluster/nodes.ts";
import { artifactNames } from "../cluster/releases.ts";
import { mayUpgrade } from "./may-upgrade.ts";
import { upgradeFinished } from "./upgrade-finished.ts";
import { upgradeStarted } from "./upgrade-started.ts";
import { versionOffered } from "./version-offered.ts";
import { versionRecorded } from "./version-recorded.ts";

/**
 * Upgrades the cluster to the version in its vars. The host downloads the release, checks it, and serves it to the
 * nodes. The upgrade therefore works behind an air gap too, and the new boot artifacts are available for the next node.
 */
export const clusterUpgrade = role(
  {
    name: "cluster upgrade",
    summary: "Upgrade Harvester, if the cluster is ready for it, and wait until the upgrade has finished",
    params: z.strictObject({
      cluster: z.custom<Cluster>(),
      kubeconfig: z.custom<OrRef<PinnedKubeconfig>>(),
      retry: z.boolean().describe("Start over after a failed attempt"),
      deadlineSeconds: z.number().positive().describe("Seconds after which furrow stops waiting for the upgrade"),
    }),
  },
  ({ cluster, kubeconfig, retry, deadlineSeconds }) => {
    const { version } = cluster;
    const nodes = clusterNodes(cluster).map(({ name }) => name);
    const { iso } = artifactNames(version);
    const decided = mayUpgrade({ kubeconfig, nodes, version, retry });
    const starts = decided.output.map(({ action }) => action === "start");
    const upgrade = decided.output.map(({ name }) => name);
    const waits = decided.output.map(({ action }) => action !== "none");
    return [
      decided,
      bootArtifacts({ cluster }, { when: starts }),
      versionOffered(
        { kubeconfig, version, iso: `${documentRoot}/${iso}`, url: `${baseUrl(cluster)}/${iso}` },
        { when: starts },
      ),
      upgradeStarted(
        { kubeconfig, version, name: upgrade, replaces: decided.output.map(({ replaces }) => replaces) },
        { when: starts, name: `the upgrade to ${version} has begun` },
      ),
      upgradeFinished(
        { kubeconfig, version, name: upgrade, deadlineSeconds },
        { when: waits, name: `the cluster has been upgraded to ${version}` },
      ),
      nodes.map((node) => versionRecorded({ node, version })),
    ];
  },
);
