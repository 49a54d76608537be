import { generatedKey, type GeneratedKey } from "../../src/authoring.ts";
import type { Cluster } from "./cluster-fields.ts";

/**
 * Returns the key with which furrow logs in to the nodes: every node has accepted it since its installation, so the
 * kubeconfig can be fetched without the user's own key or agent.
 */
export function nodeKey({ prefix }: Pick<Cluster, "prefix">): GeneratedKey {
  return generatedKey(`harvester/${prefix}/node-key`);
}
