import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, config, live, missing, path } from "../../../test/kube/server/answering-server.ts";
import { kubeApplied } from "../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const other = {
  manager: "someone",
  operation: "Apply",
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { "f:a": {} } },
};

describe("what applying an object would change", () => {
  test.each([
    ["lists no field managers", live({ a: "0" }, { "f:a": {} }, { managedFields: [] }), /managedFields/],
    ["has another name for the manager", live({ a: "0" }, {}, { managedFields: [{ ...other }] }), /managedFields/],
  ])("is unknown, not unchanged, if the response %s", async (_, body, why) => {
    server.said[`GET ${path}`] = [{ status: 200, body }];
    server.said[`PATCH ${path}`] = [{ status: 200, body }];
    await expect(server.read(kubeApplied(request))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringMatching(why) as string },
    });
  });

  test.each([{ labels: {} }, { creationTimestamp: null }, {}])(
    "needs no owner in the response if only empty fields are sent: %j",
    async (metadata) => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { ...config.metadata, ...metadata } };
      server.said[`PATCH ${path}`] = [{ status: 201, body: live({}, {}, { managedFields: [] }) }];
      server.said[`GET ${path}`] = [missing("web")];
      expect(await server.read(kubeApplied({ ...request, object }))).toMatchObject({ exists: false });
    },
  );

  test.each(["", "0", undefined])("is unknown if the object's version is %j", async (resourceVersion) => {
    server.said[`GET ${path}`] = [{ status: 200, body: live({ a: "0" }, { "f:a": {} }, { resourceVersion }) }];
    await expect(server.read(kubeApplied(request))).rejects.toMatchObject({
      code: "E_DRIVER",
      failure: { current: expect.stringContaining("metadata.resourceVersion") as string },
    });
  });

  test("quotes no object of a bad response, which may contain other people's secrets", async () => {
    const body = { ...live({ a: "0", theirs: "c2VjcmV0" }, { "f:a": {} }), kind: "Secret" };
    const object = { ...config, kind: "Secret" };
    const secrets = path.replace("configmaps", "secrets");
    for (const bad of [
      { ...body, metadata: null },
      { ...body, kind: undefined },
      '{"data":{"theirs":"c2VjcmV0"},"kind":"Secr',
    ]) {
      for (const code of [200, 409]) {
        server.said[`GET ${secrets}`] = [{ status: 200, body }];
        server.said[`PATCH ${secrets}`] = [{ status: code, body: bad }];
        const error: unknown = await server
          .read(kubeApplied({ ...request, object }))
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ code: "E_DRIVER" });
        expect(JSON.stringify(error)).not.toContain("c2VjcmV0");
      }
    }
  });
});
