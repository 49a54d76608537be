import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redact } from "../../../src/core/secrets/redact.ts";
import type { TaskEnd } from "../../tasks/on-host.ts";
import { config, customKind, refusal, Tasks } from "../on-server.ts";
import { ApiServer } from "../server/api-server.ts";
import { kubeconfigText } from "../server/certificates.ts";

let server: ApiServer;
const tasks = new Tasks(() => server);
const folder = mkdtempSync(join(tmpdir(), "furrow-hostile-"));

beforeAll(async () => {
  server = await ApiServer.up();
  server.kubectl(["create", "namespace", "shop"]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server?.down();
});

/** A manifest file with these documents. */
function manifest(name: string, ...documents: readonly (object | string)[]): string {
  const path = join(folder, name);
  writeFileSync(path, documents.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n---\n"));
  return path;
}

/** Everything in a task's result that a report could contain, redacted as in a report. */
const everything = (end: TaskEnd | undefined): string =>
  redact(JSON.stringify([end, end?.error?.message, end?.error?.failure, end?.error?.stack]));

const both = async (act: (mode: "check" | "apply") => Promise<TaskEnd[]>): Promise<(TaskEnd | undefined)[]> => [
  (await act("check"))[0],
  (await act("apply"))[0],
];

describe("a value that the server refuses without naming its field", () => {
  const metadata = { name: "unfit", namespace: "shop" };

  test("is named if it is a quantity", async () => {
    const container = { name: "web", image: "web:1", resources: { limits: { memory: "4 GB" } } };
    const template = { metadata: { labels: { app: "web" } }, spec: { containers: [container] } };
    const spec = { selector: { matchLabels: { app: "web" } }, template };
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec };
    for (const end of await both((mode) => tasks.host[mode](tasks.object(object)))) {
      expect(end?.error?.message).toContain('resources.limits.memory is "4 GB", which is not a quantity');
    }
  });

  test.each(["shop", "later"])(
    "is named by its key if it is data of a Secret in the namespace %s",
    async (namespace) => {
      const data = { good: "Z29vZA==", pin: "LEAKME!" };
      const object = { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, namespace }, data };
      const later = { apiVersion: "v1", kind: "Namespace", metadata: { name: "later" } };
      const nodes = namespace === "later" ? [tasks.object(later)] : [];
      const end = (await tasks.host.check(...nodes, tasks.object(object))).at(-1);
      expect(end?.error?.message).toContain("data.pin is not base64");
      expect(everything(end)).not.toContain("LEAKME");
    },
  );
});

describe("manifests that programs have written", () => {
  test("may contain a status, as controller-gen and kubectl write it; the server keeps its own", async () => {
    const definition = {
      ...customKind("boats", "Boat", "v1"),
      status: { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] },
    };
    const boat = {
      apiVersion: "camp.example.com/v1",
      kind: "Boat",
      metadata: { name: "b", namespace: "shop" },
      spec: { size: 1 },
      status: { phase: "Sunk" },
    };
    const container = { name: "web", image: "web:1" };
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "status", namespace: "shop" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
      },
      status: { replicas: 3 },
    };
    await tasks.converge(tasks.manifest({ path: manifest("status.yaml", definition, boat, deployment) }));
    expect(tasks.get("boat", "b", "{.status}")).toBe("");
    expect(tasks.get("deployment", "status", "{.status.replicas}")).toBe("");
  });

  test("may have empty and null fields, carriage returns, comments, directives and a byte order mark", async () => {
    const path = join(folder, "odd.yaml");
    const text = [
      "\uFEFF%YAML 1.1",
      "---  # first",
      "apiVersion: v1",
      "kind: ConfigMap",
      "metadata: { name: odd-1, namespace: shop, labels: {}, annotations: null }",
      "data:",
      '  text: "---"',
      "  block: |",
      "    ---",
      "    a: b",
      "  empty: ''",
      "...",
      "---",
      "# nothing",
      "---",
      "--- { apiVersion: v1, kind: ConfigMap, metadata: { name: odd-2, namespace: shop }, data: null }",
      "---",
      "",
    ].join("\r\n");
    writeFileSync(path, text);
    await tasks.converge(tasks.manifest({ path }));
    expect(tasks.get("configmap", "odd-1", "{.data.block}")).toBe("---\na: b\n");
    expect(tasks.get("configmap", "odd-2", "{.data}")).toBe("");
  });

  test("may contain lists of one kind, nested lists and empty lists", async () => {
    const list = (items: object[], more = "") => ({ apiVersion: "v1", kind: `${more}List`, items });
    const path = manifest(
      "lists.yaml",
      list([list([config("l1", { a: "1" })], "ConfigMap"), list([])]),
      list([config("l2", { a: "1" })]),
    );
    await tasks.converge(tasks.manifest({ path }));
    expect(tasks.get("configmap", "l1", "{.data.a}")).toBe("1");
  });

  test("may have names that only some kinds allow", async () => {
    const role = (name: string) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
    });
    const names = ["system:shop:Über", "Shop.Viewer", "a#b?c=d&e", "shop"];
    for (const name of names) {
      const [checked, applied] = await both((mode) => tasks.host[mode](tasks.object(role(name))));
      expect([checked?.outcome, checked?.error?.code]).toEqual([applied?.outcome, applied?.error?.code]);
    }
    // An object with the same name as its namespace.
    await tasks.converge(tasks.object(config("shop", { a: "1" })));
  });

  test("may be large, and an object that is too large is refused both in check mode and in a run", async () => {
    const many = Array.from({ length: 400 }, (_, at) => config(`many-${at}`, { text: "x".repeat(200) }));
    await tasks.converge(tasks.manifest({ path: manifest("many.yaml", ...many) }));
    const large = config("large", { text: "x".repeat(1_200_000) });
    for (const end of await both((mode) => tasks.host[mode](tasks.object(large)))) {
      expect([end?.outcome, refusal(end)]).toEqual(["failed", "refused: invalid-object"]);
      expect(everything(end).length).toBeLessThan(20_000);
    }
  }, 600_000);
});

describe("what cannot be changed", () => {
  test("a change to an immutable field is refused both in check mode and in a run, and the error says why", async () => {
    const frozen = (a: string) => tasks.object({ ...config("frozen", { a }), immutable: true });
    await tasks.converge(frozen("1"));
    for (const end of await both((mode) => tasks.host[mode](frozen("2")))) {
      expect(refusal(end)).toBe("refused: immutable-field");
      expect(end?.error?.failure.hint).toContain("delete the object in an earlier task");
    }
    const role = (name: string) =>
      tasks.object({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: { name: "frozen", namespace: "shop" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      });
    await tasks.converge(role("view"));
    for (const end of await both((mode) => tasks.host[mode](role("edit")))) expect(end?.outcome).toBe("failed");
  });

  test("nothing is created in a namespace that is being deleted, but its objects can still be deleted", async () => {
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "ending" } };
    await tasks.converge(tasks.object(space), tasks.object(config("old", { a: "1" }, "ending")));
    server.kubectl(["delete", "namespace", "ending", "--wait=false"]);
    for (const end of await both((mode) => tasks.host[mode](tasks.object(config("new", {}, "ending"))))) {
      expect(refusal(end)).toBe("refused: namespace-ends");
    }
    for (const end of await both((mode) => tasks.host[mode](tasks.object(space)))) {
      expect(refusal(end)).toBe("refused: being-deleted");
    }
    await tasks.converge(tasks.object(config("old", {}, "ending"), { state: "absent" }));
  });
});

describe("an object in two versions of its kind", () => {
  const cart = (version: string, spec: object) =>
    tasks.object({
      apiVersion: `camp.example.com/${version}`,
      kind: "Cart",
      metadata: { name: "c", namespace: "shop" },
      spec,
    });

  test("keeps its fields when the playbook switches to the other version", async () => {
    await tasks.converge(tasks.object(customKind("carts", "Cart", "v1", "v1beta1")));
    await tasks.converge(cart("v1beta1", { size: "1", color: "red" }));
    await tasks.converge(cart("v1", { size: "1", color: "red" }));
    const [end] = await tasks.converge(cart("v1", { size: "2" }));
    expect(end?.outcome).toBe("changed");
    expect(tasks.get("cart", "c", "{.spec}")).toBe('{"size":"2"}');
  });
});

describe("a secret value", () => {
  const values = ['pa"ss\\word-<of>-ana', "s3cret-value-that-is-plain!", "ä€-s3cret-value"];
  const secretOf = (data: object, metadata: object = {}) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "shop", ...metadata },
    data,
  });

  test.each(values)("does not appear in the error from the server that rejects it: %s", async (value) => {
    for (const end of await both((mode) => tasks.host[mode](tasks.object(secretOf({ key: value }))))) {
      expect(refusal(end)).toBe("refused: invalid-object");
      const said = everything(end);
      for (let at = 0; at + 6 <= value.length; at += 1) expect(said).not.toContain(value.slice(at, at + 6));
    }
  });

  test("is not shown even if kubectl keeps it in an annotation", async () => {
    const encoded = Buffer.from("s3cret-value").toString("base64");
    const annotation = JSON.stringify(secretOf({ key: encoded }));
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": annotation };
    const ends = await both((mode) => tasks.host[mode](tasks.object(secretOf({ key: encoded }, { annotations }))));
    for (const end of ends) {
      expect(end?.outcome).toBe("changed");
      expect(everything(end)).not.toContain(encoded);
    }
  });
});

describe("an unsuitable kubeconfig", () => {
  const write = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  test("with an expired token leads to an error that asks for new credentials", async () => {
    const own = JSON.parse(kubeconfigText(server.folder, "admin", server.url)) as { users: object[] };
    const path = write("expired", JSON.stringify({ ...own, users: [{ name: "u", user: { token: "expired-t0ken" } }] }));
    for (const end of await both((mode) => tasks.host[mode](tasks.object(config("web", {}), { kubeconfig: path })))) {
      expect(end?.error?.failure.current).toMatch(/^HTTP 401/);
      expect(end?.error?.failure.hint).toContain("Renew the credentials");
      expect(everything(end)).not.toContain("expired-t0ken");
    }
  });

  test("for another cluster leads to an error that asks for this cluster's kubeconfig", async () => {
    // The CA in this kubeconfig is a user's certificate, which did not sign the server's.
    const path = write("other", kubeconfigText(server.folder, "admin", server.url, "guest"));
    const [end] = await tasks.host.check(tasks.object(config("web", {}), { kubeconfig: path }));
    expect(end?.error?.failure.hint).toContain("Use the kubeconfig for this cluster");
  });
});
