import { describe, expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { exampleVars } from "../parvester/parvester.fixture.ts";
import { parvesterSchema } from "../parvester/parvester.ts";
import { multusRuns, oneMultus } from "./multus.ts";
import { fileUrl } from "./stack.ts";

const set = (name: string, ready = 1) => ({
  metadata: { name, namespace: "kube-system" },
  status: { desiredNumberScheduled: 1, numberReady: ready },
});
const answer = (...items: object[]) => ({ daemonSets: { kind: "DaemonSetList", items } });

describe("Multus", () => {
  test.each([
    ["rke2", ["rke2-multus"], undefined],
    ["rke2", [], undefined],
    ["rke2", ["kube-multus-ds"], "other-multus"],
    ["manifest", ["kube-multus-ds", "canal"], undefined],
    ["manifest", ["rke2-multus-ds"], "other-multus"],
  ] as const)("from %s, in a cluster that has %j", (way, names, code) => {
    const now = answer(...names.map((name) => set(name)));
    expect(explain(oneMultus({ kubeconfig: "k", way }), now).refusal?.code).toBe(code);
  });

  test.each([
    [answer(), "not-yet"],
    [answer(set("rke2-multus", 0)), "not-yet"],
    [answer(set("rke2-multus")), undefined],
    // The DaemonSet's controller has not seen its last change yet.
    [answer({ ...set("rke2-multus"), metadata: { ...set("rke2-multus").metadata, generation: 2 } }), "not-yet"],
  ])("is waited for until it is running on every node", (now, code) => {
    expect(explain(multusRuns({ kubeconfig: "k", way: "rke2" }), now).refusal?.code).toBe(code);
  });

  const wrong = (change: object): string[] =>
    (parvesterSchema.safeParse({ ...exampleVars, ...change }).error?.issues ?? []).map(({ path }) => path.join("."));
  const multusManifest = { version: "v4.0.2", manifest: `sha256:${"5".repeat(64)}` };

  test("comes from RKE2 or from the manifest, never from both", () => {
    expect(wrong({})).toEqual([]);
    expect(wrong({ multus: "manifest" })).toEqual(["multusManifest"]);
    expect(wrong({ multusManifest })).toEqual(["multusManifest"]);
    expect(wrong({ multus: "manifest", multusManifest })).toEqual([]);
  });
});

test("each file comes from its project, or from the mirror", () => {
  expect(fileUrl("cdi", "v1.59.0", "cdi-operator.yaml", undefined)).toBe(
    "https://github.com/kubevirt/containerized-data-importer/releases/download/v1.59.0/cdi-operator.yaml",
  );
  expect(fileUrl("local-path", "v0.0.28", "local-path-storage.yaml", undefined)).toBe(
    "https://raw.githubusercontent.com/rancher/local-path-provisioner/v0.0.28/deploy/local-path-storage.yaml",
  );
  expect(fileUrl("cdi", "v1.59.0", "cdi-operator.yaml", "https://m.example.org")).toBe(
    "https://m.example.org/cdi/v1.59.0/cdi-operator.yaml",
  );
});
