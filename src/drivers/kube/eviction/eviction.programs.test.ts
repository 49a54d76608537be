import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { absent } from "../../../authoring.ts";
import { AnsweringServer, missing, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeEvictable, kubeEvictPods, type KubePod } from "../../../facts/controller/kube-pods.ts";

const server = new AnsweringServer();
const old = new AnsweringServer();
const cluster = { kubeconfig: server.kubeconfig };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => Promise.all([server.up(), old.up()]), 240_000);
afterAll(() => {
  server.down();
  old.down();
});

const kindsWith = (version: string): Said => {
  const pods = { name: "pods", kind: "Pod", namespaced: true };
  const eviction = { name: "pods/eviction", kind: "Eviction", namespaced: true, group: "policy", version };
  return { status: 200, body: { kind: "APIResourceList", resources: [pods, eviction] } };
};

beforeEach(() => {
  server.reset();
  server.said["GET /api/v1"] = [kindsWith("v1")];
});

const node = { node: "n1" };
const list = "GET /api/v1/pods";
const evictionOf = (name: string): string => `POST /api/v1/namespaces/shop/pods/${name}/eviction`;
const ending = { deletionTimestamp: "2026-01-01T00:00:00Z" };

/** The pods on the node, each with a uid. */
function pods(names: Readonly<Record<string, string>>, metadata: object = {}): Said {
  const items = Object.entries(names).map(([name, uid]) => ({
    metadata: { name, namespace: "shop", uid, ...metadata },
    spec: { nodeName: "n1" },
  }));
  return { status: 200, body: { kind: "PodList", metadata: {}, items } };
}

const victim = (name: string, uid = "1"): KubePod => ({
  namespace: "shop",
  name,
  uid,
  controller: absent,
  emptyDirs: [],
  isFinished: false,
  deleting: absent,
});
const evict = (names: readonly string[], deadlineSeconds = 20, more: object = {}) =>
  kubeEvictPods(cluster, node, { victims: names.map((name) => victim(name)), deadlineSeconds, ...more });

const done: Said = { status: 201, body: { kind: "Status", status: "Success" } };
const needs = "The disruption budget web needs 2 healthy pods and has 2 currently.";
const budget: Said = status(429, {
  reason: "TooManyRequests",
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: { causes: [{ reason: "DisruptionBudget", message: needs }] },
});
const soon = { headers: { "retry-after": "0" } };
const posts = (): string[] => server.seen.filter((one) => one.startsWith("POST"));

describe("whether pods can be evicted", () => {
  test("is queried by uid for the pods that still exist; both the path and the body request a dry run", async () => {
    server.said[list] = [pods({ a: "1", b: "2" })];
    server.said[evictionOf("a")] = [done];
    const asked = kubeEvictable(cluster, node, [victim("a"), victim("b"), victim("c")]);
    expect(await server.read(asked)).toEqual({ blocked: [] });
    const body = {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: "a", namespace: "shop" },
      deleteOptions: { preconditions: { uid: "1" }, dryRun: ["All"] },
    };
    expect(posts()).toEqual([`${evictionOf("a")}?dryRun=All application/json ${JSON.stringify(body)}`]);
  });

  test.each([
    ["a budget currently blocks the eviction", budget, { blocked: [`shop/a (${needs.slice(0, -1)})`] }],
    [
      "a budget blocks the eviction and the server asks for a long pause",
      { ...budget, headers: { "retry-after": "10" } },
      { blocked: [expect.stringContaining("shop/a") as string] },
    ],
    ["the user may not evict the pod", status(403, { message: "you may not" }), { problem: { code: "forbidden" } }],
    [
      "two budgets match the pod",
      status(500, { message: "This pod has more than one PodDisruptionBudget, which is not supported" }),
      { problem: { code: "many-budgets", message: expect.stringContaining("Pod shop/a") as string } },
    ],
    [
      "a webhook does not support dry runs",
      status(400, { message: 'webhook "x" does not support dry run' }),
      { unasked: 'webhook "x" does not support dry run' },
    ],
    ["the pod has just gone", missing("a", "pods"), { blocked: [] }],
  ])("is answered if %s", async (_what, answer, expected) => {
    server.said[list] = [pods({ a: "1" })];
    server.said[evictionOf("a")] = [answer];
    expect(await server.read(kubeEvictable(cluster, node, [victim("a")]))).toMatchObject(expected);
  });

  test("is not known after an error", async () => {
    server.said[list] = [pods({ a: "1" })];
    server.said[evictionOf("a")] = [status(500, { message: "etcd is down" })];
    await expect(server.read(kubeEvictable(cluster, node, [victim("a")]))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: "HTTP 500: etcd is down" },
    });
  });
});

describe("evicting pods", () => {
  test("waits until each is gone, and sends the grace period", async () => {
    server.said[list] = [
      pods({ a: "1", b: "1" }),
      pods({ a: "1", b: "1" }, ending),
      pods({ b: "1" }, ending),
      pods({}),
    ];
    server.said[evictionOf("a")] = [done];
    server.said[evictionOf("b")] = [done];
    await server.call(evict(["a", "b"], 20, { gracePeriodSeconds: 0 }));
    expect(posts()).toHaveLength(2);
    expect(posts()[0]).toContain('"deleteOptions":{"preconditions":{"uid":"1"},"gracePeriodSeconds":0}');
  });

  test("waits while a budget forbids it, and names the budget", async () => {
    server.said[list] = [pods({ a: "1" }), pods({ a: "1" }), pods({ a: "1" }), pods({})];
    server.said[evictionOf("a")] = [{ ...budget, ...soon }, { ...budget, ...soon }, done];
    const said = await server.call(evict(["a"]));
    expect(posts()).toHaveLength(3);
    expect(said).toContain(`0 of 1 pods are gone; shop/a: ${needs.slice(0, -1)}`);
  });

  test("reports what a webhook does before the eviction", async () => {
    server.said[list] = [pods({ a: "1" }), pods({ a: "1" }), pods({})];
    const message = 'admission webhook "virt" denied the request: Eviction triggered evacuation of VMI "shop/a"';
    server.said[evictionOf("a")] = [{ ...status(429, { message }), ...soon }, done];
    expect((await server.call(evict(["a"]))).join()).toContain("Eviction triggered evacuation of VMI");
  });

  test("does not mistake a pod that was re-created under the same name for the old one", async () => {
    server.said[list] = [pods({ a: "1" }), pods({ a: "2" })];
    server.said[evictionOf("a")] = [done];
    await server.call(evict(["a"]));
    expect(posts()).toHaveLength(1);
  });

  test("does not evict a pod that has replaced the selected one", async () => {
    server.said[list] = [pods({ a: "2" })];
    await server.call(evict(["a"]));
    expect(posts()).toEqual([]);
    server.said[list] = [pods({ a: "1" }), pods({ a: "2" })];
    server.said[evictionOf("a")] = [status(409, { reason: "Conflict", message: "the UID does not match" })];
    await server.call(evict(["a"]));
    expect(posts()).toHaveLength(1);
  });

  test("requests no eviction of a pod that is already being deleted", async () => {
    server.said[list] = [pods({ a: "1" }, ending), pods({})];
    await server.call(evict(["a"]));
    expect(posts()).toEqual([]);
  });

  test.each([
    ["500", status(500, { message: "etcd is down" })],
    ["half a list", { status: 200, body: { kind: "PodList", metadata: { remainingItemCount: 1 }, items: [] } }],
    ["a web server's 404", { status: 404, body: "<html>" }],
  ])("does not take %s to mean that the pods are gone, and evicts nothing in the meantime", async (_what, answer) => {
    server.said[list] = [pods({ a: "1", b: "1" }), answer, pods({ b: "1" }), pods({})];
    server.said[evictionOf("a")] = [done];
    server.said[evictionOf("b")] = [{ ...budget, ...soon }, done];
    const said = await server.call(evict(["a", "b"]));
    expect(said.join("\n")).toContain("0 of 2 pods are gone; the others could not be read: ");
    expect(posts()).toHaveLength(3);
    server.said[list] = [answer];
    await expect(server.call(evict(["a"], 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: { current: expect.stringContaining("they could not be read: ") as string },
    });
  });

  test("reports at the deadline what each pod is waiting for", async () => {
    server.said[list] = [pods({ a: "1", b: "1" })];
    server.said[evictionOf("a")] = [budget];
    server.said[evictionOf("b")] = [done];
    await expect(server.call(evict(["a", "b"], 0.2))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: {
        what: "2 of 2 pods still exist 0.2 s after the eviction began",
        hasChanged: true,
        details: [
          "evicted so far: 1 of 2 pods; 0 are gone",
          `shop/a: ${needs.slice(0, -1)}`,
          "shop/b: is being deleted",
        ],
      },
    });
    server.said[list] = [pods({ a: "1" }, { ...ending, finalizers: ["shop/backup"] })];
    await expect(server.call(evict(["a"], 0.2))).rejects.toMatchObject({
      failure: {
        details: ["evicted so far: 1 of 1 pods; 0 are gone", "shop/a: is being deleted, and waits for shop/backup"],
      },
    });
  });

  test("stops if the server refuses an eviction halfway through, and reports what has happened to the other pods", async () => {
    server.said[list] = [pods({ a: "1", b: "1" }), pods({ b: "1" })];
    server.said[evictionOf("a")] = [done];
    server.said[evictionOf("b")] = [{ ...budget, ...soon }, status(403, { message: "you may not" })];
    await expect(server.call(evict(["a", "b"]))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: {
        what: expect.stringContaining("evict Pod shop/b") as string,
        current: "HTTP 403: you may not",
        details: ["1 of 2 pods are gone"],
      },
    });
  });

  test("sends a request again if its answer did not arrive", async () => {
    // Enough polls for the eviction to be due again.
    server.said[list] = [...Array.from({ length: 30 }, () => pods({ a: "1" })), pods({})];
    server.said[evictionOf("a")] = [{ status: 0, body: "" }, done];
    await server.call(evict(["a"]));
    expect(posts()).toHaveLength(2);
  });
});

test("a server older than 1.22 gets evictions in the version that it serves", async () => {
  old.said = { "GET /api/v1": [kindsWith("v1beta1")], [list]: [pods({ a: "1" }), pods({})], [evictionOf("a")]: [done] };
  const step = kubeEvictPods({ kubeconfig: old.kubeconfig }, node, { victims: [victim("a")], deadlineSeconds: 20 });
  await old.call(step);
  expect(old.seen.find((one) => one.startsWith("POST"))).toContain('"apiVersion":"policy/v1beta1"');
});

test("a server that serves no evictions is refused, because nothing else respects the budgets", async () => {
  const none = new AnsweringServer();
  await none.up();
  try {
    none.said[list] = [pods({ a: "1" })];
    none.said["GET /api/v1"] = [
      { status: 200, body: { kind: "APIResourceList", resources: [{ name: "pods", kind: "Pod", namespaced: true }] } },
    ];
    const step = kubeEvictPods({ kubeconfig: none.kubeconfig }, node, { victims: [victim("a")], deadlineSeconds: 20 });
    await expect(none.call(step)).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining("eviction subresource") as string },
    });
  } finally {
    none.down();
  }
}, 120_000);
