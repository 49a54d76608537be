import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AnsweringServer, config, missing, path, status } from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
// Generating the certificates is slow: it starts several processes.
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

const uncalled =
  'failed calling webhook "w.example.com": failed to call webhook: Post "https://w.shop.svc:443/": connect: connection refused';
const noAccount = 'pods "job" is forbidden: error looking up service account shop/job: serviceaccount "job" not found';

describe("an answer of the server to a dry run", () => {
  test.each([
    [
      "a conflict",
      status(409, {
        reason: "Conflict",
        details: {
          causes: [{ reason: "FieldManagerConflict", message: 'conflict with "kubectl" using v1', field: ".data.a" }],
        },
      }),
      {
        problem: {
          code: "field-conflict",
          message: expect.stringContaining("data.a is owned by kubectl") as string,
        },
      },
    ],
    [
      "an invalid object",
      status(422, { reason: "Invalid", message: "data: too long" }),
      { problem: { code: "invalid-object", message: "ConfigMap shop/web is not valid: data: too long" } },
    ],
    [
      "a changed field that cannot change",
      status(422, { reason: "Invalid", message: "parameters: Forbidden: updates to parameters are forbidden." }),
      { problem: { code: "immutable-field", hint: expect.stringContaining("in an earlier task") as string } },
    ],
    [
      "an unknown field, as an old server reports it",
      status(500, { message: "failed to create typed patch object: .dta: field not declared in schema" }),
      { problem: { code: "invalid-object" } },
    ],
    [
      "missing rights",
      status(403, { message: "you may not" }),
      { problem: { code: "forbidden", message: "you may not" } },
    ],
    [
      "a missing namespace",
      missing("shop", "namespaces"),
      { lacks: "namespace", after: { fields: { "data.a": "1" } }, sent: {} },
    ],
    [
      "a webhook that denies the change",
      status(400, { message: 'admission webhook "net.example.com" denied the request: no network vm' }),
      {
        denied: {
          code: "denied",
          message: "the cluster denies the change to ConfigMap shop/web: no network vm (webhook net.example.com)",
        },
        after: { fields: { "data.a": "1" } },
        sent: {},
      },
    ],
    [
      "a webhook that denies the change without a reason",
      status(403, { message: 'admission webhook "net.example.com" denied the request without explanation' }),
      { denied: { message: expect.stringContaining("it gave no reason") as string } },
    ],
    [
      "a webhook that cannot be called, because its program may not run yet",
      status(500, { message: `Internal error occurred: ${uncalled}` }),
      {
        denied: {
          code: "webhook-not-called",
          message: expect.stringMatching(
            /ConfigMap shop\/web: it cannot call the webhook w\.example\.com \(.*refused\)/,
          ) as string,
        },
        sent: {},
      },
    ],
    [
      "the API's own admission, which looks at other objects",
      status(403, { reason: "Forbidden", message: noAccount }),
      { denied: { code: "denied", message: expect.stringContaining(noAccount) as string }, sent: {} },
    ],
    [
      "a right that the user does not have",
      status(403, { message: 'configmaps "web" is forbidden: User "guest" cannot patch resource "configmaps"' }),
      { problem: { code: "forbidden" } },
    ],
    [
      "a namespace that is being deleted",
      status(403, {
        message: 'configmaps "web" is forbidden: unable to create new content in namespace shop',
        details: { causes: [{ reason: "NamespaceTerminating" }] },
      }),
      { problem: { code: "namespace-ends" } },
    ],
    [
      "a webhook that does not support dry runs",
      status(400, { message: 'admission webhook "x" does not support dry run' }),
      { unasked: 'admission webhook "x" does not support dry run' },
    ],
  ])("reports %s", async (_what, answer, expected) => {
    server.said[`GET ${path}`] = [missing("web")];
    server.said[`PATCH ${path}`] = [answer];
    expect(await server.read(kubeApplied(request))).toMatchObject({ exists: false, ...expected });
  });
});
