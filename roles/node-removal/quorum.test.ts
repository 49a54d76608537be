import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { mayLeave, quorumProblem } from "./quorum.ts";
import type { NodeObject } from "./cluster-objects.ts";

const node = (name: string, ready = true, votes = true): NodeObject => ({
  name,
  ready,
  votes,
  roles: votes ? ["control-plane", "etcd"] : [],
  cordoned: false,
});
const three = (...down: string[]): NodeObject[] => ["a", "b", "c"].map((name) => node(name, !down.includes(name)));

test.each([
  { nodes: three(), leaving: "b", fine: true },
  { nodes: three("b"), leaving: "b", fine: true },
  { nodes: three("a"), leaving: "b", fine: false },
  { nodes: three("a", "b"), leaving: "b", fine: false },
  { nodes: [node("a")], leaving: "a", fine: false },
  // One node has already left, and a run continues.
  { nodes: three().slice(1), leaving: "a", fine: true },
  { nodes: [...three(), node("d", false, false)], leaving: "d", fine: true },
  { nodes: [...three("c"), node("d"), node("e")], leaving: "a", fine: true },
  { nodes: [...three("b", "c"), node("d"), node("e")], leaving: "a", fine: false },
])("allows $leaving to leave: $fine", ({ nodes, leaving, fine }) => {
  expect(quorumProblem(nodes, leaving) === undefined).toBe(fine);
});

const raw = ({ name, ready, votes }: NodeObject): object => ({
  metadata: {
    name,
    labels: {
      ...(votes && { "node-role.kubernetes.io/etcd": "true", "node-role.kubernetes.io/control-plane": "true" }),
    },
  },
  status: { conditions: [{ type: "Ready", status: ready ? "True" : "Unknown" }] },
});
const list = (...items: object[]): object => ({ found: true, object: { items } });
const call = mayLeave({ kubeconfig: "k", node: "b" });
const ask = (
  nodes: object,
  machines: object = { found: false },
  volumes: object = { found: false },
): string | undefined => explain(call, { nodes, machines, volumes }).refusal?.message;

describe("a node", () => {
  test("can be removed if the other nodes are up, nothing runs on it and no volume lacks a replica", () => {
    expect(ask(list(...three().map(raw)))).toBeUndefined();
  });
  test("cannot be removed if the cluster does not answer, or too few of the other nodes are up", () => {
    expect(ask({ error: { code: "ECONNREFUSED", message: "refused" } })).toContain("does not list its nodes");
    expect(ask(list(...three("a").map(raw)))).toBe("without b only 1 of 3 voting nodes are up, but 2 are needed");
  });
  test("cannot be removed while virtual machines run on it; machines on other nodes do not matter", () => {
    const machine = (name: string, nodeName: string, phase = "Running"): object => ({
      metadata: { namespace: "default", name },
      status: { nodeName, phase },
    });
    const machines = list(machine("web", "b"), machine("db", "a"), machine("old", "b", "Succeeded"));
    expect(ask(list(...three().map(raw)), machines)).toBe("virtual machines run on b: default/web");
    expect(ask(list(...three("b").map(raw)), machines)).toBeUndefined();
  });
  test("cannot be removed while volumes lack replicas, unless it is already down", () => {
    const volumes = list({ metadata: { name: "pvc-1" }, status: { robustness: "degraded" } });
    expect(ask(list(...three().map(raw)), { found: false }, volumes)).toBe("volumes lack replicas: pvc-1");
    expect(ask(list(...three("b").map(raw)), { found: false }, volumes)).toBeUndefined();
  });
});
