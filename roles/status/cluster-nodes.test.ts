import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { absent, playbook } from "../../src/authoring.ts";
import { explain, simulate } from "../../src/testing/index.ts";
import { answersOf, instanceOf, nodeOf, soundCluster, threeNodes, volumeOf } from "../../test/guards/examples.ts";
import { kubernetesStatus } from "./cluster-nodes.ts";

const call = kubernetesStatus({ kubeconfig: "k" });
const notes = (now: object): readonly string[] =>
  explain(call, { copy: absent, ...answersOf(soundCluster), ...now }).notes;

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
    "virtual machines are running: default/web",
    "volumes lack replicas: pvc-1",
    "volumes are faulted: pvc-2",
  ]);
});

test("does not query the cluster with a kubeconfig that would do more than log in", async () => {
  const folder = mkdtempSync(join(tmpdir(), "furrow-status-"));
  const kubeconfig = join(folder, "kubeconfig.yaml");
  const config = {
    "current-context": "d",
    contexts: [{ name: "d", context: { cluster: "d", user: "d" } }],
    clusters: [{ name: "d", cluster: { server: "https://203.0.113.10:6443", "proxy-url": "http://a" } }],
    users: [{ name: "d", user: { token: "t" } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  const book = playbook({ name: "s", plays: [{ hosts: "all", tasks: () => [kubernetesStatus({ kubeconfig })] }] });
  const { tasks } = await simulate(book, {
    hosts: ["metal"],
    state: { metal: {} },
    drivers: {
      kubernetes: () => {
        throw new Error("the cluster was asked");
      },
    },
  });
  rmSync(folder, { recursive: true });
  expect(tasks.map(({ outcome, notes: said }) => [outcome, said])).toEqual([
    ["ok", [`the cluster was not queried: ${kubeconfig} contains proxy-url, which no node's kubeconfig contains`]],
  ]);
});

test("says once why several lists cannot be read, and still reports the others", () => {
  const error = { code: "HTTP 403", message: "you may not list" };
  expect(notes({ instances: { error }, volumes: { error } })).toEqual([
    "harvester-1: ready (control-plane, etcd)",
    "harvester-2: ready (control-plane, etcd)",
    "harvester-3: ready (control-plane, etcd)",
    "the running virtual machines and Longhorn's volumes cannot be read (HTTP 403: you may not list)",
  ]);
});
