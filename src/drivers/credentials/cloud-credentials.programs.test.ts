import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { failures } from "../../../test/guards/bad-answers.ts";
import { soundCluster } from "../../../test/guards/examples.ts";
import { type Asked, FakeCluster, notFound } from "../../../test/guards/fake-cluster.ts";
import {
  cloudCredentials,
  type CloudCredentials,
  cloudCredentialsRenewal,
} from "../../facts/controller/cloud-credentials.ts";
import { cloudCredentialsDriverWith } from "./cloud-credentials.ts";

const noCertificates = spawnSync("sh", ["-c", "command -v openssl"]).status !== 0;
const never = new AbortController().signal;
const driver = cloudCredentialsDriverWith({ requestMs: 1000, deadlineMs: 1000, pauseMs: 300 });

let cluster: FakeCluster;
let rancher: Server;
/** The HTTP status of Rancher's response, by path. */
let status: Readonly<Record<string, number>> = {};
beforeAll(async () => {
  cluster = await FakeCluster.up(soundCluster);
  rancher = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://x");
    if (request.method === "POST") {
      const config = "users:\n- name: x\n  user:\n    token: kubeconfig-2:secret-part\n";
      response.writeHead(200).end(JSON.stringify({ config }));
      return;
    }
    const body = { type: "cluster", actions: status["action"] === 0 ? {} : { generateKubeconfig: "…" } };
    response.writeHead(status[pathname] ?? 200).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => {
    rancher.listen(0, "127.0.0.1", resolve);
  });
});
afterAll(() => {
  cluster.down();
  rancher.close();
  rancher.closeAllConnections();
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const paths = {
  list: "/api/v1/namespaces/cattle-global-data/secrets",
  token: "/apis/management.cattle.io/v3/tokens/kubeconfig-1",
};
const more = {
  made: "/apis/management.cattle.io/v3/tokens/kubeconfig-2",
  life: "/apis/management.cattle.io/v3/settings/kubeconfig-default-token-ttl-minutes",
  longest: "/apis/management.cattle.io/v3/settings/auth-token-max-ttl-minutes",
};

function secretOf(token: string, clusterId = "c-m-1", name = "cc-1"): object {
  const config = `users:\n- name: x\n  user:\n    token: ${token}\n`;
  return {
    metadata: { name, resourceVersion: "7", annotations: { "field.cattle.io/name": "lab" } },
    data: {
      "harvestercredentialConfig-kubeconfigContent": base64(config),
      "harvestercredentialConfig-clusterId": base64(clusterId),
    },
  };
}

const tokenOf = (more: object): object => ({
  kind: "Token",
  metadata: { name: "kubeconfig-1", creationTimestamp: new Date(Date.now() - 3_600_000).toISOString() },
  ...more,
});

function answers(
  changed: Partial<Record<keyof typeof paths | keyof typeof more, unknown>> = {},
): (asked: Asked) => boolean {
  const sound = {
    list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [secretOf("kubeconfig-1:secret-part")] },
    token: tokenOf({ ttl: 0 }),
  };
  const all: Readonly<Record<string, unknown>> = { ...sound, ...changed };
  return ({ path, response }) => {
    const name = Object.entries({ ...paths, ...more }).find(([, own]) => own === path)?.[0] ?? "";
    const body = all[name] ?? notFound(path.split("/").at(-1) ?? "");
    response
      .writeHead(all[name] === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(body));
    return true;
  };
}

async function ask(kubeconfig = cluster.kubeconfig()): Promise<CloudCredentials> {
  const url = `http://127.0.0.1:${(rancher.address() as AddressInfo).port}`;
  const { request } = cloudCredentials({ kubeconfig, url, token: "api", renewBeforeSeconds: 600 });
  return (await driver.read(request, never)) as CloudCredentials;
}

describe.skipIf(noCertificates)("a cloud credential", () => {
  test.each([
    ["does not end", {}, { due: false, state: "its token does not expire", shown: "lab", cluster: "c-m-1" }],
    ["has ended", { token: tokenOf({ expiresAt: "2026-01-01T00:00:00Z" }) }, { due: true }],
    ["has expired, according to its lifetime", { token: tokenOf({ ttl: 1000 }) }, { due: true }],
    ["ends soon", { token: tokenOf({ ttl: 3_900_000 }) }, { due: true }],
    ["ends later", { token: tokenOf({ ttl: 7_200_000 }) }, { due: false }],
    ["is disabled", { token: tokenOf({ enabled: false }) }, { due: true, state: "its token is disabled" }],
    [
      "has a token that Rancher stores elsewhere",
      { token: undefined },
      { due: false, state: "Rancher accepts its token" },
    ],
    [
      "has a different kind of token",
      { list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [secretOf("eyJ")] } },
      { due: false, state: "its kubeconfig has no Rancher token" },
    ],
  ])("%s", async (_what, changed, expected) => {
    status = {};
    cluster.instead = answers(changed);
    const answer = await ask();
    expect(answer).toMatchObject({ credentials: { "cc-1": expected } });
    expect(JSON.stringify(answer)).not.toContain("secret-part");
  });

  test("is due if Rancher does not accept its token, and is unknown if Rancher does not answer", async () => {
    cluster.instead = answers({ token: undefined });
    status = { "/v3/users": 401 };
    expect(await ask()).toMatchObject({ credentials: { "cc-1": { due: true } } });
    status = { "/v3/users": 503 };
    expect(await ask()).toMatchObject({ error: { where: "Rancher", code: "HTTP 503" } });
  });

  test.each([
    [{ "/v3/clusters/c-m-1": 401 }, "Rancher does not accept the API token"],
    [{ "/v3/clusters/c-m-1": 404 }, "Rancher answers HTTP 404 for the cluster c-m-1"],
    [{ action: 0 }, "the API token is not allowed to create kubeconfigs for c-m-1"],
  ])("that is due cannot be renewed if Rancher answers %j", async (given, obstacle) => {
    status = given;
    cluster.instead = answers({ token: tokenOf({ ttl: 1000 }) });
    expect(await ask()).toMatchObject({ obstacle });
  });

  test("that is due is checked individually, so that every obstacle is named", async () => {
    status = { "/v3/clusters/c-m-2": 404 };
    const items = [
      secretOf("kubeconfig-1:x"),
      secretOf("kubeconfig-1:x", "c-m-2", "cc-2"),
      secretOf("kubeconfig-1:x", "", "cc-3"),
    ];
    cluster.instead = answers({
      list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items },
      token: tokenOf({ ttl: 1000 }),
    });
    expect(await ask()).toMatchObject({
      obstacle: "cc-2: Rancher answers HTTP 404 for the cluster c-m-2; cc-3: the credential has no clusterId",
    });
  });

  test("is not replaced on every run: check mode and the run report that a new one would expire too soon", async () => {
    status = {};
    const setting = { kind: "Setting", metadata: {}, value: "", default: "5" };
    const ended = tokenOf({ ttl: 1000 });
    for (const changed of [{ life: setting }, { longest: { ...setting, value: "5", default: "0" } }]) {
      cluster.instead = answers({ token: ended, ...changed });
      const says =
        "Rancher's kubeconfigs expire after 5 minutes, so each run would create another; lower renewBeforeHours";
      expect(await ask()).toMatchObject({ obstacle: expect.stringContaining(says) as string });
    }
    cluster.instead = answers({ token: ended, life: { ...setting, default: "43200" } });
    expect(await ask()).not.toHaveProperty("obstacle");
    const written: string[] = [];
    const short = { kind: "Token", metadata: { creationTimestamp: new Date().toISOString() }, ttl: 60_000 };
    const renew = async (made: object) => {
      const sound = answers({ token: ended, made });
      cluster.instead = (asked) => {
        if (!asked.path.startsWith(`${paths.list}/`)) return sound(asked);
        written.push(asked.path);
        asked.response.writeHead(200, { "content-type": "application/json" }).end("{}");
        return true;
      };
      const url = `http://127.0.0.1:${(rancher.address() as AddressInfo).port}`;
      const question = { kubeconfig: cluster.kubeconfig(), url, token: "api", renewBeforeSeconds: 600 };
      await driver.call?.(cloudCredentialsRenewal(question, ["cc-1"]).request, never);
    };
    await expect(renew(short)).rejects.toThrow(
      "that would have to be replaced at once; the credential cc-1 is unchanged",
    );
    expect(written).toEqual([]);
    await renew({ ...short, ttl: 7_200_000 });
    expect(written).toEqual([`${paths.list}/cc-1`]);
  });

  test("is not known if a list ends too early, or does not state its type", async () => {
    for (const [code, more] of [
      ["half-list", { metadata: { continue: "more" } }],
      ["half-list", { metadata: { remainingItemCount: 1 } }],
      ["not-a-list", { apiVersion: undefined }],
    ] as const) {
      const list = { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [], ...more };
      cluster.instead = answers({ list });
      expect(await ask(), JSON.stringify(list)).toMatchObject({ error: { code } });
    }
  });

  test("is not known if a part of the answer is missing", async () => {
    status = {};
    for (const changed of [
      { list: { kind: "PodList", apiVersion: "v1", metadata: {}, items: [] } },
      { list: { kind: "SecretList", apiVersion: "v1", metadata: {}, items: [{ metadata: {} }] } },
      { token: { kind: "Pod", metadata: {} } },
      { token: { kind: "Status", reason: "NotFound", details: { name: "other" } } },
    ]) {
      cluster.instead = answers(changed);
      expect(await ask(), JSON.stringify(changed)).toMatchObject({ error: { code: "wrong-answer" } });
    }
  });

  const cells = Object.entries(paths).flatMap(([name, path]) =>
    failures
      .filter(({ cause }) => cause !== "cannot be used as a kubeconfig" && cause !== "certificate")
      .map((bad) => ({ title: `${name}: ${bad.name}`, path, bad })),
  );
  test.each(cells)("is not known after a bad answer about $title", async ({ path, bad }) => {
    const sound = answers();
    cluster.instead = (asked) => (asked.path === path && (bad.instead?.(asked) ?? false)) || sound(asked);
    expect(await ask(bad.kubeconfig?.(cluster, ""))).toHaveProperty("error");
  });
});
