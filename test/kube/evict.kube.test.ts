import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Node } from "../../src/core/authoring/group.ts";
import * as t from "../../tasks/index.ts";
import type { TaskEnd } from "../tasks/on-host.ts";
import { refusal, Tasks } from "./on-server.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
  create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, spec: { unschedulable: true } });
  create({ apiVersion: "v1", kind: "Node", metadata: { name: "n2" } });
});
afterAll(() => server?.down());
beforeEach(() => {
  server.kubectl(["delete", "pods", "--all", "--namespace=shop", "--grace-period=0", "--force", "--wait=false"]);
  server.kubectl(["delete", "poddisruptionbudgets", "--all", "--namespace=shop"]);
});

function create(object: object): void {
  server.kubectl(["create", "--filename=-"], JSON.stringify(object));
}

const controller = (kind: string) => ({
  ownerReferences: [{ apiVersion: "apps/v1", kind, name: "web", uid: "11111111-2222", controller: true }],
});

/** A pod that runs on a node. */
function run(name: string, metadata: object = {}, spec: object = {}): void {
  const containers = [{ name: "main", image: "main:1" }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop", labels: { app: "web" }, ...metadata },
    spec: { nodeName: "n1", containers, ...spec },
  };
  create(pod);
  // A budget does not count a pod that has not started.
  setStatus(`/api/v1/namespaces/shop/pods/${name}`, {
    phase: "Running",
    conditions: [{ type: "Ready", status: "True" }],
  });
}

function setStatus(path: string, status: object): void {
  const object = JSON.parse(server.kubectl(["get", "--raw", path])) as object;
  server.kubectl(["replace", "--raw", `${path}/status`, "--filename=-"], JSON.stringify({ ...object, status }));
}

const budgets = "/apis/policy/v1beta1/namespaces/shop/poddisruptionbudgets";

/** Sets the status of a disruption budget for all pods: this many may be evicted now. */
function budget(disruptionsAllowed: number): void {
  setStatus(`${budgets}/web`, {
    observedGeneration: 1,
    disruptionsAllowed,
    currentHealthy: 1,
    desiredHealthy: 1 - disruptionsAllowed,
    expectedPods: 1,
  });
}

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string; readonly deletionTimestamp?: string };
}

function pods(): readonly Pod[] {
  const text = server.kubectl(["get", "pods", "--namespace=shop", "--output=json"]);
  return (JSON.parse(text) as { readonly items: readonly Pod[] }).items;
}

const names = (): string[] => pods().map(({ metadata }) => metadata.name);

/** Simulates a kubelet: removes pods whose deletion has begun. Then `after` does what a controller would do. */
async function kubelet(until: AbortSignal, after: (name: string) => void = () => undefined): Promise<void> {
  while (!until.aborted) {
    for (const { metadata } of pods().filter((pod) => pod.metadata.deletionTimestamp !== undefined)) {
      const now = ["--grace-period=0", "--force", "--ignore-not-found"];
      server.kubectl(["delete", "pod", metadata.name, "--namespace=shop", ...now]);
      after(metadata.name);
    }
    await pause(200);
  }
}

/** Calls `act` while a simulated kubelet is running. */
async function withKubelet<T>(act: () => Promise<T>, after?: (name: string) => void): Promise<T> {
  const over = new AbortController();
  const runs = kubelet(over.signal, after);
  try {
    return await act();
  } finally {
    over.abort();
    await runs;
  }
}

type Params = Parameters<typeof t.kubeEvict>[0];

const evict = (params: object = { node: "n1" }): Node =>
  t.kubeEvict({ kubeconfig: server.kubeconfig(), deadlineSeconds: 120, ...params } as Params);

const both = async (act: (mode: "check" | "apply") => Promise<TaskEnd[]>): Promise<(TaskEnd | undefined)[]> => [
  (await act("check"))[0],
  (await act("apply"))[0],
];

describe("evicting the pods of a node", () => {
  test("removes the pods that come back elsewhere and leaves the others alone; a second run costs one request", async () => {
    run("web-1", controller("ReplicaSet"));
    run("web-2", controller("ReplicaSet"));
    run("elsewhere", controller("ReplicaSet"), { nodeName: "n2" });
    run("net", controller("DaemonSet"));
    run("etcd", { annotations: { "kubernetes.io/config.mirror": "x" } });
    const [end] = await withKubelet(() => tasks.converge(evict()));
    expect(end?.outcome).toBe("changed");
    expect(end?.steps).toEqual(["evict 2 pods from n1"]);
    expect(end?.notes).toEqual([
      "leaves alone the pods of DaemonSets: shop/net",
      "leaves alone the pods that the node itself runs: shop/etcd",
    ]);
    expect(names().toSorted()).toEqual(["elsewhere", "etcd", "net"]);
    const before = server.requests().length;
    expect((await tasks.host.apply(evict()))[0]?.outcome).toBe("ok");
    expect(server.requests().slice(before)).toEqual(["list /api/v1/pods?limit=500&fieldSelector=spec.nodeName%3Dn1"]);
  }, 240_000);

  test("evicts nothing until every loss that it would cause is permitted", async () => {
    run("web-1", controller("ReplicaSet"), { volumes: [{ name: "cache", emptyDir: {} }] });
    run("tool");
    for (const end of await both((mode) => tasks.host[mode](evict()))) {
      expect(refusal(end)).toBe("refused: pods-would-be-lost");
      expect(end?.error?.message).toMatch(/nothing recreates them: shop\/tool; .* is lost: shop\/web-1 \(cache\)/);
    }
    for (const end of await both((mode) => tasks.host[mode](evict({ node: "n1", force: true })))) {
      expect(refusal(end)).toBe("refused: data-would-be-lost");
    }
    expect(pods().filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([]);
    const all = evict({ node: "n1", force: true, deleteEmptyDirData: true, gracePeriodSeconds: 1 });
    // The second run reads a node without any pods.
    expect((await withKubelet(() => tasks.converge(all)))[0]?.outcome).toBe("changed");
    expect(names()).toEqual([]);
  }, 240_000);

  test("changes nothing in check mode", async () => {
    run("web-1", controller("ReplicaSet"));
    expect((await tasks.host.check(evict()))[0]?.outcome).toBe("changed");
    expect(pods().map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
  });

  test("waits while a budget forbids the eviction, and names that budget at the deadline", async () => {
    run("web-1", controller("ReplicaSet"));
    const selector = { matchLabels: { app: "web" } };
    create({
      apiVersion: "policy/v1beta1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: "shop" },
      spec: { minAvailable: 1, selector },
    });
    budget(0);
    const [checked] = await tasks.host.check(evict());
    expect(checked?.outcome).toBe("changed");
    expect(checked?.notes.join()).toContain("shop/web-1 (The disruption budget web needs 1 healthy pods");
    const [late] = await tasks.host.apply(evict({ node: "n1", deadlineSeconds: 2 }));
    expect([late?.outcome, late?.error?.code]).toEqual(["failed", "E_WAIT"]);
    expect(late?.error?.failure.details?.join()).toContain(
      "shop/web-1: The disruption budget web needs 1 healthy pods",
    );
    expect(pods().map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
    setTimeout(() => budget(1), 3000);
    const [end] = await withKubelet(() => tasks.host.apply(evict()));
    expect(end?.outcome).toBe("changed");
    expect(names()).toEqual([]);
  }, 240_000);

  test("refuses a node that does not exist, and notes that a schedulable node may get pods again", async () => {
    for (const end of await both((mode) => tasks.host[mode](evict({ node: "n3" })))) {
      expect(refusal(end)).toBe("refused: no-node");
    }
    run("web-1", controller("ReplicaSet"), { nodeName: "n2" });
    const [end] = await tasks.host.check(evict({ node: "n2" }));
    expect(end?.notes.join()).toContain("n2 is schedulable");
    const cordon = tasks.object({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n2" },
      spec: { unschedulable: true },
    });
    const ends = await withKubelet(() => tasks.host.apply(cordon, evict({ node: "n2" })));
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
    expect(ends[1]?.notes).toEqual([]);
  }, 240_000);
});

describe("evicting one pod", () => {
  const db = { namespace: "shop", name: "db-0" };

  test("does not wait for the pod that a StatefulSet recreates under the same name", async () => {
    const start = (): void => run("db-0", controller("StatefulSet"));
    start();
    const [before] = pods();
    const [end] = await withKubelet(
      () => tasks.host.apply(evict(db)),
      () => start(),
    );
    expect([end?.outcome, end?.steps]).toEqual(["changed", ["evict pod shop/db-0"]]);
    const [after] = pods();
    expect(after?.metadata.name).toBe("db-0");
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
  }, 240_000);

  test("changes nothing if the pod is gone", async () => {
    expect((await tasks.host.apply(evict(db)))[0]?.outcome).toBe("ok");
  });

  test("refuses a static pod", async () => {
    run("db-0", { annotations: { "kubernetes.io/config.mirror": "x" } });
    for (const end of await both((mode) => tasks.host[mode](evict(db)))) {
      expect(refusal(end)).toBe("refused: static-pod");
    }
  });
});

test("a missing permission to list or evict pods is reported before anything is evicted", async () => {
  run("web-1", controller("ReplicaSet"));
  const guest = { node: "n1", kubeconfig: server.kubeconfig("guest") };
  const [blind] = await tasks.host.check(evict(guest));
  expect(blind?.error?.failure.current).toMatch(/^HTTP 403: pods is forbidden: User "guest" cannot list/);
  server.kubectl(["create", "clusterrole", "watcher", "--verb=get,list", "--resource=pods,nodes"]);
  server.kubectl(["create", "clusterrolebinding", "watcher", "--clusterrole=watcher", "--user=guest"]);
  for (const end of await both((mode) => tasks.host[mode](evict(guest)))) {
    expect(refusal(end)).toBe("refused: forbidden");
    expect(end?.error?.message).toContain('cannot create resource "pods/eviction"');
  }
  expect(pods().map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
});
