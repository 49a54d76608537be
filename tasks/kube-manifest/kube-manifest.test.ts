import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Node, playbook, secret } from "../../src/authoring.ts";
import { contractOf, explain, simulate } from "../../src/testing/index.ts";
import { kubeObject } from "../kube-object/kube-object.ts";
import { cases } from "./kube-manifest.cases.ts";
import { kubeManifest } from "./kube-manifest.ts";

test("kubeManifest meets the task contract and does what each case says", () => {
  expect(contractOf(kubeManifest, cases, { folder: "kube-manifest" })).toEqual([]);
});

const folder = mkdtempSync(join(tmpdir(), "furrow-kube-manifest-"));
afterAll(() => rmSync(folder, { recursive: true }));

const shop = { kubeconfig: "kubeconfig", fieldManager: "shop" };
const named = (kind: string, name: string, more = ""): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${name}${more} }\n`;

/** The request about an object, as the task sends it to the driver. */
interface Asked {
  readonly apply?: { readonly object: { readonly kind: string; readonly metadata: { readonly name: string } } };
  readonly has?: object;
}

/** The results in check mode on an empty cluster, and the requests that the cluster received. */
async function check(...nodes: Node[]) {
  const asked: string[] = [];
  const kubernetes = (request: unknown): unknown => {
    const { apply, has } = request as Asked;
    asked.push(JSON.stringify(has ?? apply?.object));
    if (has !== undefined) return { there: true, namespaced: true };
    const nothing = { exists: false, fields: {}, owner: {} };
    return { ...nothing, after: { exists: true, fields: {}, owner: {} } };
  };
  const { tasks } = await simulate(playbook({ name: "x", plays: [{ hosts: "all", tasks: () => nodes }] }), {
    hosts: ["a"],
    mode: "check",
    drivers: { kubernetes },
  });
  return { tasks, asked };
}

describe("a manifest", () => {
  test.each([
    ["a key that is given twice", `${named("ConfigMap", "a")}kind: Secret\n`, "line 4 (document 1)"],
    ["the same object twice", `${named("ConfigMap", "a")}---\n${named("ConfigMap", "a")}`, "line 1 (document 1), and "],
    [
      "the same object in another version",
      `${named("Tent", "a").replace("v1", "x.io/v1")}---\n${named("Tent", "a").replace("v1", "x.io/v2")}`,
      "line 5 (document 2)",
    ],
    ["a wrong kind", named("config map", "a"), "the field kind"],
    ["a wrong namespace", named("ConfigMap", "a", ", namespace: Shop_1"), "the field metadata.namespace"],
    ["a field that only the server sets", named("ConfigMap", "a", ', uid: "1"'), "the field metadata.uid"],
    ["stringData", `${named("Secret", "a")}stringData: { a: b }\n`, "the field stringData"],
    ["a number in a Secret", `${named("Secret", "a")}data: { pin: 73519945 }\n`, "the field data.pin is not valid"],
    ["a text as a Secret's data", `${named("Secret", "a")}data: LEAKME\n`, "the field data is not valid"],
    ["a list as a Secret's data", `${named("Secret", "a")}data: [LEAKME]\n`, "the field data is not valid"],
  ])("is refused before the cluster is asked: %s", async (_what, text, says) => {
    const path = join(folder, "shop.yaml");
    writeFileSync(path, text);
    const { tasks, asked } = await check(kubeManifest({ ...shop, path, namespace: "shop" }));
    expect(tasks).toMatchObject([{ outcome: "failed", error: { message: expect.stringContaining(says) as string } }]);
    expect(tasks[0]?.error?.message).toContain("shop.yaml, line ");
    expect(JSON.stringify(tasks[0]?.error?.failure)).not.toMatch(/LEAKME|73519945/);
    expect(asked).toEqual([]);
  });

  test("accepts the playbook's secrets in the manifest's text, and puts no secret value into any report", async () => {
    process.env["KUBE_MANIFEST_TEST"] = "s3cret-value";
    const password = secret.env("KUBE_MANIFEST_TEST");
    const text = `${named("Secret", "db")}data: { password: ${password}, plain: cGxhaW4tdmFsdWU= }\n`;
    const { tasks, asked } = await check(kubeManifest({ ...shop, text, namespace: "shop" }));
    expect(tasks).toMatchObject([{ title: "kubeManifest text", outcome: "changed" }]);
    const object = JSON.parse(asked.at(-1) ?? "") as { data: object; metadata: object };
    expect(object.metadata).toEqual({ name: "db", namespace: "shop" });
    for (const value of Object.values(object.data)) expect(value).toMatch(/^«secret /);
    expect(JSON.stringify(tasks)).not.toMatch(/s3cret-value|cGxhaW4tdmFsdWU=/);
  });

  test("creates what later tasks need, and a later task about one of its objects is undecided in check mode", async () => {
    const text = `${named("ConfigMap", "web", ", namespace: shop")}---\n${named("Namespace", "shop")}`;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" } };
    const other = { ...object, metadata: { name: "api", namespace: "shop" } };
    const { tasks } = await check(
      kubeManifest({ ...shop, text }, { temporary: true }),
      kubeObject({ ...shop, object, state: "absent" }),
      kubeObject({ ...shop, object: other }),
    );
    expect(tasks.map(({ outcome }) => outcome)).toEqual(["changed", "undecided", "changed"]);
  });
});

test("a manifest to delete says which of its volumes are deleted before the object that owns them", async () => {
  const volume = (name: string, space = "shop"): string =>
    named("PersistentVolumeClaim", name, `, namespace: ${space}`);
  const claim = named("StatefulSet", "db", ", namespace: shop").replace("v1", "apps/v1");
  const text = [volume("first"), claim, volume("later"), volume("other", "elsewhere")].join("---\n");
  const asked: unknown[] = [];
  const kubernetes = (request: unknown): unknown => {
    asked.push(request);
    return { exists: false, fields: {}, owner: {}, after: { exists: false, fields: {}, owner: {} } };
  };
  const tasks = () => [kubeManifest({ ...shop, text, state: "absent" })];
  const options = { hosts: ["a"], mode: "check", drivers: { kubernetes } } as const;
  await simulate(playbook({ name: "x", plays: [{ hosts: "all", tasks }] }), options);
  const besides = asked
    .map(
      (one) => (one as { readonly delete: { readonly object: { readonly kind: string }; besides?: unknown } }).delete,
    )
    .find(({ object }) => object.kind === "StatefulSet")?.besides;
  expect(besides).toEqual([{ namespace: "shop", kind: "PersistentVolumeClaim", name: "later" }]);
});

describe("an object in two manifests of a play", () => {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const labelled = (color: string): string => named("ConfigMap", "web", `, labels: { color: ${color} }`);

  test("is refused, and both places are named, if the two differ, however they specify the namespace", async () => {
    const one = write("one.yaml", `${named("ConfigMap", "api")}---\n${labelled("red")}`);
    const two = write("two.yaml", labelled("green").replace("{ name", "{ namespace: shop, name"));
    const { tasks } = await check(
      kubeManifest({ ...shop, path: one, namespace: "shop" }),
      kubeManifest({ ...shop, path: two }),
    );
    expect(tasks).toMatchObject([
      { outcome: "changed" },
      { outcome: "failed", error: { code: "E_CONFLICTING_WANTS" } },
    ]);
    const { what = "", details = [] } = tasks[1]?.error?.failure ?? {};
    const message = [what, ...details].join("\n");
    expect(message).toContain("the fields of ConfigMap shop/web under the field manager shop in different ways");
    expect(message).toContain(`in ${one}, line 5 (document 2)`);
    expect(message).toContain(`in ${two}, line 1 (document 1)`);
    expect(message).toContain("metadata.labels.color");
  });

  test("is refused if a kubeObject task wants it in a different state", async () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", namespace: "shop" } };
    const path = write("one.yaml", labelled("red"));
    const { tasks } = await check(kubeManifest({ ...shop, path, namespace: "shop" }), kubeObject({ ...shop, object }));
    expect(tasks).toMatchObject([{ outcome: "failed", error: { code: "E_CONFLICTING_WANTS" } }]);
  });

  test("is accepted if both manifests define it in the same way, or if the first is temporary", async () => {
    const [one, two] = [write("one.yaml", labelled("red")), write("two.yaml", labelled("red"))];
    const other = write("other.yaml", labelled("green"));
    const of = (path: string) => ({ ...shop, path, namespace: "shop" });
    for (const nodes of [
      [kubeManifest(of(one)), kubeManifest(of(two))],
      [kubeManifest(of(one), { temporary: true }), kubeManifest(of(other))],
    ]) {
      const { tasks } = await check(...nodes);
      expect(tasks.map(({ error }) => error)).toEqual([undefined, undefined]);
    }
  });
});

test("objects are applied in the order of the documents, except that objects needed by others come first", () => {
  const names = ["Service", "Namespace", "ClusterRole", "ConfigMap"];
  const documents = names.map((kind, at) => ({
    object: {
      apiVersion: "v1",
      kind,
      metadata: { name: String(at) },
    },
    place: `line ${at}`,
  }));
  const scopes = [
    { there: true, namespaced: true },
    { there: true, namespaced: false },
    { there: true, namespaced: true },
  ];
  const gone = { exists: false, fields: {}, owner: {}, after: { exists: true, fields: {}, owner: {} } };
  const now = { source: { documents }, scopes, objects: [gone, gone, gone, gone], namespaces: [{ there: true }] };
  expect(explain(kubeManifest({ ...shop, path: "x", namespace: "shop" }), now).described).toEqual([
    "apply Namespace 1",
    "apply Service shop/0",
    "apply ClusterRole 2",
    "apply ConfigMap shop/3",
  ]);
});

test.each([
  ["two sources", { path: "a", text: "b" }],
  ["no source", {}],
  ["a URL without checksum", { url: "https://example.org/a.yaml" }],
  ["http", { url: "http://example.org/a.yaml", checksum: `sha256:${"0".repeat(64)}` }],
  ["another checksum", { url: "https://example.org/a.yaml", checksum: `sha512:${"0".repeat(128)}` }],
  ["recursive text", { text: "a", recursive: true }],
])("the params are refused: %s", (_what, more) => {
  expect(() => explain(kubeManifest({ ...shop, ...more } as never), {})).toThrow(
    expect.objectContaining({ code: "E_PARAMS" }) as Error,
  );
});

test.each([
  ["an object instead of a text", { text: { kind: "Secret", data: { x: "LEAKME" } } }],
  ["a text without a kubeconfig", { text: "kind: Secret\ndata: { x: LEAKME }", kubeconfig: undefined }],
  ["a text and a wrong state", { text: "kind: Secret\ndata: { x: LEAKME }", state: "gone" }],
])("an error about params does not show the manifest's text: %s", (_what, more) => {
  let said = "";
  try {
    explain(kubeManifest({ ...shop, ...more } as never), {});
  } catch (error) {
    said = JSON.stringify((error as { readonly failure: unknown }).failure);
  }
  expect(said).not.toBe("");
  expect(said).not.toContain("LEAKME");
});

test("an object that a webhook currently denies is still applied if an object before it in the manifest changes", async () => {
  const nothing = { exists: false, fields: {}, owner: {} };
  const denied = { code: "denied", message: "no network vm", hint: "Correct it" };
  const kubernetes = (request: unknown): unknown => {
    const { apply } = request as Asked;
    if (apply === undefined) return { there: true, namespaced: true };
    const isDenied = apply.object.metadata.name === "uplink";
    return { ...nothing, after: { exists: true, fields: {}, owner: {} }, ...(isDenied && { sent: {}, denied }) };
  };
  const text = `${named("ConfigMap", "network", ", namespace: shop")}---\n${named("ConfigMap", "uplink", ", namespace: shop")}`;
  const tasks = () => [kubeManifest({ ...shop, text })];
  const options = { hosts: ["a"], mode: "check", drivers: { kubernetes } } as const;
  const { tasks: ends } = await simulate(playbook({ name: "x", plays: [{ hosts: "all", tasks }] }), options);
  expect(ends.map(({ outcome }) => outcome)).toEqual(["changed"]);
});

test("an object with a field that the manifest itself adds to the schema of its kind is applied after the definition", () => {
  const spec = { group: "example.com", names: { plural: "tents", kind: "Tent" }, scope: "Namespaced", versions: [] };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.example.com" },
    spec,
  };
  const tent = { apiVersion: "example.com/v1", kind: "Tent", metadata: { name: "blue", namespace: "shop" } };
  const documents = [crd, tent].map((object, at) => ({ object, place: `line ${at}` }));
  const after = { exists: true, fields: { "spec.a": 1 }, owner: {} };
  const problem = { code: "invalid-object", message: "unknown field spec.color", hint: "Correct it" };
  const unfit = { exists: false, fields: {}, owner: {}, after, sent: {}, problem, definition: "tents.example.com" };
  const told = (...objects: object[]) =>
    explain(kubeManifest({ ...shop, path: "x" }), { source: { documents }, objects });
  expect(told({ ...after, fields: {}, after }, unfit).described).toEqual([
    "apply CustomResourceDefinition tents.example.com",
    "apply Tent shop/blue",
  ]);
});
