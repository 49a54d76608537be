import { expect, test } from "vitest";
import { explain } from "../../src/testing/index.ts";
import { answersOf, instanceOf, nodeOf, soundCluster, threeNodes, volumeOf } from "../../test/guards/examples.ts";
import { kubernetesStatus } from "./cluster-nodes.ts";

const call = kubernetesStatus({ kubeconfig: "k" });
const notes = (now: object): readonly string[] => explain(call, { ...answersOf(soundCluster), ...now }).notes;

test("reports nodes, running machines, and volumes that need attention", () => {
  const cluster = {
    nodes: [...threeNodes(2), nodeOf("harvester-4", { votes: false, cordoned: true })],
    instances: [instanceOf("web", "harvester-1")],
    volumes: [volumeOf("pvc-1", "attached", "degraded"), volumeOf("pvc-2", "detached", "faulted"), volumeOf("pvc-3")],
  };
  expect(notes(answersOf(cluster))).toEqual([
    "harvester-1: ready (control-plane, etcd)",
    "harvester-2: not ready (control-plane, etcd)",
    "harvester-3: ready (control-plane, etcd)",
    "harvester-4: ready, cordoned (worker)",
    "virtual machines run: default/web",
    "volumes lack replicas: pvc-1",
    "volumes are faulted: pvc-2",
  ]);
});

test("says once why several lists cannot be seen, and still reports the others", () => {
  const error = { code: "HTTP 403", message: "you may not list" };
  expect(notes({ instances: { error }, volumes: { error } })).toEqual([
    "harvester-1: ready (control-plane, etcd)",
    "harvester-2: ready (control-plane, etcd)",
    "harvester-3: ready (control-plane, etcd)",
    "the running virtual machines and Longhorn's volumes cannot be seen (HTTP 403: you may not list)",
  ]);
});
