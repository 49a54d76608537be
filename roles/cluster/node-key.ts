import { generatedKey, type GeneratedKey } from "../../src/authoring.ts";
import type { Cluster } from "./cluster-fields.ts";

/**
 * Returns the key with which furrow logs in to the nodes: every node accepts it from its installation on, so the
 * kubeconfig can be fetched without any key or agent of the user.
 */
export function nodeKey({ prefix }: Pick<Cluster, "prefix">): GeneratedKey {
  return generatedKey(`harvester/${prefix}/node-key`);
}
