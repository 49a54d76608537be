import { absent, file, task, z } from "../../src/authoring.ts";
import { keptHostKeys, kubeconfigFile, removeKubeconfig } from "../../src/facts/catalogue.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { recordsIn } from "./fingerprint.ts";

const params = z.strictObject({
  kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
  nodes: z.array(z.string()).describe("Names of the cluster's nodes"),
  publicAddress: z.string().describe("Address at which the kubeconfig of this cluster reaches it"),
});

/**
 * Removes a destroyed cluster's kubeconfig from the controller, with the SSH host key of its node: the next cluster has
 * another CA certificate and another key. Keeps a kubeconfig that is for another cluster.
 */
export const forgetKubeconfig = task({
  name: "forgetKubeconfig",
  summary: "Remove a destroyed cluster's kubeconfig, and its node's host key, from the controller",
  params,
  examples: [],
  title: ({ kubeconfig }) => `kubeconfig ${kubeconfig} and its host keys are removed`,
})
  .facts((p) => ({
    copy: kubeconfigFile(p.kubeconfig),
    keys: keptHostKeys(p.kubeconfig),
    records: p.nodes.map((name) => file(fingerprintPath(name), ["text"])),
  }))
  .want((p, now) => (isOfOther(p, now) ? {} : { copy: absent, keys: absent }))
  .steps((p, { change }) => [(change.copy ?? change.keys) && removeKubeconfig(p.kubeconfig)])
  .notes((p, now) => {
    const { copy } = now;
    return isOfOther(p, now) && copy !== absent
      ? [`the kubeconfig ${p.kubeconfig} stays: it is for another cluster, at ${copy.server}`]
      : [];
  });

interface Known {
  readonly copy: typeof absent | { readonly server: string; readonly ca: string };
  readonly records: readonly unknown[];
}

function isOfOther({ publicAddress }: z.output<typeof params>, { copy, records }: Known): boolean {
  if (copy === absent) return false;
  const [first] = recordsIn(records);
  // A host that was deployed before there were fingerprints has none.
  return first === undefined ? !hostIn(copy.server, publicAddress) : copy.ca !== first.ca;
}

function hostIn(server: string, address: string): boolean {
  return URL.parse(server)?.hostname.replaceAll(/^\[|\]$/g, "") === address;
}
