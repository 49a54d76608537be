import { afterAll, beforeAll, expect, test } from "vitest";
import * as t from "../../tasks/index.ts";
import { taskHost } from "../tasks/on-host.ts";
import { ApiServer } from "./server/api-server.ts";

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

test("waits for a value of a field, and gives it to later tasks", async () => {
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

test("a cluster that cannot be queried is never in the wanted state", async () => {
  const [end] = await host.apply(
    t.kubeWait({ ...web(), kubeconfig: server.kubeconfig("guest"), state: "absent", ...hasty }),
  );
  expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
});
