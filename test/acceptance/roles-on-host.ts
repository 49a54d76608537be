import { clusterNodes, clusterSchema } from "../../roles/cluster/cluster.ts";
import type { Cluster } from "../../roles/cluster/cluster-fields.ts";
import { nodeDomain } from "../../roles/harvester-nodes/role.ts";
import type { HostFacts } from "../../src/authoring.ts";
import { newOpenSshKey } from "../../src/core/secrets/openssh-key.ts";
import { pendingSecrets } from "../../src/core/secrets/secret.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { artifactsThere, type HarvesterHost, smallCluster } from "./harvester-host.ts";

/** The host's facts, from which the roles derive their params. */
export const hostFacts = { os: { id: "debian", version: "12", like: ["debian"] } } as unknown as HostFacts;

/** A cluster of three nodes. A test creates only the nodes that it needs, and does not wait for them. */
export function threeNodes(change: object = {}): Cluster {
  const disks = ["/dev/disk/by-id/a", "/dev/disk/by-id/b", "/dev/disk/by-id/c"];
  const secrets = { token: "t", password: "p", vncPassword: "screen12" };
  const given = { ...smallCluster, ...secrets, disks, artifacts: artifactsThere() };
  const cluster: Cluster = { ...clusterSchema.parse({ ...given, ...change }), nodes: 3 };
  // Sets the salt that the command line would generate once and keep.
  for (const { settle, source, name } of pendingSecrets())
    settle(source.from === "generatedKey" ? newOpenSshKey(name) : "grainofsalt");
  return cluster;
}

/** The virtual machine of a node. */
export function machine(cluster: Cluster, index: number): Node {
  const node = clusterNodes(cluster)[index - 1];
  if (node === undefined) throw new RangeError(`there is no node ${index}`);
  return nodeDomain(cluster, node);
}

/** Outcome and title of each task that was not `ok`, and the error if the task failed. */
export async function changes(host: HarvesterHost, ...nodes: readonly Node[]): Promise<string[]> {
  return (await host.apply(...nodes)).flatMap(({ outcome, title, error }) =>
    outcome === "ok" ? [] : [`${outcome} ${title}${error === undefined ? "" : `: ${error.message}`}`],
  );
}
