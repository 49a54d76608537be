import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, config, live, missing, path, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied, kubeApply } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const uncalled =
  'failed calling webhook "w.example.com": failed to call webhook: Post "https://w.shop.svc:443/": connect: connection refused';
const noAccount = 'pods "job" is forbidden: error looking up service account shop/job: serviceaccount "job" not found';

describe("applying an object while its webhook cannot be called", () => {
  const created = { status: 201, body: live({ a: "1" }, { "f:a": {} }) };
  const starting = status(500, { message: `Internal error occurred: ${uncalled}` });
  const posts = (): number => server.seen.filter((one) => one.startsWith("PATCH")).length;

  test("waits until the webhook's program has started, and says what it waits for", async () => {
    server.said[`PATCH ${path}`] = [starting, starting, created];
    const said = await server.call(kubeApply(request, { exists: false }, 20));
    expect(posts()).toBe(3);
    expect(said).toEqual([expect.stringContaining("it cannot call the webhook w.example.com") as string]);
  });

  test("fails at the deadline, and names the webhook", async () => {
    server.said[`PATCH ${path}`] = [starting];
    await expect(server.call(kubeApply(request, { exists: false }, 1))).rejects.toMatchObject({
      code: "E_WAIT",
      failure: {
        what: "ConfigMap shop/web could not be applied within 1 s",
        current: expect.stringContaining("webhook w.example.com") as string,
      },
    });
  });

  test("fails at once for any other error of the server", async () => {
    server.said[`PATCH ${path}`] = [status(500, { message: "etcd is down" })];
    await expect(server.call(kubeApply(request, { exists: false }, 20))).rejects.toMatchObject({ code: "E_DRIVER" });
    expect(posts()).toBe(1);
  });
});

test("for an object that does not fit its kind's schema, the answer names the definition; once that has changed, the object is sent again", async () => {
  const object = { ...config, apiVersion: "camp.example.com/v1", kind: "Tent" };
  const tents = { name: "tents", kind: "Tent", namespaced: true };
  const place = "/apis/camp.example.com/v1/namespaces/shop/tents/web";
  const unknown = status(400, { reason: "BadRequest", message: 'strict decoding error: unknown field "spec.color"' });
  server.said["GET /apis/camp.example.com/v1"] = [
    { status: 200, body: { kind: "APIResourceList", resources: [tents] } },
  ];
  server.said[`GET ${place}`] = [missing("web", "tents")];
  server.said[`PATCH ${place}`] = [unknown];
  expect(await server.read(kubeApplied({ ...request, object }))).toMatchObject({
    problem: { code: "invalid-object" },
    definition: "tents.camp.example.com",
    sent: {},
  });
  server.said[`PATCH ${place}`] = [unknown, { status: 201, body: live({ a: "1" }, { "f:a": {} }) }];
  await server.call(kubeApply({ ...request, object }, { exists: false, definition: "tents.camp.example.com" }, 20));
});

test("an object that the server denied earlier is sent again until the server notices the objects applied since", async () => {
  const denied = { code: "denied", message: noAccount, hint: "Correct it" };
  const refused = status(403, { reason: "Forbidden", message: noAccount });
  server.said[`PATCH ${path}`] = [refused, { status: 201, body: live({ a: "1" }, { "f:a": {} }) }];
  await server.call(kubeApply(request, { exists: false, denied }, 20));
  server.said[`PATCH ${path}`] = [refused];
  await expect(server.call(kubeApply(request, { exists: false }, 20))).rejects.toMatchObject({
    code: "E_DRIVER",
    failure: { current: `HTTP 403: ${noAccount}` },
  });
});
