import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { redact } from "../core/redact.ts";
import { secretOf } from "../core/secret.ts";
import { rancherDriver } from "./rancher.ts";

/** A small Rancher: clusters, and registration tokens whose URL comes a moment after them. */
let clusters: { id: string; name: string; state: string }[] = [];
let tokens: { clusterId: string; asked: number }[] = [];
let posts: string[] = [];
let server: Server;
let url = "";

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  let text = "";
  for await (const part of request) text += String(part);
  return JSON.parse(text || "{}") as Record<string, string>;
}

beforeAll(async () => {
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const at = new URL(request.url ?? "/", "http://x");
      const answer = (status: number, value: object): void =>
        void response.writeHead(status).end(JSON.stringify(value));
      if (request.headers.authorization !== "Bearer token-abc:secretsecret") return answer(401, { type: "error" });
      if (request.method === "POST") {
        posts.push(`${at.pathname} ${JSON.stringify(body)}`);
        if (at.pathname === "/v3/clusters") clusters.push({ id: "c-m-1", name: body["name"] ?? "", state: "pending" });
        else tokens.push({ clusterId: body["clusterId"] ?? "", asked: 0 });
        return answer(201, {});
      }
      if (at.pathname === "/v3/clusters")
        return answer(200, { data: clusters.filter(({ name }) => name === at.searchParams.get("name")) });
      const own = tokens.filter(({ clusterId }) => clusterId === at.searchParams.get("clusterId"));
      for (const token of own) token.asked += 1;
      const manifestUrl = `${url}/v3/import/veryverysecret_c-m-1.yaml`;
      return answer(200, { data: own.map(({ asked }) => (asked > 1 ? { manifestUrl } : {})) });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  [clusters, tokens, posts] = [[], [], []];
});

afterAll(() => server.close());

const signal = new AbortController().signal;
const wanted = () => ({ url, name: "harvester", token: String(secretOf("token-abc:secretsecret", "rancher-token")) });

describe("the rancher driver", () => {
  test("makes the cluster once, waits for its URL, and lets no sink print it", { timeout: 20_000 }, async () => {
    expect(await rancherDriver.read(wanted(), signal)).toEqual({ found: false });
    const registration = `${url}/v3/import/veryverysecret_c-m-1.yaml`;
    expect(await rancherDriver.call?.(wanted(), signal)).toMatchObject({ found: true, id: "c-m-1", registration });
    expect(await rancherDriver.read(wanted(), signal)).toMatchObject({ found: true, state: "pending", registration });
    await rancherDriver.call?.(wanted(), signal);
    expect(posts).toEqual([
      '/v3/clusters {"type":"cluster","name":"harvester","labels":{"provider.cattle.io":"harvester"}}',
      '/v3/clusterregistrationtokens {"type":"clusterRegistrationToken","clusterId":"c-m-1"}',
    ]);
    expect(redact(`kubectl apply -f ${registration}`)).not.toContain("veryverysecret");
  });

  test("goes on where a run was cut off between cluster and token", { timeout: 20_000 }, async () => {
    clusters = [{ id: "c-m-1", name: "harvester", state: "pending" }];
    await rancherDriver.call?.(wanted(), signal);
    expect(posts).toHaveLength(1);
  });

  test("says that the token is wrong, or that nobody is there", async () => {
    const wrong = { ...wanted(), token: "other" };
    expect(await rancherDriver.read(wrong, signal)).toMatchObject({ error: { code: "HTTP 401" } });
    await expect(rancherDriver.call?.(wrong, signal)).rejects.toMatchObject({ code: "E_DRIVER" });
    const nowhere = { ...wanted(), url: "http://127.0.0.1:9" };
    expect(await rancherDriver.read(nowhere, signal)).toMatchObject({ error: { code: "ECONNREFUSED" } });
  });
});
