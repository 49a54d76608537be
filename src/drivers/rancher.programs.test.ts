import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { RancherServer, rancherToken } from "../../test/rancher-server.ts";
import { redact } from "../core/secrets/redact.ts";
import { secretOf } from "../core/secrets/secret.ts";
import { rancherDriver } from "./rancher.ts";

let rancher: RancherServer;
beforeAll(async () => {
  rancher = await RancherServer.start();
});
beforeEach(() => rancher.reset());
afterAll(() => rancher.close());

const signal = new AbortController().signal;
const wanted = () => ({
  url: rancher.url,
  name: "harvester",
  token: String(secretOf(rancherToken, "rancher-token")),
});

describe("the rancher driver", () => {
  test("creates the cluster once, waits for its URL, and keeps the URL out of every report", async () => {
    expect(await rancherDriver.read(wanted(), signal)).toEqual({ found: false });
    const { registration } = rancher;
    const made = { found: true, id: "c-m-1", isHarvester: true, isReady: true, registrations: [registration] };
    expect(await rancherDriver.call?.(wanted(), signal)).toMatchObject(made);
    expect(await rancherDriver.read(wanted(), signal)).toMatchObject({ ...made, state: "pending" });
    await rancherDriver.call?.({ ...wanted(), id: "c-m-1" }, signal);
    expect(rancher.posts).toEqual([
      '/v3/clusters {"type":"cluster","name":"harvester","labels":{"provider.cattle.io":"harvester"}}',
      '/v3/clusterregistrationtokens {"type":"clusterRegistrationToken","clusterId":"c-m-1"}',
    ]);
    expect(redact(`kubectl apply -f ${registration}`)).not.toContain("veryverysecret");
  });

  test("resumes after a run that was interrupted between creating the cluster and creating its token", async () => {
    rancher.clusters = [{ id: "c-m-1", name: "harvester", state: "pending" }];
    expect(await rancherDriver.read(wanted(), signal)).toMatchObject({
      found: true,
      isReady: false,
      registrations: [],
    });
    await rancherDriver.call?.({ ...wanted(), id: "c-m-1" }, signal);
    expect(rancher.posts).toHaveLength(1);
  });

  test("creates nothing for a cluster that somebody else created at the same moment", async () => {
    rancher.clusters = [{ id: "c-m-2", name: "harvester", state: "active" }];
    for (const request of [wanted(), { ...wanted(), id: "c-m-1" }])
      await expect(rancherDriver.call?.(request, signal)).rejects.toMatchObject({ code: "E_DRIVER" });
    expect(rancher.posts).toEqual([]);
  });

  test("chooses none of several clusters with the same name", async () => {
    rancher.clusters = ["c-m-1", "c-m-2"].map((id) => ({ id, name: "harvester", state: "pending" }));
    expect(await rancherDriver.read(wanted(), signal)).toMatchObject({
      error: { message: "it has several clusters with the name harvester: c-m-1, c-m-2" },
    });
  });

  test("prints no token, even one that was not given as a secret", async () => {
    await rancherDriver.read({ ...wanted(), token: "token-abcde:written-in-plain-text" }, signal);
    expect(redact("you sent token-abcde:written-in-plain-text")).toBe("you sent «secret rancher-token»");
  });

  test("reports a wrong token and an unreachable server", async () => {
    const wrong = { ...wanted(), token: "other" };
    expect(await rancherDriver.read(wrong, signal)).toMatchObject({ error: { code: "HTTP 401" } });
    await expect(rancherDriver.call?.(wrong, signal)).rejects.toMatchObject({ code: "E_DRIVER" });
    const nowhere = { ...wanted(), url: "http://127.0.0.1:9" };
    expect(await rancherDriver.read(nowhere, signal)).toMatchObject({ error: { code: "ECONNREFUSED" } });
  });
});
