import { describe, expect, test } from "vitest";
import { answersOf, instanceOf, machineOf, nodeOf, soundCluster, threeNodes } from "../../test/guards/examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { mayReturn, requestForgotten } from "./leave.ts";
import { machinesHalted } from "./machines.ts";
import { mayEnter } from "./may-enter.ts";

const node = "harvester-2";

describe("a machine with the run strategy Manual, which KubeVirt starts only on request,", () => {
  const manual = (name: string, annotations: object = {}, runStrategy = "Manual"): object => {
    const own = machineOf(name) as { metadata: object; spec: object };
    return { ...own, metadata: { ...own.metadata, annotations }, spec: { ...own.spec, runStrategy } };
  };

  test("is not shut down for maintenance, because it would stay off afterwards", () => {
    const cluster = { ...soundCluster, instances: [instanceOf("gpu", node)], machines: [manual("gpu")] };
    const asked = { kubeconfig: "k", node, shutDown: ["default/gpu"], acceptOutOfReach: [] };
    const { refusal } = explain(mayEnter(asked), answersOf(cluster));
    expect(refusal?.message).toBe(
      "after the maintenance, these machines would stay off, because of their run strategy Manual: default/gpu",
    );
    const halted = explain(machinesHalted({ kubeconfig: "k", node, machines: ["default/gpu"] }), {
      machines: [{ found: true, object: { kind: "VirtualMachine", ...manual("gpu") } }],
    });
    expect([halted.refusal?.code, halted.steps]).toEqual(["starts-by-hand", []]);
  });

  test("is reported as staying off if it was shut down for maintenance", () => {
    const annotations = {
      "furrow/stopped-for-maintenance-of": node,
      "furrow/run-strategy-before-maintenance": "Manual",
    };
    const machines = [manual("gpu", annotations, "Halted")];
    const { notes } = explain(mayReturn({ kubeconfig: "k", node }), answersOf({ ...soundCluster, machines }));
    expect(notes[0]).toContain(
      "default/gpu STAYS OFF: with the run strategy Manual, KubeVirt starts it only on request",
    );
  });
});

describe("a machine that Harvester has shut down because of its label", () => {
  const returned = (label: string, metadata: object = {}, runStrategy = "Halted"): readonly string[] => {
    const own = machineOf("web") as { metadata: object; spec: object };
    const labels = { "harvesterhci.io/maintain-mode-strategy": label };
    const annotations = { "harvesterhci.io/maintain-mode-strategy-node-name": node, ...metadata };
    const machine = { ...own, metadata: { ...own.metadata, labels, annotations }, spec: { ...own.spec, runStrategy } };
    const drained = nodeOf(node, { maintained: true });
    const nodes = [...threeNodes().toSpliced(1, 1), drained];
    return explain(
      mayReturn({ kubeconfig: "k", node }),
      answersOf({ ...soundCluster, nodes, machines: [machine] }),
    ).notes.filter((one) => one.includes("default/web"));
  };

  test.each(["ShutdownAndRestartAfterEnable", "ShutdownAndRestartAfterDisable"])(
    "does not stay off if the maintenance ends early: %s",
    (label) => {
      expect(returned(label, { "harvesterhci.io/vmRunStrategy": "Always" })).toEqual([
        "default/web starts again (Always)",
      ]);
      expect(returned(label)).toEqual(["default/web starts again (RerunOnFailure)"]);
      expect(returned(label, {}, "Always")).toEqual(["somebody has already started default/web"]);
    },
  );

  test("stays off if its label says so, or if it was another node's maintenance", () => {
    expect(returned("Shutdown")).toEqual([]);
    expect(
      returned("ShutdownAndRestartAfterEnable", {
        "harvesterhci.io/maintain-mode-strategy-node-name": "harvester-1",
      }),
    ).toEqual([]);
  });
});

test("leave says why it has nothing to do on a node that is not in maintenance", () => {
  expect(explain(mayReturn({ kubeconfig: "k", node }), answersOf(soundCluster)).notes).toEqual([
    "harvester-2 is not in maintenance, and no machine was shut down for it: nothing to undo",
  ]);
});

describe("a machine that furrow has shut down, and whose run strategy", () => {
  const back = (...managedFields: object[]): Explanation => {
    const own = machineOf("web") as { metadata: object; spec: object };
    const annotations = {
      "furrow/stopped-for-maintenance-of": node,
      "furrow/run-strategy-before-maintenance": "Always",
    };
    const metadata = { ...own.metadata, annotations, managedFields };
    const machine = { ...own, metadata, spec: { ...own.spec, runStrategy: "Halted" } };
    const nodes = threeNodes().toSpliced(1, 1, nodeOf(node, { maintained: true }));
    return explain(mayReturn({ kubeconfig: "k", node }), answersOf({ ...soundCluster, nodes, machines: [machine] }));
  };
  const fieldsV1 = { "f:spec": { "f:runStrategy": {} } };
  const apiVersion = "kubevirt.io/v1";
  const halted = { manager: "furrow", operation: "Update", apiVersion, fieldsV1 };

  test("another manager has set to Halted since then stays off, with a note", () => {
    expect(back(halted, { manager: "furrow-machines", operation: "Apply", apiVersion, fieldsV1 }).notes[0]).toBe(
      "default/web STAYS OFF: furrow-machines has set its run strategy to Halted since it was shut down",
    );
  });

  test("only the maintenance has set starts again", () => {
    const others = {
      manager: "furrow-machines",
      operation: "Apply",
      apiVersion,
      fieldsV1: { "f:spec": { "f:template": {} } },
    };
    for (const { notes } of [back(halted, others), back()]) expect(notes[0]).toBe("default/web starts again (Always)");
  });
});

test("a cordoned node that is not in maintenance stays cordoned", () => {
  const nodes = [...threeNodes().toSpliced(1, 1), nodeOf(node, { cordoned: true })];
  expect(explain(mayReturn({ kubeconfig: "k", node }), answersOf({ ...soundCluster, nodes })).notes).toEqual([
    "harvester-2 is not in maintenance, but it stays cordoned: uncordon it if you do not want that",
  ]);
});

describe("a node whose maintenance request Harvester has withdrawn", () => {
  const own = nodeOf(node, { cordoned: true }) as { metadata: object };
  const refusedNode = { ...own, metadata: { ...own.metadata, annotations: { "furrow/maintenance-asked-by": "me" } } };
  const left = explain(
    mayReturn({ kubeconfig: "k", node }),
    answersOf({ ...soundCluster, nodes: [...threeNodes().toSpliced(1, 1), refusedNode] }),
  );

  test("keeps the cordon that somebody else has set: leave removes only furrow's annotation", () => {
    expect(left.notes).toEqual([
      "harvester-2 is not in maintenance: only furrow's annotation for a withdrawn request is removed",
      "harvester-2 is not in maintenance, but it stays cordoned: uncordon it if you do not want that",
    ]);
  });

  test("loses furrow's annotation, in a patch that names nothing else", () => {
    const { steps } = explain(requestForgotten({ kubeconfig: "k", node }), {
      node: { found: true, object: { kind: "Node", ...refusedNode } },
    });
    const body = { metadata: { annotations: { "furrow/maintenance-asked-by": null } } };
    expect(steps).toMatchObject([{ request: { method: "PATCH", path: "/api/v1/nodes/harvester-2", body } }]);
  });
});
