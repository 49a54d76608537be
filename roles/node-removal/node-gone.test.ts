import { describe, expect, test } from "vitest";
import { answersOf, etcdCondition, nodeOf, type Objects, threeNodes } from "../../test/guards/examples.ts";
import { explain } from "../../src/testing/index.ts";
import { nodeReadyInCluster } from "./node-gone.ts";

const waiting = (nodes: Objects["nodes"]): string | undefined =>
  explain(nodeReadyInCluster({ kubeconfig: "k", node: "harvester-2", deadlineSeconds: 1 }), answersOf({ nodes }))
    .refusal?.message;
const others = [nodeOf("harvester-1"), nodeOf("harvester-3")];
const worker = { "node-role.harvesterhci.io/worker": "true" };
const labelled = (node: object, labels: object): object => {
  const { metadata, ...more } = node as { readonly metadata: { readonly labels: object } };
  return { ...more, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
};

describe("the wait for a replaced node", () => {
  test("is over when its kubelet is ready and its etcd votes", () => {
    expect(waiting(threeNodes())).toBeUndefined();
  });
  test("continues while the node is missing or not ready", () => {
    expect(waiting(others)).toBe("harvester-2: the cluster does not have this node");
    expect(waiting(threeNodes(2))).toBe("harvester-2: not ready");
  });
  test("continues while its etcd is still a learner", () => {
    const etcd = etcdCondition("False", { reason: "MemberIsLearner", message: "Node has not been promoted" });
    expect(waiting([...others, nodeOf("harvester-2", { etcd })])).toBe(
      "harvester-2: etcd on harvester-2 does not vote (MemberIsLearner: Node has not been promoted)",
    );
  });
  test("continues while Harvester has not promoted it, so that the cluster lacks a vote", () => {
    expect(waiting([...others, nodeOf("harvester-2", { votes: false })])).toBe(
      "harvester-2: Harvester has not made it a voting node yet",
    );
  });
  test("does not wait for a vote that the node will not get", () => {
    const plain = nodeOf("harvester-2", { votes: false });
    expect(waiting([nodeOf("harvester-1"), plain])).toBeUndefined();
    expect(waiting([...others, labelled(plain, worker)])).toBeUndefined();
    expect(waiting([...others, nodeOf("harvester-4"), plain])).toBeUndefined();
    const zoned = others.map((node) => labelled(node, { "topology.kubernetes.io/zone": "a" }));
    expect(waiting([...zoned, plain])).toBeUndefined();
  });
});
