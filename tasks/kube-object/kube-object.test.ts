import { describe, expect, test } from "vitest";
import { absent, type Node, playbook, secret } from "../../src/authoring.ts";
import { contractOf, explain, simulate } from "../../src/testing/index.ts";
import { cases } from "./kube-object.cases.ts";
import { kubeWait } from "../kube-wait/kube-wait.ts";
import { kubeObject } from "./kube-object.ts";

test("kubeObject meets the task contract and does what each case says", () => {
  expect(contractOf(kubeObject, cases, { folder: "kube-object" })).toEqual([]);
});

const object = { apiVersion: "v1", kind: "Secret", metadata: { name: "db", namespace: "shop" } };
const shop = { kubeconfig: "kubeconfig", fieldManager: "shop" };

test("accepts a secret in the data of an object, at any depth", async () => {
  const password = secret.env("KUBE_OBJECT_TEST").map((text) => Buffer.from(text).toString("base64"));
  process.env["KUBE_OBJECT_TEST"] = "s3cret-value";
  const after = { exists: true, fields: { "data.passwordSeal": "sealed:1" }, owner: {} };
  const { tasks } = await simulate(
    playbook({
      name: "a secret",
      plays: [{ hosts: "all", tasks: () => [kubeObject({ ...shop, object: { ...object, data: { password } } })] }],
    }),
    { hosts: ["a"], mode: "check", drivers: { kubernetes: () => ({ exists: false, fields: {}, owner: {}, after }) } },
  );
  expect(tasks).toMatchObject([{ title: "kubeObject Secret shop/db", outcome: "changed" }]);
});

test.each([
  ["data", '{ "__proto__": "1", "constructor": "x" }'],
  ["spec.a.b", '{ "a": { "b": { "__proto__": "1" } } }'],
  ["spec.0", '[{ "__proto__": "1" }]'],
])("refuses the key __proto__ in %s, which would otherwise be silently missing", (field, json) => {
  const [part = ""] = field.split(".");
  const given = { ...object, kind: "ConfigMap", [part]: JSON.parse(json) as never };
  expect(() => explain(kubeObject({ ...shop, object: given }), {})).toThrow(
    expect.objectContaining({
      code: "E_PARAMS",
      failure: expect.objectContaining({
        what: `wrong value for param "object.${field}"`,
        expected: "data without the key __proto__, which furrow cannot send",
      }) as object,
    }) as Error,
  );
});

test("keeps the key constructor in an object", () => {
  const given = { ...object, kind: "ConfigMap", data: { constructor: "x", toString: "y" } as never };
  const after = { exists: true, fields: {}, owner: {} };
  const now = { object: { exists: false, fields: {}, owner: {}, after } };
  expect(JSON.stringify(explain(kubeObject({ ...shop, object: given }), now))).toContain('"constructor":"x"');
});

describe("an error about a Secret", () => {
  const said = (object: unknown): string => {
    try {
      return JSON.stringify(explain(kubeObject({ ...shop, object: object as never }), {}));
    } catch (error) {
      return JSON.stringify((error as { readonly failure: unknown }).failure);
    }
  };

  test.each([
    ["a number", { ...object, data: { pin: 424242771 } }, ['"object.data.pin"', "string in quotes, not a number"]],
    ["a list in data", { ...object, data: { pin: ["LEAKME"] } }, ['"object.data.pin"', "not a list"]],
    ["a text as data", { ...object, data: "LEAKME" }, ['"object.data"', "a map of base64 strings, not a string"]],
    ["a list as data", { ...object, data: ["LEAKME"] }, ['"object.data"', "not a list"]],
    ["stringData", { ...object, stringData: { x: "LEAKME" } }, ['"object.stringData"', "data with values in base64"]],
    ["a value that is not JSON", { ...object, data: { x: { y: 5n, z: "LEAKME" } } }, ['"object.data.x']],
    ["the whole object as a text", "kind: Secret\ndata: { x: LEAKME }", ['"object"']],
    ["the object in a list", [{ ...object, data: { x: "LEAKME" } }], ['"object"']],
  ])("shows no value, but the key and what is expected: %s", (_what, given, expected) => {
    const text = said(given).replaceAll('\\"', '"');
    for (const part of expected) expect(text).toContain(part);
    expect(text).not.toMatch(/LEAKME|424242771/);
  });
});

test("a later task about an object that an earlier one changes is undecided in check mode, even if the object is already correct", async () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" } };
  const view = (color: string) => ({ exists: true, fields: { "data.color": color }, owner: { "data.color": "shop" } });
  // The value in the cluster is green: the first task sets it to red, and the second sets it back to green.
  const kubernetes = (request: unknown): unknown => {
    const wanted = JSON.stringify(request).includes("red") ? "red" : "green";
    return { ...view("green"), uid: "1", after: view(wanted) };
  };
  const { tasks } = await simulate(
    playbook({
      name: "twice",
      plays: [
        {
          hosts: "all",
          tasks: () => [
            kubeObject({ ...shop, object: { ...config, data: { color: "red" } } }, { temporary: true }),
            kubeObject({ ...shop, object: { ...config, data: { color: "green" } } }),
          ],
        },
      ],
    }),
    { hosts: ["a"], mode: "check", drivers: { kubernetes } },
  );
  expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
});

test("an object that a webhook denies is undecided in check mode if an earlier task changes another object, and refused otherwise", async () => {
  const object = (kind: string) =>
    kubeObject({ ...shop, object: { apiVersion: "net.example.com/v1", kind, metadata: { name: "vm" } } });
  const nothing = { exists: false, fields: {}, owner: {} };
  const after = { exists: true, fields: {}, owner: {} };
  const denied = { code: "denied", message: "no network vm", hint: "Correct it" };
  const kubernetes = (request: unknown): unknown => {
    if ("any" in (request as object)) return true;
    return { ...nothing, after, ...(JSON.stringify(request).includes("VlanConfig") && { sent: {}, denied }) };
  };
  const check = async (...kinds: string[]) => {
    const tasks = () => kinds.map(object);
    const options = { hosts: ["a"], mode: "check", drivers: { kubernetes } } as const;
    return simulate(playbook({ name: "networks", plays: [{ hosts: "all", tasks }] }), options);
  };
  const early = await check("ClusterNetwork", "VlanConfig");
  expect(early.tasks.map(({ outcome }) => outcome)).toEqual(["changed", "undecided"]);
  const alone = await check("VlanConfig");
  expect(alone.tasks).toMatchObject([{ outcome: "failed", error: { failure: { what: "no network vm" } } }]);
});

test("an object that does not fit its kind's schema is undecided in check mode if an earlier task changes the schema, and refused otherwise", async () => {
  const tent = { apiVersion: "example.com/v1", kind: "Tent", metadata: { name: "blue" } };
  const definition = (name: string) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
  });
  const nothing = { exists: false, fields: {}, owner: {}, after: { exists: true, fields: {}, owner: {} } };
  const problem = { code: "invalid-object", message: "unknown field spec.color", hint: "Correct it" };
  const kubernetes = (request: unknown): unknown => {
    if ("defined" in (request as object)) return true;
    const isTent = JSON.stringify(request).includes("Tent");
    return { ...nothing, ...(isTent && { sent: {}, problem, definition: "tents.example.com" }) };
  };
  const outcomes = async (name: string) => {
    const tasks = () => [definition(name), tent].map((object) => kubeObject({ ...shop, object }));
    const options = { hosts: ["a"], mode: "check", drivers: { kubernetes } } as const;
    const done = await simulate(playbook({ name: "tents", plays: [{ hosts: "all", tasks }] }), options);
    return done.tasks.map(({ outcome }) => outcome);
  };
  expect(await outcomes("tents.example.com")).toEqual(["changed", "undecided"]);
  expect(await outcomes("boats.example.com")).toEqual(["changed", "failed"]);
});

test("an object that contains the output of a wait is undecided in check mode", async () => {
  const place = { apiVersion: "v1", kind: "ConfigMap", name: "source", namespace: "shop", kubeconfig: "kubeconfig" };
  const wait = kubeWait({ ...place, field: "data.color" });
  const color = wait.output.map(({ value }) => JSON.stringify(value));
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" }, data: { color } };
  const { tasks } = await simulate(
    playbook({
      name: "a copy",
      plays: [{ hosts: "all", tasks: () => [wait, kubeObject({ ...shop, object: config })] }],
    }),
    { hosts: ["a"], mode: "check", drivers: { kubernetes: () => ({ exists: false }) } },
  );
  expect(tasks.map(({ outcome, error }) => [outcome, error?.message])).toEqual([
    ["ok", undefined],
    ["undecided", undefined],
  ]);
});

describe("an object on the server", () => {
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" }, spec: {} };
  const view = { exists: true, fields: { "spec.paused": true }, owner: {} };
  const found = (more: object, after: object = {}) =>
    explain(kubeObject({ ...shop, object }), { object: { ...view, after: { ...view, ...after }, ...more } });

  test("gets a note about a field that falls back to another value", () => {
    expect(found({ fallbacks: { "spec.replicas": 1 } }).notes).toEqual([
      "spec.replicas of Deployment shop/web falls back to 1: it is no longer sent",
    ]);
  });

  test("gets a note that names its finalizers if it must be absent and its deletion has begun", async () => {
    const gone = { exists: false, fields: {}, owner: {} };
    const kubernetes = () => ({ ...view, after: gone, uid: "u1", deleting: ["shop/backup"] });
    const removal = () => [kubeObject({ ...shop, object, state: "absent" })];
    const book = playbook({ name: "a", plays: [{ hosts: "all", tasks: removal }] });
    const { tasks } = await simulate(book, { hosts: ["a"], mode: "check", drivers: { kubernetes } });
    expect(tasks.map(({ outcome, notes }) => [outcome, notes])).toEqual([
      ["changed", ["Deployment shop/web is being deleted already, and waits for shop/backup"]],
    ]);
  });

  test("gets the note in check mode too", async () => {
    const kubernetes = () => ({
      ...view,
      fields: { "spec.replicas": 3 },
      after: { ...view, fields: { "spec.replicas": absent } },
      fallbacks: { "spec.replicas": 1 },
    });
    const book = playbook({ name: "a", plays: [{ hosts: "all", tasks: () => [kubeObject({ ...shop, object })] }] });
    const { tasks } = await simulate(book, { hosts: ["a"], mode: "check", drivers: { kubernetes } });
    expect(tasks.map(({ outcome, notes }) => [outcome, notes])).toEqual([
      ["changed", ["spec.replicas of Deployment shop/web falls back to 1: it is no longer sent"]],
    ]);
  });

  test("gets a note about a list that keeps its order, and is applied if the order changes", () => {
    const list = "spec.containers";
    const kept = found({ reordered: [list] });
    expect(kept.notes).toEqual([
      "the items of spec.containers of Deployment shop/web keep their order, which differs from the order that furrow sends",
    ]);
    expect(kept.steps).toEqual([]);
    const { steps } = found({ order: { [list]: "a; b" } }, { order: { [list]: "b; a" } });
    expect(steps.map((step) => ("label" in step ? step.label : ""))).toEqual(["apply Deployment shop/web"]);
  });
});

describe("two tasks about the same object in one play", () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" } };
  const as = (data: Readonly<Record<string, string>>, more: object = {}) =>
    kubeObject({ ...shop, object: { ...config, data }, ...more });
  const plan = (...nodes: Node[]) =>
    simulate(playbook({ name: "twice", plays: [{ hosts: "all", tasks: () => nodes }] }), {
      hosts: ["a"],
      mode: "check",
      drivers: {
        kubernetes: () => ({ exists: false, fields: {}, owner: {}, after: { exists: true, fields: {}, owner: {} } }),
      },
    });

  test.each([
    ["with different values", [as({ a: "1" }), as({ a: "2" })], "they differ in data.a"],
    ["with different fields", [as({ a: "1" }), as({ b: "1" })], "they differ in data.a"],
    ["in two versions", [as({}), as({}, { object: { ...config, apiVersion: "v2", data: {} } })], "apiVersion"],
    ["made and deleted", [as({}), as({}, { state: "absent" })], "and by kubeObject ConfigMap shop/web at "],
    ["deleted and made", [as({}, { state: "absent" }), as({})], "it is managed by kubeObject ConfigMap shop/web at "],
  ])("are refused before the run: %s", async (_what, nodes, says) => {
    await expect(plan(...nodes)).rejects.toMatchObject({
      code: "E_CONFLICTING_WANTS",
      failure: { details: expect.arrayContaining([expect.stringContaining(says)]) as string[] },
    });
  });

  test.each([
    ["equal", [as({ a: "1" }), as({ a: "1" })]],
    ["under two field managers", [as({ a: "1" }), as({ b: "1" }, { fieldManager: "other" })]],
    ["in two clusters", [as({ a: "1" }), as({ a: "2" }, { context: "other" })]],
  ])("are accepted: %s", async (_what, nodes) => {
    expect((await plan(...nodes)).tasks).toHaveLength(2);
  });
});
