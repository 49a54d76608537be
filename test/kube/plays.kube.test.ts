import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { config, type ObjectData, refusal, Tasks } from "./on-server.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(() => server?.down());

describe("a namespace, a kind and its objects in one play", () => {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "camp" } };
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
  };
  const tent = (size: number): ObjectData => ({
    apiVersion: "camp.example.com/v1",
    kind: "Tent",
    metadata: { name: "blue", namespace: "camp" },
    spec: { size },
  });

  test("an object is refused if nothing creates its namespace or its kind", async () => {
    const ends = await Promise.all([
      tasks.host.check(tasks.object(config("a", { a: "1" }, "camp"))),
      tasks.host.apply(tasks.object(config("a", { a: "1" }, "camp"))),
      tasks.host.check(tasks.object(tent(3))),
    ]);
    expect(ends.map(([end]) => refusal(end))).toEqual([
      "refused: no-namespace",
      "refused: no-namespace",
      "refused: no-kind",
    ]);
  });

  test("check mode predicts objects whose namespace and kind the play creates first", async () => {
    const ends = await tasks.converge(
      tasks.object(namespace),
      tasks.object(definition),
      tasks.object(config("a", { a: "1" }, "camp")),
      tasks.object(tent(3)),
    );
    expect(ends.map(({ outcome }) => outcome)).toEqual(["changed", "changed", "changed", "changed"]);
    expect(tasks.get("tent", "blue", "{.spec.size}", "camp")).toBe("3");
  });

  test("refuses a value that the kind's schema does not allow", async () => {
    const [end] = await tasks.host.check(tasks.object(tent(30)));
    expect(refusal(end)).toBe("refused: invalid-object");
    expect(end?.error?.message).toContain("spec.size");
  });

  test("does not delete a namespace or a kind that contains objects, unless told to", async () => {
    for (const [object, contents] of [
      [namespace, "1 ConfigMap, 1 Tent"],
      [definition, "1 Tent"],
    ] as const) {
      const [end] = await tasks.host.check(tasks.object(object, { state: "absent" }));
      expect(refusal(end)).toBe("refused: not-empty");
      expect(end?.error?.message).toContain(contents);
    }
    const [end] = await tasks.converge(tasks.object(definition, { state: "absent", deleteContents: true }));
    expect(end?.outcome).toBe("changed");
    expect(server.kubectl(["get", "customresourcedefinitions", "--output=name"])).toBe("");
  });

  test("a second task for the same object is undecided in check mode, because the first one may change the object", async () => {
    const first = tasks.object(config("twice", { a: "1" }, "camp"), {}, { temporary: true });
    const second = tasks.object(config("twice", { a: "1" }, "camp"), { state: "absent" });
    const ends = await tasks.host.check(first, second);
    expect(ends.map(({ outcome, dependsOn }) => [outcome, dependsOn])).toEqual([
      ["changed", undefined],
      ["undecided", "kubeObject ConfigMap camp/twice"],
    ]);
    expect((await tasks.host.apply(first, second)).map(({ outcome }) => outcome)).toEqual(["changed", "changed"]);
  });
});

describe("deleting objects", () => {
  test("deletes what it applied, and nothing that others created", async () => {
    await tasks.host.apply(tasks.object(config("mine", { a: "1" })));
    server.kubectl(["create", "configmap", "theirs", "--namespace=shop", "--from-literal=a=1"]);
    const [theirs] = await tasks.host.apply(tasks.object(config("theirs", {}), { state: "absent" }));
    expect(refusal(theirs)).toBe("refused: owned-by-others");
    expect(theirs?.error?.message).toContain("the field manager kubectl-create");
    await tasks.converge(tasks.object(config("mine", {}), { state: "absent" }));
    await tasks.converge(tasks.object(config("theirs", {}), { state: "absent", force: true }));
    expect(server.kubectl(["get", "configmap", "--namespace=shop", "--output=name"])).not.toMatch(/mine|theirs/);
  });

  test("does not delete an object that kubectl created and the play only labeled", async () => {
    server.kubectl(["create", "configmap", "labeled", "--namespace=shop", "--from-literal=precious=1"]);
    const metadata = { name: "labeled", namespace: "shop" };
    const labeled = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, labels: { mine: "1" } } };
    await tasks.converge(tasks.object(labeled));
    const [end] = await tasks.host.check(tasks.object(labeled, { state: "absent" }));
    expect(refusal(end)).toBe("refused: owned-by-others");
    expect(end?.error?.message).toContain("kubectl-create (owns data)");
    const alone = { ...labeled, metadata: { ...labeled.metadata, name: "alone" } };
    await tasks.converge(tasks.object(alone));
    await tasks.converge(tasks.object(alone, { state: "absent" }));
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "brief", labels: { mine: "1" } } };
    await tasks.converge(tasks.object(space));
    // This server has no controller that would remove the namespace.
    const [brief] = await tasks.host.check(tasks.object(space, { state: "absent" }));
    expect(brief?.outcome).toBe("changed");
    await tasks.converge(tasks.object(labeled, { state: "absent", force: true }));
  });

  test("names the finalizers that a deleted object waits for, and continues when they are gone", async () => {
    const kept = {
      ...config("kept", { a: "1" }),
      metadata: { name: "kept", namespace: "shop", finalizers: ["shop.example.com/backup"] },
    };
    await tasks.host.apply(tasks.object(kept));
    const gone = tasks.object(kept, { state: "absent", deadlineSeconds: 1 });
    const [end] = await tasks.host.apply(gone);
    expect([end?.outcome, end?.error?.code]).toEqual(["failed", "E_WAIT"]);
    expect(end?.error?.failure.current).toContain("shop.example.com/backup");
    expect(refusal((await tasks.host.check(tasks.object(kept)))[0])).toBe("refused: being-deleted");
    server.kubectl([
      "patch",
      "configmap",
      "kept",
      "--namespace=shop",
      "--type=merge",
      '--patch={"metadata":{"finalizers":null}}',
    ]);
    await tasks.converge(gone).catch(() => undefined);
    expect((await tasks.host.apply(gone))[0]?.outcome).toBe("ok");
  });
});
