import { describe, expect, test } from "vitest";
import { answersOf, nodeOf, soundCluster, threeNodes } from "../../test/guards/examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { nodeEmptied } from "./maintenance.ts";
import { mayEnter } from "./may-enter.ts";

const node = "harvester-2";

/** A node that furrow has asked Harvester to put into maintenance mode, with this condition. */
function nodeWith(condition: object): object {
  const own = nodeOf(node) as { metadata: object; status: { conditions: object[] } };
  return {
    ...own,
    metadata: { ...own.metadata, annotations: { "furrow/maintenance-asked-by": "me" } },
    status: { conditions: [...own.status.conditions, condition] },
  };
}

const clusterWith = (own: object) => answersOf({ ...soundCluster, nodes: [...threeNodes().toSpliced(1, 1), own] });
const enter = (own: object): Explanation =>
  explain(mayEnter({ kubeconfig: "k", node, shutDown: [], acceptOutOfReach: [] }), clusterWith(own));
const wait = (own: object): string | undefined =>
  explain(nodeEmptied({ kubeconfig: "k", node, deadlineSeconds: 1 }), clusterWith(own)).refusal?.message;

describe("maintenance that Harvester stores in a condition", () => {
  test("fails at once, and is not begun again, after Harvester's drain has timed out", () => {
    const timedOut = { type: "MaintenanceMode", status: "True", reason: "Error", message: "drain deadline exceeded" };
    const own = nodeWith(timedOut);
    const says =
      "Harvester has given up on the maintenance of harvester-2, which may be cordoned and half empty: drain deadline exceeded";
    expect(wait(own)).toBe(says);
    const { refusal } = enter(own);
    expect(refusal).toMatchObject({ message: says, hint: expect.stringContaining("Disable Maintenance Mode") });
  });

  test("is not requested while Harvester still stores the error of an earlier request", () => {
    const kept = { type: "MaintenanceMode", status: "False", reason: "Error", message: "VM gpu cannot migrate" };
    const own = nodeWith(kept);
    const { refusal } = enter(own);
    expect(refusal?.message).toContain("still stores the error of an earlier request");
    expect(refusal?.message).toContain("VM gpu cannot migrate");
    expect(refusal?.hint).toContain("Clear Maintenance Mode Error");
    expect(wait(nodeWith(kept))).toContain("VM gpu cannot migrate");
  });
});
