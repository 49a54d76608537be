import { absent, type Absent, file, task, z } from "../../src/authoring.ts";
import {
  keptHostKeys,
  kubeconfigFile,
  type KubeconfigFile,
  removeHostKeys,
  removeKubeconfig,
} from "../../src/facts/catalogue.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { recordsIn } from "./fingerprint.ts";
import { isOfOther, othersNote } from "./other-kubeconfig.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  nodes: z.array(z.string()).describe("Names of the cluster's nodes"),
  publicAddress: z.string().describe("Address of the cluster in its kubeconfig"),
});

/**
 * Removes a destroyed cluster's kubeconfig from the controller, together with the SSH host key of its node: the next
 * cluster has a different CA certificate and a different key. Keeps a kubeconfig that is for another cluster, and one
 * with other contexts.
 */
export const forgetKubeconfig = task({
  name: "forgetKubeconfig",
  summary: "Remove a destroyed cluster's kubeconfig, and the host keys that belong to it, from the controller",
  params,
  examples: [],
  title: ({ kubeconfig }) => `kubeconfig ${kubeconfig} and its host keys are removed`,
})
  .facts((p) => ({
    copy: kubeconfigFile(p.kubeconfig),
    keys: keptHostKeys(p.kubeconfig),
    records: p.nodes.map((name) => file(fingerprintPath(name), ["text"])),
  }))
  .want((p, now) => {
    if (isForeign(p, now)) return {};
    // Another context may be the only access to another cluster.
    return { keys: absent, ...((now.copy === absent || now.copy.others === undefined) && { copy: absent }) };
  })
  .steps((p, { change, now: { copy } }) => [
    change.copy && copy !== absent ? removeKubeconfig(p.kubeconfig, copy) : change.keys && removeHostKeys(p.kubeconfig),
  ])
  .notes((p, now) => {
    const { copy } = now;
    if (copy === absent) return [];
    if (isForeign(p, now))
      return [`the kubeconfig ${p.kubeconfig} stays: it is for another cluster, at ${copy.server}`];
    return othersNote(p.kubeconfig, copy);
  });

function isForeign(
  { publicAddress }: z.output<typeof params>,
  { copy, records }: { readonly copy: Absent | KubeconfigFile; readonly records: readonly unknown[] },
): boolean {
  return copy !== absent && isOfOther(copy, recordsIn(records)[0]?.ca, publicAddress);
}
