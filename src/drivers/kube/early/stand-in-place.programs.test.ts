import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  AnsweringServer,
  config,
  live,
  missing,
  path,
  type Said,
  status,
} from "../../../../test/kube/server/answering-server.ts";
import { kubeApplied } from "../../../facts/controller/kube-object.ts";

const server = new AnsweringServer();
const request = { kubeconfig: server.kubeconfig, fieldManager: "shop", force: false, object: config };
beforeAll(() => server.up(), 120_000);
afterAll(() => server.down());
beforeEach(() => server.reset());

describe("an object whose namespace does not exist yet", () => {
  const elsewhere = "/api/v1/namespaces/default/configmaps";
  const invalid = 'ConfigMap "BAD_NAME" is invalid: metadata.name: Invalid value: "BAD_NAME"';
  const ask = (answer?: Said): Promise<unknown> => {
    server.said[`GET ${path}`] = [missing("web")];
    server.said[`PATCH ${path}`] = [missing("shop", "namespaces")];
    if (answer !== undefined) server.said[`POST ${elsewhere}`] = [answer];
    return server.read(kubeApplied(request));
  };

  test.each([
    ["422", status(422, { reason: "Invalid", message: invalid })],
    ["400", status(400, { reason: "BadRequest", message: invalid })],
  ])("is refused in check mode if the run would refuse it with %s", async (_what, answer) => {
    expect(await ask(answer)).toMatchObject({
      problem: { code: "invalid-object", message: `ConfigMap shop/web is not valid: ${invalid}` },
    });
    const sent = { ...config, metadata: { name: "web", namespace: "default" } };
    expect(server.seen.at(-1)).toBe(
      `POST ${elsewhere}?fieldManager=shop&fieldValidation=Strict&dryRun=All application/json ${JSON.stringify(sent)}`,
    );
  });

  test.each([
    ["accepts it", { status: 201, body: live({ a: "1" }, {}) }],
    ["has another object of this name there", status(409, { reason: "AlreadyExists", message: "exists" })],
  ])("is predicted without a note if the server %s", async (_what, answer) => {
    const predicted = await ask(answer);
    expect(predicted).toMatchObject({ lacks: "namespace" });
    expect(predicted).not.toHaveProperty("problem");
    expect(predicted).not.toHaveProperty("unasked");
  });

  test.each([
    ["missing rights", status(403, { message: "you may not" }), "HTTP 403: you may not"],
    ["no such namespace", missing("default", "namespaces"), "HTTP 404"],
    ["a webhook", status(400, { message: 'admission webhook "x" denied the request: no' }), 'webhook "x"'],
    ["a webhook without dry runs", status(400, { message: 'webhook "x" does not support dry run' }), "dry run"],
    [
      "a policy",
      status(422, { reason: "Invalid", message: "ValidatingAdmissionPolicy 'x' denied request: no" }),
      "ValidatingAdmissionPolicy 'x'",
    ],
    [
      "a rule about the namespace",
      status(422, { reason: "Invalid", message: "involvedObject.namespace: does not match event.namespace" }),
      "does not match",
    ],
    ["a failure", status(500, { message: "etcd is down" }), "etcd is down"],
  ])(
    "is predicted with a note if the server's answer is not about the object itself: %s",
    async (_what, answer, why) => {
      const predicted = await ask(answer);
      expect(predicted).toMatchObject({
        lacks: "namespace",
        unasked: expect.stringMatching(/^the namespace shop does not exist yet/) as string,
      });
      expect((predicted as { unasked: string }).unasked).toContain(why);
      expect(predicted).not.toHaveProperty("problem");
    },
  );
});
