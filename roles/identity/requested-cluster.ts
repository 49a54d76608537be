import { absent, file, refuse, task, z } from "../../src/authoring.ts";
import { kubeconfigFile } from "../../src/facts/catalogue.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { askObject } from "../cluster-answers/one-object.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { accountIn, otherNames, otherVersion, versionPath } from "./answers.ts";
import { readFingerprint, recordText } from "./fingerprint.ts";
import { foreignIn, foreignKubeconfig } from "./foreign-kubeconfig.ts";
import { shortName } from "./served.ts";

const params = z.strictObject({
  nodes: z
    .array(z.strictObject({ name: z.string() }))
    .min(1)
    .describe("The requested nodes"),
  vip: z.string().describe("The cluster's virtual address"),
  version: z.string().describe("The requested version"),
  kubeconfig: z.string().describe("The fetched kubeconfig on the controller"),
});

/**
 * Waits until the cluster has answered all requests made with its new kubeconfig. Refuses the cluster if its CA
 * certificate, node names or version are not those of the requested cluster.
 */
export const requestedCluster = task({
  name: "requestedCluster",
  summary: "Use the kubeconfig to check that the cluster is the requested one",
  params,
  examples: [],
  title: () => "the kubeconfig reaches the requested cluster",
})
  .facts((p) => ({
    record: file(fingerprintPath(p.nodes[0]?.name ?? ""), ["text"]),
    copy: kubeconfigFile(p.kubeconfig),
  }))
  .facts((p, { copy }) => {
    // Using this kubeconfig could run any program that the node specifies.
    if (foreignIn(copy) !== undefined) return {};
    return { running: askObject(p.kubeconfig, versionPath), nodes: askCluster(p.kubeconfig, "nodes").nodes };
  })
  .want((p, { record, copy, running, nodes }) => {
    const foreign = foreignIn(copy);
    if (foreign !== undefined) return foreignKubeconfig(p.kubeconfig, foreign);
    const found = readFingerprint(recordText(record) ?? "");
    if (copy !== absent && found !== undefined && copy.ca !== found.ca) {
      return refuse({
        code: "other-cluster",
        message: `the node from which ${p.kubeconfig} was fetched is not in the cluster that answers at ${p.vip}`,
        current: shortName(copy.ca),
        expected: shortName(found.ca),
        hint: "Find out which machine has the node's address",
        final: true,
      });
    }
    const { names, version, unseen } = accountIn({ nodes, running });
    const other = otherNames(p, names) ?? otherVersion(p, version);
    if (other !== undefined) return refuse({ ...other, final: true });
    if (unseen.length === 0) return {};
    return refuse({ code: "not-yet", message: `the cluster cannot be identified yet: ${unseen.join("; ")}` });
  })
  .wait((p) => ({
    intervalSeconds: 3,
    deadlineSeconds: 120,
    waitsFor: `the cluster to answer requests made with ${p.kubeconfig}`,
  }));
