import { absent, file, knownAfterApply, refuse, task, z } from "../../src/authoring.ts";
import { fingerprintPath } from "../cluster/places.ts";
import { fingerprintOf, fingerprintText, readFingerprint, recordText } from "./fingerprint.ts";
import { askedParams } from "./same-cluster.ts";
import { digestIn, oddAnswer, servedAuthority, shortName, supervisorOpen } from "./served.ts";

const params = z.strictObject({
  node: askedParams.describe("The node, and what it was installed with"),
  vip: z.string().describe("The cluster's virtual address"),
  bridge: z.string().describe("Bridge of the nodes' network"),
});

const unknown = knownAfterApply as unknown as string;

/**
 * Records, once a node is in its cluster, how it was installed and which cluster it is in. An existing record stays as
 * it is: the installer reads its configuration only once. Refuses if a cluster other than the recorded one answers.
 */
export const keepFingerprint = task({
  name: "keepFingerprint",
  summary: "Record how a node was installed, and which cluster it is in",
  params,
  examples: [],
  title: ({ node }) => `fingerprint of ${node.name}`,
  disturbs: () => [],
})
  .facts((p) => ({ record: file(fingerprintPath(p.node.name), ["text"]), open: supervisorOpen(p) }))
  .facts((p, { open }) => ({ ...(open.open && { authority: servedAuthority(p) }) }))
  .want(({ node, vip }, { record, open, authority }) => {
    const ca = digestIn(authority);
    if (open.open && ca === undefined) {
      return refuse({
        code: "no-authority",
        message: `the cluster at ${vip} does not serve its CA certificate`,
        current: oddAnswer(authority),
        expected: "a certificate at /cacerts",
        hint: "Rerun when the cluster has started",
      });
    }
    const own = { type: "file" as const, mode: "0600", owner: "root", group: "root" };
    // The port can be closed here only in check mode, because in a run the task before this one waits until it is open.
    if (record === absent) return { record: { ...own, text: ca === undefined ? unknown : textOf(node, ca) } };
    const found = readFingerprint(recordText(record) ?? "");
    if (found !== undefined && ca !== undefined && found.ca !== ca) {
      return refuse({
        code: "other-cluster",
        message: `the cluster that answers at ${vip} is not the one in which ${node.name} was installed`,
        current: shortName(ca),
        expected: shortName(found.ca),
        hint: "Find out which machine has that address; harvester-destroy with removeDisks=true makes room for a new cluster",
      });
    }
    return { record: own };
  })
  .steps(({ node }, { change, now: { record, authority } }) => {
    const path = fingerprintPath(node.name);
    const own = { mode: "0600", owner: "root", group: "root" };
    const ca = digestIn(authority);
    if (!change.record) return [];
    if (record !== absent) return [{ step: "setAttributes", path, ...own }];
    return ca === undefined ? [] : [{ step: "writeFile", path, text: textOf(node, ca), ...own }];
  });

function textOf(node: z.output<typeof askedParams>, ca: string): string {
  return fingerprintText(fingerprintOf(node, ca));
}
