import { describe, expect, test } from "vitest";
import { answersOf, etcdCondition, nodeOf, type Objects, soundCluster } from "../../test/guards/examples.ts";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { mayLeave } from "./quorum.ts";

/** Asks whether harvester-2 may leave. */
const ask = (cluster: Partial<Objects>): Explanation =>
  explain(mayLeave({ kubeconfig: "k", node: "harvester-2", acceptLoss: [] }), {
    ...answersOf({ ...soundCluster, ...cluster }),
    domain: absent,
  });
const refusal = (cluster: Partial<Objects>): string | undefined => ask(cluster).refusal?.message;

describe("a member of etcd does not count as up, although its kubelet is ready", () => {
  const withThird = (etcd: object | null, index = 3): string | undefined =>
    refusal({
      nodes: [1, 2, 3].map((at) => nodeOf(`harvester-${at}`, at === index ? { etcd } : {})),
    });
  const without = (why: string): string =>
    `without harvester-2 only 1 of 3 voting nodes is up (${why}), but 2 are needed`;

  test("if its etcd is down", () => {
    expect(withThird(etcdCondition("False"))).toBe(
      without("etcd on harvester-3 does not vote (Unhealthy: Node is unhealthy)"),
    );
  });
  test("if it still is a learner, or not a member", () => {
    const learner = { reason: "MemberIsLearner", message: "not promoted" };
    expect(withThird(etcdCondition("False", learner))).toContain("(MemberIsLearner: not promoted)");
    const none = { reason: "NotAMember", message: "" };
    expect(withThird(etcdCondition("False", none))).toContain("etcd on harvester-3 does not vote (NotAMember)");
  });
  test("if RKE2 does not report whether it votes", () => {
    expect(withThird(null)).toBe(without("RKE2 does not report whether etcd runs on harvester-3"));
    expect(withThird(etcdCondition("True", { status: "Unknown" }))).toContain("RKE2 does not report");
    expect(withThird(etcdCondition("True", { lastHeartbeatTime: null }))).toBe(
      without("RKE2 has not reported whether etcd runs on harvester-3"),
    );
  });
  test("if RKE2 has not renewed its report for more than ten minutes, although it does so every five", () => {
    expect(withThird(etcdCondition("True", { lastHeartbeatTime: "2025-12-31T23:49:00Z" }))).toBe(
      without("RKE2 has not reported since 2025-12-31T23:49:00Z whether etcd runs on harvester-3"),
    );
    expect(withThird(etcdCondition("True", { lastHeartbeatTime: "2025-12-31T23:54:00Z" }))).toBeUndefined();
  });
  test("and the hint says where to look", () => {
    const nodes = [
      nodeOf("harvester-1"),
      nodeOf("harvester-2"),
      nodeOf("harvester-3", { etcd: etcdCondition("False") }),
    ];
    expect(ask({ nodes }).refusal?.hint).toBe(
      "Bring the other nodes back up first; find out why etcd does not vote (on harvester-3: journalctl -u rke2-server)",
    );
  });
  test("so the node whose own etcd is down can leave", () => {
    expect(withThird(etcdCondition("False"), 2)).toBeUndefined();
  });
});
