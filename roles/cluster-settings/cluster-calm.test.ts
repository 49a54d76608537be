import { expect, test } from "vitest";
import { answersOf, nodeOf, type Objects, soundCluster, threeNodes, upgradeOf } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { clusterCalm } from "./cluster-calm.ts";

const ask = (cluster: Partial<Objects>, changes = true) =>
  explain(clusterCalm({ kubeconfig: "k", setting: "http-proxy", changes }), answersOf({ ...soundCluster, ...cluster }))
    .refusal?.message;

test.each<[string, Partial<Objects>, string]>([
  ["a node is down", { nodes: threeNodes(1) }, "not ready"],
  ["a node is in maintenance", { nodes: [nodeOf("harvester-1", { maintained: true })] }, "harvester-1 in maintenance"],
  ["an upgrade runs", { upgrades: [upgradeOf("hvst-1", "v1.9.0")] }, "the upgrade hvst-1 is running"],
])(
  "refuses to change a setting that makes RKE2 restart while %s, but accepts an unchanged one",
  (_what, cluster, says) => {
    expect(ask(cluster)).toContain("the setting http-proxy cannot be changed now");
    expect(ask(cluster)).toContain(says);
    expect(ask(cluster, false)).toBeUndefined();
  },
);

test("allows the change of a setting if all nodes are ready and no upgrade is running", () => {
  expect(ask({})).toBeUndefined();
});
