import { describe, expect, test } from "vitest";
import { type Node, playbook } from "../../src/authoring.ts";
import { simulate } from "../../src/testing/index.ts";
import { kubeManifest } from "../kube-manifest/kube-manifest.ts";
import { kubeObject } from "./kube-object.ts";

/** An object with nothing but its identity. */
type Named = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: string };
};

const shop = { kubeconfig: "kubeconfig", fieldManager: "shop" };

describe("the deletion of a namespace or a kind in check mode", () => {
  const nothing = { exists: false, fields: {}, owner: {} };
  const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "tents.example.com" },
  };
  const config = (namespace: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one", namespace } });
  const tent = (group: string) => ({
    apiVersion: `${group}/v1`,
    kind: "Tent",
    metadata: { name: "blue", namespace: "camp" },
  });
  const deleted = (object: Named) => kubeObject({ ...shop, object, state: "absent" });

  const checked = async (contents: string | undefined, ...nodes: Node[]) => {
    const kubernetes = (request: unknown): unknown => {
      if (!("of" in (request as object))) return "has" in (request as object) ? { there: true } : true;
      const { of, apply } = request as { readonly of: { readonly kind: string }; readonly apply?: unknown };
      if (apply !== undefined) return { ...nothing, after: { ...nothing, exists: true } };
      const isWhole = /^(Namespace|CustomResourceDefinition)/.test(of.kind);
      const own = isWhole && contents !== undefined ? { contents } : {};
      return { ...nothing, exists: true, after: nothing, uid: "1", ...own };
    };
    const book = playbook({ name: "a", plays: [{ hosts: "all", tasks: () => nodes }] });
    const { tasks } = await simulate(book, { hosts: ["a"], mode: "check", drivers: { kubernetes } });
    return tasks.map(({ outcome }) => outcome).at(-1);
  };

  test.each([
    ["the ConfigMap in it", space, deleted(config("shop"))],
    ["the objects of the kind", definition, deleted(tent("example.com"))],
    [
      "the namespace of the objects",
      definition,
      kubeObject({ ...shop, object: space, state: "absent", deleteContents: true }),
    ],
  ])("is undecided if an earlier task deletes %s", async (_what, whole, first) => {
    expect(await checked("1 ConfigMap", first, deleted(whole))).toBe("undecided");
    const text = JSON.stringify(whole);
    const manifest = kubeManifest({ ...shop, text, state: "absent" });
    expect(await checked("1 ConfigMap", first, manifest)).toBe("undecided");
  });

  test.each([
    ["in another namespace", space, deleted(config("other"))],
    ["of another group", definition, deleted(tent("example.org"))],
    ["that is only created", space, kubeObject({ ...shop, object: config("shop") })],
  ])("is refused if an earlier task changes an object %s", async (_what, whole, first) => {
    expect(await checked("1 ConfigMap", first, deleted(whole))).toBe("failed");
  });

  test("is undecided if it is empty and an earlier task creates an object in it", async () => {
    const first = kubeObject({ ...shop, object: config("shop") });
    expect(await checked(undefined, first, deleted(space))).toBe("undecided");
    expect(await checked(undefined, deleted(config("shop")), deleted(space))).toBe("changed");
  });

  test("is predicted if its contents may be deleted with it", async () => {
    const whole = kubeObject({ ...shop, object: space, state: "absent", deleteContents: true });
    expect(await checked("1 ConfigMap", deleted(config("shop")), whole)).toBe("changed");
  });
});
