import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, missing, type Said, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeExecPods, type KubeExecPods } from "../../../facts/controller/kube-exec.ts";

const server = new AnsweringServer();
const cluster = { kubeconfig: server.kubeconfig };
const podPath = "GET /api/v1/namespaces/shop/pods/web-1";
const reviews = "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

const pod = (name: string, more: object = {}, own: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", uid: "u1", labels: { app: "web" }, ...own },
  spec: { containers: [{ name: "nginx" }] },
  status: { phase: "Running", containerStatuses: [{ name: "nginx", state: { running: {} } }] },
  ...more,
});
const ok = (body: object): Said => ({ status: 200, body });
const allowed = (yes: boolean): Said => ({
  status: 201,
  body: { kind: "SelfSubjectAccessReview", status: { allowed: yes, ...(!yes && { reason: "no rule" }) } },
});

beforeAll(() => server.up());
afterAll(() => server.down());
beforeEach(() => {
  server.reset();
  server.said = { [podPath]: [ok(pod("web-1"))], [reviews]: [allowed(true)] };
});

describe("the pods for a command", () => {
  const read = async (where: Parameters<typeof kubeExecPods>[1]): Promise<KubeExecPods> =>
    (await server.read(kubeExecPods(cluster, where))) as KubeExecPods;
  const byName = { namespace: "shop", name: "web-1" };
  const byLabels = { namespace: "shop", labels: { app: "web", tier: "front" } };
  const list = "GET /api/v1/namespaces/shop/pods";
  const both = { app: "web", tier: "front" };

  test("may be one named pod, which is reported with its containers and the user's permission to run commands in it", async () => {
    expect(await read(byName)).toEqual({
      pods: [
        {
          name: "web-1",
          uid: "u1",
          phase: "Running",
          reason: "",
          isBeingDeleted: false,
          containers: { nginx: "running" },
        },
      ],
    });
    server.said[reviews] = [allowed(false)];
    expect((await read(byName)).pods[0]?.forbidden).toBe("the user lacks the permission get for pods/exec: no rule");
    // A user who is not allowed to ask about permissions may still be allowed to run commands.
    server.said[reviews] = [status(403, { reason: "Forbidden", message: "no" })];
    expect((await read(byName)).pods[0]).not.toHaveProperty("forbidden");
  });

  test.each([
    ["1", "35", "needs"],
    ["1", "36+", "needs"],
    ["2", "0", "needs"],
    ["1", "34+", "does not need"],
    ["1", "20", "does not need"],
  ])("in Kubernetes %s.%s, a user %s the permission create for pods/exec", async (major, minor, needs) => {
    server.said[reviews] = [allowed(true), allowed(false)];
    server.said["GET /version"] = [ok({ major, minor, gitVersion: `v${major}.${minor}.0` })];
    const forbidden = needs === "needs" ? "the user lacks the permission create for pods/exec: no rule" : undefined;
    expect((await read(byName)).pods[0]?.forbidden).toBe(forbidden);
    const verbs = server.seen.flatMap((line) => /"verb":"(\w+)"/.exec(line)?.[1] ?? []);
    expect(verbs).toEqual(["get", "create"]);
  });

  test("are not reported as permitted if the user lacks the permission create and the server's version is not known", async () => {
    for (const odd of [status(403, { message: "no" }), ok({ major: "one" }), ok({})]) {
      server.said[reviews] = [allowed(true), allowed(false)];
      server.said["GET /version"] = [odd];
      expect((await read(byName)).pods[0]?.forbidden).toContain("create");
    }
  });

  test("are reported as missing only if the API reports that they do not exist", async () => {
    server.said[podPath] = [missing("web-1", "pods")];
    expect(await read(byName)).toEqual({ pods: [] });
    for (const odd of [
      missing("web-2", "pods"),
      ok(pod("web-2")),
      ok({ kind: "Pod" }),
      status(403, { message: "no" }),
    ]) {
      server.said[podPath] = [odd];
      await expect(read(byName)).rejects.toMatchObject({ code: "E_DRIVER" });
    }
    server.said[podPath] = [ok(pod("web-1"))];
    server.said[reviews] = [ok({ kind: "Status" })];
    await expect(read(byName)).rejects.toMatchObject({ code: "E_DRIVER" });
  });

  test("say what state they and their containers are in if they are not running", async () => {
    const containers = [{ name: "nginx" }, { name: "sidecar" }, { name: "job" }, { name: "new" }];
    const initContainers = [{ name: "ended" }, { name: "proxy" }];
    const conditions = [{ type: "Ready", status: "False", reason: "ContainersNotReady", message: "nginx" }];
    const containerStatuses = [
      { name: "nginx", state: { waiting: { reason: "CrashLoopBackOff" } } },
      { name: "sidecar", state: { running: {} } },
      { name: "job", state: { terminated: { reason: "Completed" } } },
    ];
    const initContainerStatuses = [
      { name: "ended", state: { terminated: { reason: "Completed" } } },
      { name: "proxy", state: { running: {} } },
    ];
    const own = {
      deletionTimestamp: "2026-01-01T00:00:00Z",
      annotations: { "kubectl.kubernetes.io/default-container": "sidecar" },
    };
    const busy = { phase: "Running", conditions, containerStatuses, initContainerStatuses };
    server.said[podPath] = [ok(pod("web-1", { spec: { containers, initContainers }, status: busy }, own))];
    expect((await read(byName)).pods[0]).toMatchObject({
      reason: "ContainersNotReady: nginx",
      isBeingDeleted: true,
      defaultContainer: "sidecar",
      containers: {
        nginx: "not started: CrashLoopBackOff",
        sidecar: "running",
        job: "ended: Completed",
        new: "not started",
        proxy: "running",
      },
    });
    expect(Object.keys((await read(byName)).pods[0]?.containers ?? {})).not.toContain("ended");
  });

  test("are those with the given labels, sorted by name", async () => {
    const items = ["web-2", "web-1"].map((name) => pod(name, {}, { labels: both }));
    server.said[list] = [ok({ kind: "PodList", metadata: {}, items })];
    expect((await read(byLabels)).pods.map(({ name }) => name)).toEqual(["web-1", "web-2"]);
    expect(server.seen[0]).toContain(`labelSelector=${encodeURIComponent("app=web,tier=front")}`);
  });

  test("are not known if the answer contains other pods, or is a list of a different kind", async () => {
    for (const odd of [
      { kind: "PodList", metadata: {}, items: [pod("web-1")] },
      { kind: "PodList", metadata: {}, items: [pod("web-1", {}, { labels: both, namespace: "other" })] },
      { kind: "NodeList", metadata: {}, items: [] },
    ]) {
      server.said[list] = [ok(odd)];
      await expect(read(byLabels)).rejects.toMatchObject({ code: "E_DRIVER" });
    }
  });
});
