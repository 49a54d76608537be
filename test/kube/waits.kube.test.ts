import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";
import { ApiServer } from "./server/api-server.ts";
import { kubeconfigText } from "./server/certificates.ts";
import { LethalProxy } from "./server/lethal-proxy.ts";

let server: ApiServer;
const host = taskHost();

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
  server.kubectl(["create", "configmap", "web", "--namespace=shop", "--from-literal=color=green"]);
});
afterAll(() => server?.down());

const web = () => ({
  kubeconfig: server.kubeconfig(),
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "web",
  namespace: "shop",
});
const hasty = { intervalSeconds: 0.1, deadlineSeconds: 0.5 };

test("waits for a value of a field, and passes the value to later tasks", async () => {
  setTimeout(
    () => server.kubectl(["patch", "configmap", "web", "--namespace=shop", '--patch={"data":{"color":"blue"}}']),
    500,
  );
  const [end] = await host.apply(
    t.kubeWait({ ...web(), field: "data.color", value: "blue", intervalSeconds: 0.2, deadlineSeconds: 60 }),
  );
  expect(end?.outcome).toBe("ok");
});

test("reports the field's value at the deadline", async () => {
  const [end] = await host.apply(t.kubeWait({ ...web(), field: "data.color", value: "red", ...hasty }));
  expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
  expect(end?.error?.failure.details).toEqual(['ConfigMap shop/web: its data.color is "blue"']);
});

test("waits for a condition, and shows its reason and the last warning about the object", async () => {
  const deployment = { ...web(), apiVersion: "apps/v1", kind: "Deployment", name: "api" };
  server.kubectl(["create", "deployment", "api", "--image=api:1", "--namespace=shop"]);
  const uid = server.kubectl(["get", "deployment", "api", "--namespace=shop", "--output=jsonpath={.metadata.uid}"]);
  const event = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: "api.1", namespace: "shop" },
    involvedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "api", namespace: "shop", uid },
    type: "Warning",
    reason: "FailedCreate",
    message: "exceeded quota",
    lastTimestamp: "2026-01-01T00:00:00Z",
  };
  server.kubectl(["create", "--filename=-"], JSON.stringify(event));
  const [none] = await host.apply(t.kubeWait({ ...deployment, condition: "Available", ...hasty }));
  expect(none?.error?.failure.details).toEqual([
    "Deployment shop/api: it has no condition Available. Its last warning: FailedCreate: exceeded quota",
  ]);
});

test("accepts any condition that a kind reports", async () => {
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.camp.example.com" },
    spec: {
      group: "camp.example.com",
      scope: "Namespaced",
      names: { plural: "tents", kind: "Tent" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
  server.kubectl(["create", "--filename=-"], JSON.stringify(crd));
  const { namespace: _, ...cluster } = web();
  const named = { ...cluster, apiVersion: crd.apiVersion, kind: crd.kind, name: crd.metadata.name };
  const [end] = await host.apply(t.kubeWait({ ...named, condition: "Established", deadlineSeconds: 60 }));
  expect(end?.outcome).toBe("ok");
  const [over] = await host.apply(
    t.kubeWait({ ...named, condition: "Never", failOn: "Established", deadlineSeconds: 600 }),
  );
  expect(over?.error?.message).toContain("has the condition Established: InitialNamesAccepted");
});

test("waits until an object is gone, and says why it is not", async () => {
  const gone = (more: object = {}) =>
    t.kubeWait({ ...web(), state: "absent", deadlineSeconds: 60, intervalSeconds: 0.2, ...more });
  const [early] = await host.apply(gone(hasty));
  expect(early?.error?.failure.details).toEqual([
    "ConfigMap shop/web: it exists, and nobody has asked for its deletion",
  ]);
  setTimeout(() => server.kubectl(["delete", "configmap", "web", "--namespace=shop", "--wait=false"]), 300);
  expect((await host.apply(gone()))[0]?.outcome).toBe("ok");
});

test("a wait does not end successfully while the cluster cannot be queried", async () => {
  const [end] = await host.apply(
    t.kubeWait({ ...web(), kubeconfig: server.kubeconfig("guest"), state: "absent", ...hasty }),
  );
  expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
});

describe("a wait with an interval of a minute", () => {
  const named = (name: string) => ({ ...web(), name });
  const patient = { intervalSeconds: 60, deadlineSeconds: 120 };
  const later = (...words: string[]) => setTimeout(() => server.kubectl([...words, "--namespace=shop"]), 1500);
  const seconds = async (wait: ReturnType<typeof t.kubeWait>): Promise<number> => {
    const began = performance.now();
    const [end] = await host.apply(wait);
    expect(end?.outcome, end?.error?.message).toBe("ok");
    return (performance.now() - began) / 1000;
  };

  test("notices at once that a field has changed, and reads the object only once before and once after", async () => {
    server.kubectl(["create", "configmap", "seen", "--namespace=shop", "--from-literal=color=green"]);
    later("patch", "configmap", "seen", '--patch={"data":{"color":"blue"}}');
    expect(
      await seconds(t.kubeWait({ ...named("seen"), field: "data.color", value: "blue", ...patient })),
    ).toBeLessThan(45);
    // The audit log has two lines for a watch: its start and its end.
    const asked = () => server.requests().filter((line, at, all) => line.includes("seen") && line !== all[at - 1]);
    await expect.poll(() => asked().length).toBeGreaterThan(2);
    expect(asked()).toEqual([
      "get /api/v1/namespaces/shop/configmaps/seen",
      expect.stringMatching(/^watch .*fieldSelector=metadata.name%3Dseen&watch=true&resourceVersion=\d+$/),
      "get /api/v1/namespaces/shop/configmaps/seen",
    ]);
  });

  test("notices at once that an object was created, and that it was deleted", async () => {
    later("create", "configmap", "new");
    expect(await seconds(t.kubeWait({ ...named("new"), state: "present", ...patient }))).toBeLessThan(45);
    later("delete", "configmap", "new", "--wait=false");
    expect(await seconds(t.kubeWait({ ...named("new"), state: "absent", ...patient }))).toBeLessThan(45);
  });

  test("ignores changes to other objects", async () => {
    server.kubectl(["create", "configmap", "still", "--namespace=shop"]);
    later("create", "configmap", "another");
    const wait = t.kubeWait({ ...named("still"), state: "absent", intervalSeconds: 60, deadlineSeconds: 4 });
    const [end] = await host.apply(wait);
    expect(end?.error?.code).toBe("E_WAIT");
    const asked = () => server.requests().filter((line) => line.startsWith("get") && line.endsWith("/still"));
    await expect.poll(asked).toHaveLength(2);
  });
});

test("a wait polls at the given interval if the user may read the object but not watch it", async () => {
  server.kubectl(["create", "configmap", "read", "--namespace=shop", "--from-literal=color=green"]);
  server.kubectl(["create", "role", "reader", "--namespace=shop", "--verb=get", "--resource=configmaps,events"]);
  server.kubectl(["create", "rolebinding", "reader", "--namespace=shop", "--role=reader", "--user=guest"]);
  setTimeout(
    () => server.kubectl(["patch", "configmap", "read", "--namespace=shop", '--patch={"data":{"color":"blue"}}']),
    1000,
  );
  const reader = { ...web(), name: "read", kubeconfig: server.kubeconfig("guest") };
  const wait = t.kubeWait({ ...reader, field: "data.color", value: "blue", intervalSeconds: 0.3, deadlineSeconds: 60 });
  expect((await host.apply(wait))[0]?.outcome).toBe("ok");
});

test("a proxy that holds responses back until they are complete delays a wait by two seconds at most", async () => {
  const proxy = await LethalProxy.up(server.folder, server.url);
  const kubeconfig = join(server.folder, "behind-proxy");
  writeFileSync(kubeconfig, kubeconfigText(server.folder, "admin", proxy.url));
  server.kubectl(["create", "configmap", "held", "--namespace=shop", "--from-literal=color=green"]);
  setTimeout(
    () => server.kubectl(["patch", "configmap", "held", "--namespace=shop", '--patch={"data":{"color":"blue"}}']),
    1000,
  );
  const began = performance.now();
  const wait = { ...web(), name: "held", kubeconfig, field: "data.color", value: "blue" };
  const [end] = await host.apply(t.kubeWait({ ...wait, intervalSeconds: 0.3, deadlineSeconds: 60 }));
  expect(end?.outcome).toBe("ok");
  expect(performance.now() - began).toBeLessThan(12_000);
  await proxy.down();
});
