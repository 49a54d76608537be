import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as t from "../../tasks/index.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(() => server?.down());

type KubeObject = Parameters<typeof t.kubeObject>[0];
type ObjectData = Extract<KubeObject["object"], { readonly kind: unknown }>;

const task = (object: ObjectData, more: Partial<KubeObject> = {}): Node =>
  t.kubeObject({ kubeconfig: server.kubeconfig(), fieldManager: "furrow-shop", object, ...more } as KubeObject);
const config = (name: string, data: Record<string, string>, namespace = "shop"): ObjectData =>
  ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data }) as ObjectData;
const get = (kind: string, name: string, path: string, namespace = "shop"): string =>
  server.kubectl(["get", kind, name, `--namespace=${namespace}`, `--output=jsonpath=${path}`]);

/** The differences of a task, as `path: from → to`. */
function differences(end: TaskEnd | undefined): string[] {
  const text = (value: unknown): string =>
    typeof value === "symbol" ? (value.description ?? "") : JSON.stringify(value);
  return (end?.changes ?? []).flatMap((change) =>
    change.differences.map(({ path, from, to }) => `${path}: ${text(from)} → ${text(to)}`),
  );
}

/** Applies tasks, and expects that check mode said the same before and that a second run changes nothing. */
async function converge(...tasks: Node[]): Promise<TaskEnd[]> {
  const checked = await host.check(...tasks);
  const applied = await host.apply(...tasks);
  const outcomes = (ends: readonly TaskEnd[]): string[] =>
    ends.map(({ outcome, error }) => `${outcome} ${error?.message ?? ""}`);
  expect(outcomes(checked)).toEqual(outcomes(applied));
  expect(outcomes(await host.apply(...tasks))).toEqual(tasks.map(() => "ok "));
  return applied;
}

const refusal = (end: TaskEnd | undefined): string | undefined => end?.error?.failure.details?.[0];

describe("kubeObject and a real API server", () => {
  test("creates an object, and owns exactly the fields that it sent", async () => {
    const [end] = await converge(task(config("web", { color: "green" })));
    expect(end?.outcome).toBe("changed");
    const [own, ...others] = JSON.parse(
      server.kubectl(["get", "configmap", "web", "--namespace=shop", "--output=json", "--show-managed-fields"]),
    ).metadata.managedFields as { manager: string; operation: string; fieldsV1: object }[];
    expect(others).toEqual([]);
    expect(own).toMatchObject({
      manager: "furrow-shop",
      operation: "Apply",
      fieldsV1: { "f:data": { "f:color": {} } },
    });
  });

  test("shows only its own fields, and leaves those of others alone", async () => {
    server.kubectl(["patch", "configmap", "web", "--namespace=shop", '--patch={"data":{"size":"large"}}']);
    const [end] = await host.check(task(config("web", { color: "blue" })));
    expect(differences(end)).toEqual(['fields.data.color: "green" → "blue"']);
    await converge(task(config("web", { color: "blue" })));
    expect(get("configmap", "web", "{.data}")).toBe('{"color":"blue","size":"large"}');
  });

  test("removes a field that it owned and that is no longer sent", async () => {
    await converge(task(config("web", { color: "blue", old: "1" })));
    const next = task(config("web", { color: "blue" }));
    expect(differences((await host.check(next))[0])).toEqual(['fields.data.old: "set" → furrow.absent']);
    await converge(next);
    expect(get("configmap", "web", "{.data}")).toBe('{"color":"blue","size":"large"}');
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
      const [end] = await host[mode](task(config("web", { color: "blue" })));
      expect([end?.outcome, refusal(end)]).toEqual(["failed", "refused: field-conflict"]);
      expect(end?.error?.message).toContain("data.color is owned by editor");
    }
    expect(get("configmap", "web", "{.data.color}")).toBe("red");
    const [end] = await converge(task(config("web", { color: "blue" }), { force: true }));
    expect(differences(end)).toEqual([
      'fields.data.color: "red" → "blue"',
      'owner.data.color: "editor" → "furrow-shop"',
    ]);
  });

  test("shares a field that another manager already set to the same value, and gives it up again", async () => {
    server.kubectl(["create", "configmap", "shared", "--namespace=shop", "--from-literal=a=1"]);
    const [end] = await converge(task(config("shared", { a: "1" })));
    expect(differences(end)).toEqual(['owner.data.a: "kubectl-create" → "furrow-shop"']);
    const [next] = await converge(task(config("shared", { b: "1" })));
    expect(differences(next)).toContain('owner.data.a: "furrow-shop" → "kubectl-create"');
    expect(get("configmap", "shared", "{.data}")).toBe('{"a":"1","b":"1"}');
  });

  test("is converged although the server writes quantities, defaults and lists in its own way", async () => {
    const container = {
      name: "web",
      image: "web:1",
      ports: [{ containerPort: 80 }],
      resources: { requests: { cpu: "1000m", memory: "1024Mi" } },
      env: [{ name: "MODE", value: "fast" }],
    };
    const deployment = (containers: object[]) =>
      task({
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
      } as unknown as ObjectData);
    await converge(deployment([container]));
    const [end] = await converge(deployment([{ ...container, image: "web:2" }]));
    expect(differences(end)).toEqual(['fields.spec.template.spec.containers[name=web].image: "web:1" → "web:2"']);
    const [two] = await converge(
      deployment([
        { name: "log", image: "log:1" },
        { ...container, image: "web:2" },
      ]),
    );
    expect(differences(two)).toContain('fields.spec.template.spec.containers[name=log].image: furrow.absent → "log:1"');
  });

  test.each([
    ["a misspelt field", { ...config("bad", {}), dta: { a: "1" } }, "dta"],
    [
      "a wrong value",
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Bad_Name", namespace: "shop" } },
      "Bad_Name",
    ],
    ["a wrong type", { ...config("bad", {}), data: { a: 1 } }, "ConfigMap shop/bad"],
  ])("refuses %s in check mode as in a run", async (_what, object, says) => {
    for (const mode of ["check", "apply"] as const) {
      const [end] = await host[mode](task(object as ObjectData));
      expect([end?.outcome, refusal(end)]).toEqual(["failed", "refused: invalid-object"]);
      expect(end?.error?.message).toContain(says);
    }
  });

  test("shows no value of a Secret, and sees when one differs", async () => {
    const encoded = (value: string): string => Buffer.from(value).toString("base64");
    const secret = (password: unknown) =>
      task({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: "shop" },
        data: { password },
      } as ObjectData);
    const first = secretOf("first-p4ssword", "password").map(encoded);
    await converge(secret(first));
    const [end] = await converge(secret(encoded("second-p4ssword")));
    const text = JSON.stringify([end?.changes.map(({ differences: all }) => all), end?.notes]);
    expect(text).toContain("data.passwordSeal");
    for (const value of ["first-p4ssword", "second-p4ssword"]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(encoded(value));
    }
    expect(get("secret", "db", "{.data.password}")).toBe(encoded("second-p4ssword"));
  });

  test("says what a guest may not do, and does not take it for a missing object", async () => {
    const [end] = await host.check(task(config("web", { color: "blue" }), { kubeconfig: server.kubeconfig("guest") }));
    expect(end?.outcome).toBe("failed");
    expect(end?.error?.failure.current).toMatch(/^HTTP 403: configmaps "web" is forbidden: User "guest" cannot get/);
  });
});

describe("a namespace, a kind and its objects in one play", () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "camp" } } as ObjectData;
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.camp.example.com" },
    spec: {
      group: "camp.example.com",
      scope: "Namespaced",
      names: { plural: "tents", singular: "tent", kind: "Tent", listKind: "TentList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { size: { type: "integer", maximum: 9 } } } },
            },
          },
        },
      ],
    },
  } as unknown as ObjectData;
  const tent = (size: number): ObjectData =>
    ({
      apiVersion: "camp.example.com/v1",
      kind: "Tent",
      metadata: { name: "blue", namespace: "camp" },
      spec: { size },
    }) as unknown as ObjectData;

  test("an object is refused if nothing makes its namespace or its kind", async () => {
    const ends = await Promise.all([
      host.check(task(config("a", { a: "1" }, "camp"))),
      host.apply(task(config("a", { a: "1" }, "camp"))),
      host.check(task(tent(3))),
    ]);
    expect(ends.map(([end]) => refusal(end))).toEqual([
      "refused: no-namespace",
      "refused: no-namespace",
      "refused: no-kind",
    ]);
  });

  test("check mode foresees objects of a namespace and a kind that the play makes first", async () => {
    const ends = await converge(
      task(namespace),
      task(definition),
      task(config("a", { a: "1" }, "camp")),
      task(tent(3)),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "changed", "changed", "changed"]);
    expect(get("tent", "blue", "{.spec.size}", "camp")).toBe("3");
  });

  test("refuses a value that the kind's schema does not allow", async () => {
    const [end] = await host.check(task(tent(30)));
    expect(refusal(end)).toBe("refused: invalid-object");
    expect(end?.error?.message).toContain("spec.size");
  });

  test("does not delete a namespace or a kind with what is in it, unless told to", async () => {
    for (const [object, contents] of [
      [namespace, "1 ConfigMap, 1 Tent"],
      [definition, "1 Tent"],
    ] as const) {
      const [end] = await host.check(task(object, { state: "absent" }));
      expect(refusal(end)).toBe("refused: not-empty");
      expect(end?.error?.message).toContain(contents);
    }
    const [end] = await converge(task(definition, { state: "absent", deleteContents: true }));
    expect(end?.outcome).toBe("changed");
    expect(server.kubectl(["get", "customresourcedefinitions", "--output=name"])).toBe("");
  });

  test("a second task about the same object is undecided in check mode, because the first one may change it", async () => {
    const first = task(config("twice", { a: "1" }, "camp"));
    const second = task(config("twice", { a: "1" }, "camp"), { state: "absent" });
    const ends = await host.check(first, second);
    expect(ends.map(({ outcome, dependsOn }) => [outcome, dependsOn])).toEqual([
      ["changed", undefined],
      ["undecided", "kubeObject ConfigMap camp/twice"],
    ]);
    expect((await host.apply(first, second)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  });
});

describe("deleting objects", () => {
  test("deletes what it applied, and nothing of others", async () => {
    await host.apply(task(config("mine", { a: "1" })));
    server.kubectl(["create", "configmap", "theirs", "--namespace=shop", "--from-literal=a=1"]);
    const [theirs] = await host.apply(task(config("theirs", {}), { state: "absent" }));
    expect(refusal(theirs)).toBe("refused: owned-by-others");
    expect(theirs?.error?.message).toContain("the field manager kubectl-create");
    await converge(task(config("mine", {}), { state: "absent" }));
    await converge(task(config("theirs", {}), { state: "absent", force: true }));
    expect(server.kubectl(["get", "configmap", "--namespace=shop", "--output=name"])).not.toMatch(/mine|theirs/);
  });

  test("names the finalizers that a deleted object waits for, and goes on when they are gone", async () => {
    const kept = {
      ...config("kept", { a: "1" }),
      metadata: { name: "kept", namespace: "shop", finalizers: ["shop.example.com/backup"] },
    } as ObjectData;
    await host.apply(task(kept));
    const gone = task(kept, { state: "absent", deadlineSeconds: 1 });
    const [end] = await host.apply(gone);
    expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
    expect(end?.error?.failure.current).toContain("shop.example.com/backup");
    expect(refusal((await host.check(task(kept)))[0])).toBe("refused: being-deleted");
    server.kubectl([
      "patch",
      "configmap",
      "kept",
      "--namespace=shop",
      "--type=merge",
      '--patch={"metadata":{"finalizers":null}}',
    ]);
    await converge(gone).catch(() => undefined);
    expect((await host.apply(gone))[0]?.outcome).toBe("ok");
  });
});
