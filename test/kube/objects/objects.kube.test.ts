import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { secretOf } from "../../../src/core/secrets/secret.ts";
import { config, differences, refusal, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(() => server?.down());

describe("kubeObject and a real API server", () => {
  test("creates an object, and owns exactly the fields that it sent", async () => {
    const [end] = await tasks.converge(tasks.object(config("web", { color: "green" })));
    expect(end?.outcome).toBe("changed");
    const { metadata } = JSON.parse(
      server.kubectl(["get", "configmap", "web", "--namespace=shop", "--output=json", "--show-managed-fields"]),
    ) as { metadata: { managedFields: object[] } };
    expect(metadata.managedFields).toHaveLength(1);
    expect(metadata.managedFields[0]).toMatchObject({
      manager: "furrow-shop",
      operation: "Apply",
      fieldsV1: { "f:data": { "f:color": {} } },
    });
  });

  test("shows only its own fields, and leaves those of others alone", async () => {
    server.kubectl(["patch", "configmap", "web", "--namespace=shop", '--patch={"data":{"size":"large"}}']);
    const [end] = await tasks.host.check(tasks.object(config("web", { color: "blue" })));
    expect(differences(end)).toEqual(['fields.data.color: "green" → "blue"']);
    await tasks.converge(tasks.object(config("web", { color: "blue" })));
    expect(tasks.get("configmap", "web", "{.data}")).toBe('{"color":"blue","size":"large"}');
  });

  test("removes a field that it owned and that is no longer sent", async () => {
    await tasks.converge(tasks.object(config("web", { color: "blue", old: "1" })));
    const next = tasks.object(config("web", { color: "blue" }));
    expect(differences((await tasks.host.check(next))[0])).toEqual(['fields.data.old: "set" → absent']);
    await tasks.converge(next);
    expect(tasks.get("configmap", "web", "{.data}")).toBe('{"color":"blue","size":"large"}');
  });

  test("names the field and the manager of a conflict, and takes the field only by force", async () => {
    server.kubectl([
      "patch",
      "configmap",
      "web",
      "--namespace=shop",
      "--field-manager=editor",
      '--patch={"data":{"color":"red"}}',
    ]);
    for (const mode of ["check", "apply"] as const) {
      const [end] = await tasks.host[mode](tasks.object(config("web", { color: "blue" })));
      expect([end?.outcome, refusal(end)]).toEqual(["failed", "refused: field-conflict"]);
      expect(end?.error?.message).toContain("data.color is owned by editor");
    }
    expect(tasks.get("configmap", "web", "{.data.color}")).toBe("red");
    const [end] = await tasks.converge(tasks.object(config("web", { color: "blue" }), { force: true }));
    expect(differences(end)).toEqual([
      'fields.data.color: "red" → "blue"',
      'owner.data.color: "editor" → "furrow-shop"',
    ]);
  });

  test("shares a field that another manager already set to the same value, and can give up its share", async () => {
    server.kubectl(["create", "configmap", "shared", "--namespace=shop", "--from-literal=a=1"]);
    const [end] = await tasks.converge(tasks.object(config("shared", { a: "1" })));
    expect(differences(end)).toEqual(['owner.data.a: "kubectl-create (stays an owner)" → "furrow-shop"']);
    const [next] = await tasks.converge(tasks.object(config("shared", { b: "1" })));
    expect(differences(next)).toContain('owner.data.a: "furrow-shop" → absent');
    expect(tasks.get("configmap", "shared", "{.data}")).toBe('{"a":"1","b":"1"}');
  });

  test("is converged although the server rewrites quantities and lists, and adds defaults", async () => {
    const container = {
      name: "web",
      image: "web:1",
      ports: [{ containerPort: 80 }],
      resources: { requests: { cpu: "1000m", memory: "1024Mi" } },
      env: [{ name: "MODE", value: "fast" }],
    };
    const deployment = (containers: object[]) =>
      tasks.object({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace: "shop", labels: { "app.kubernetes.io/name": "web" } },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: "web" } },
          template: {
            metadata: { labels: { app: "web" } },
            spec: { containers, volumes: [{ name: "tmp", emptyDir: {} }] },
          },
        },
      });
    await tasks.converge(deployment([container]));
    const [end] = await tasks.converge(deployment([{ ...container, image: "web:2" }]));
    expect(differences(end)).toEqual(['fields.spec.template.spec.containers[name=web].image: "web:1" → "web:2"']);
    const [two] = await tasks.converge(
      deployment([
        { name: "log", image: "log:1" },
        { ...container, image: "web:2" },
      ]),
    );
    expect(differences(two)).toContain('fields.spec.template.spec.containers[name=log].image: absent → "log:1"');
  });

  const deploymentNamed = (name: string, replicas: object, containers: string[]) =>
    tasks.object({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace: "shop" },
      spec: {
        ...replicas,
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { containers: containers.map((one) => ({ name: one, image: `${one}:1` })) },
        },
      },
    });

  test("says to which number of replicas an object falls back if the number is no longer sent", async () => {
    await tasks.converge(deploymentNamed("fallen", { replicas: 3 }, ["web"]));
    const next = deploymentNamed("fallen", {}, ["web"]);
    const [end] = await tasks.host.check(next);
    expect(differences(end)).toEqual(["fields.spec.replicas: 3 → absent"]);
    expect(end?.notes).toEqual(["spec.replicas of Deployment shop/fallen falls back to 1: it is no longer sent"]);
    await tasks.converge(next);
    expect(tasks.get("deployment", "fallen", "{.spec.replicas}")).toBe("1");
  });

  test("says that the server keeps the order of containers", async () => {
    await tasks.converge(deploymentNamed("ordered", {}, ["a", "b"]));
    const [end] = await tasks.converge(deploymentNamed("ordered", {}, ["b", "a"]));
    expect([end?.outcome, end?.notes]).toEqual([
      "ok",
      [
        "the items of spec.template.spec.containers of Deployment shop/ordered keep their order, which differs from the order that furrow sends",
      ],
    ]);
    expect(tasks.get("deployment", "ordered", "{.spec.template.spec.containers[*].name}")).toBe("a b");
  });

  test.each([
    ["a misspelled field", { ...config("bad", {}), dta: { a: "1" } }, "dta"],
    [
      "a wrong value",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Bad_Name", namespace: "shop" } },
      "Bad_Name",
    ],
    ["a wrong type", { ...config("bad", {}), data: { a: 1 } }, "ConfigMap shop/bad"],
  ])("refuses %s both in check mode and in a run", async (_what, object, says) => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await tasks.host[mode](tasks.object(object));
      expect([end?.outcome, refusal(end)]).toEqual(["failed", "refused: invalid-object"]);
      expect(end?.error?.message).toContain(says);
    }
  });

  test("shows no value of a Secret, and notices when one differs", async () => {
    const encoded = (value: string): string => Buffer.from(value).toString("base64");
    const secret = (password: unknown) =>
      tasks.object({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: "shop" },
        data: { password },
      });
    const first = secretOf("first-p4ssword", "password").map(encoded);
    await tasks.converge(secret(first));
    const [end] = await tasks.converge(secret(encoded("second-p4ssword")));
    const text = JSON.stringify([end?.changes.map(({ differences: all }) => all), end?.notes]);
    expect(text).toContain("data.passwordSeal");
    for (const value of ["first-p4ssword", "second-p4ssword"]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(encoded(value));
    }
    expect(tasks.get("secret", "db", "{.data.password}")).toBe(encoded("second-p4ssword"));
  });

  test("says what a guest may not do, instead of reporting a missing object", async () => {
    const [end] = await tasks.host.check(
      tasks.object(config("web", { color: "blue" }), { kubeconfig: server.kubeconfig("guest") }),
    );
    expect(end?.outcome).toBe("failed");
    expect(end?.error?.failure.current).toMatch(/^HTTP 403: configmaps "web" is forbidden: User "guest" cannot get/);
  });
});
