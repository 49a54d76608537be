import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AnsweringServer,
  config,
  live,
  path,
  type Said,
  status,
} from "../../../../test/kube/server/answering-server.ts";
import { kubeDeleted } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

describe("the owners of an object to delete", () => {
  test.each([
    [
      "a controller",
      { ownerReferences: [{ kind: "ReplicaSet", name: "web", controller: true }] },
      "the ReplicaSet web",
    ],
    ["Helm", { annotations: { "meta.helm.sh/release-name": "shop" } }, "Helm"],
    ["another tool", { labels: { "app.kubernetes.io/managed-by": "ansible" } }, "ansible"],
  ])("refuses to delete an object of %s, unless force is set", async (_who, more, owner) => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }, more) }];
    server.said[`DELETE ${path}`] = [status(200, {})];
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: { code: "owned-by-others", message: expect.stringContaining(owner) as string },
    });
    expect(server.seen.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    const forced = (await server.read(kubeDeleted({ ...request, force: true }))) as object;
    expect(forced).toMatchObject({ exists: true, uid: "u1" });
    expect("problem" in forced).toBe(false);
  });

  test("refuses to delete an object in which the field manager owns no field", async () => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "1" }, { "f:a": {} }) }];
    expect(await server.read(kubeDeleted({ ...request, fieldManager: "other" }))).toMatchObject({
      problem: { message: expect.stringContaining("the field manager shop") as string },
    });
  });

  const managed = (manager: string, operation: string, fieldsV1: object, more: object = {}): object => ({
    manager,
    operation,
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...more,
  });
  const label = { "f:metadata": { "f:labels": { "f:mine": {} } } };
  const data = { "f:data": { "f:precious": {} } };
  const object = (...managedFields: object[]): Said => ({
    status: 200,
    body: live({ precious: "1" }, {}, { managedFields }),
  });

  test.each([
    ["no entry", []],
    ["only a status", [managed("controller", "Update", { "f:status": {} }, { subresource: "status" })]],
  ])("refuses to delete data without an owner, unless force is set: %s in managedFields", async (_, managedFields) => {
    server.said[`GET ${path}`] = [object(...managedFields)];
    server.said[`DELETE ${path}`] = [status(200, {})];
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: { code: "owner-unknown", message: expect.stringContaining("anyone may own its data") as string },
    });
    expect(server.seen.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(await server.read(kubeDeleted({ ...request, force: true }))).not.toHaveProperty("problem");
  });

  test("deletes an object without content, which lists no manager", async () => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({}, {}, { managedFields: [] }) }];
    server.said[`DELETE ${path}`] = [status(200, {})];
    expect(await server.read(kubeDeleted(request))).not.toHaveProperty("problem");
  });

  test("refuses to delete data that kubectl created, although the playbook has applied a label", async () => {
    server.said[`GET ${path}`] = [object(managed("kubectl-create", "Update", data), managed("shop", "Apply", label))];
    server.said[`DELETE ${path}`] = [status(200, {})];
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: {
        code: "owned-by-others",
        message:
          "ConfigMap shop/web belongs to the field manager kubectl-create (owns data), not only to shop, which owns only metadata",
      },
    });
    expect(server.seen.filter((one) => one.startsWith("DELETE"))).toEqual([]);
    expect(await server.read(kubeDeleted({ ...request, force: true }))).not.toHaveProperty("problem");
  });

  test.each([
    ["the playbook owns data too", [managed("editor", "Update", data), managed("shop", "Apply", data)]],
    ["the others own only metadata", [managed("editor", "Update", label), managed("shop", "Apply", label)]],
    [
      "the others own only a status",
      [
        managed("controller", "Update", { "f:status": {} }, { subresource: "status" }),
        managed("old-controller", "Update", { "f:status": {}, ...label }),
        managed("shop", "Apply", label),
      ],
    ],
  ])("deletes an object that other managers have updated if %s", async (_why, managedFields) => {
    server.said[`GET ${path}`] = [object(...managedFields)];
    server.said[`DELETE ${path}`] = [status(200, {})];
    expect(await server.read(kubeDeleted(request))).not.toHaveProperty("problem");
  });

  test("deletes a namespace with a label from the playbook, although the cluster owns its other fields", async () => {
    const managedFields = [managed("cluster", "Update", { "f:spec": {} }), managed("shop", "Apply", label)];
    const space = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
    const body = { ...space, metadata: { name: "shop", uid: "n1", managedFields } };
    server.said["GET /api/v1/namespaces/shop"] = [{ status: 200, body }];
    server.said["DELETE /api/v1/namespaces/shop"] = [status(200, {})];
    server.said["GET /apis"] = [{ status: 200, body: { kind: "APIGroupList", groups: [] } }];
    for (const kind of ["ConfigMap", "Secret"]) {
      const list = { status: 200, body: { kind: `${kind}List`, metadata: {}, items: [] } };
      server.said[`GET /api/v1/namespaces/shop/${kind.toLowerCase()}s`] = [list];
    }
    expect(await server.read(kubeDeleted({ ...request, object: space }))).not.toHaveProperty("problem");
  });

  test("names the operation if the object belongs to a manager of the same name that did not apply it", async () => {
    server.said[`GET ${path}`] = [object(managed("shop", "Update", data))];
    expect(await server.read(kubeDeleted(request))).toMatchObject({
      problem: {
        message:
          "ConfigMap shop/web belongs to the field manager shop (operation Update), not to shop (operation Apply)",
      },
    });
  });
});
