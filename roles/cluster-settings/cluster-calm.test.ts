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
])("a setting that makes RKE2 restart does not change while %s; what stays is not refused", (_what, cluster, says) => {
  expect(ask(cluster)).toContain("the setting http-proxy cannot be changed now");
  expect(ask(cluster)).toContain(says);
  expect(ask(cluster, false)).toBeUndefined();
});

test("a setting changes if all nodes are ready and no upgrade runs", () => {
  expect(ask({})).toBeUndefined();
});
