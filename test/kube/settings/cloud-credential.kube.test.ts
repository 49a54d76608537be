import { afterAll, beforeAll, expect, test } from "vitest";
import { credentialsSchema } from "../../../roles/cloud-credential/credentials.ts";
import { cloudCredential } from "../../../roles/cloud-credential/role.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { apply, read } from "../actors.ts";
import { apiToken, RancherActor, rancherKubeconfig, tokenObject } from "./rancher-actor.ts";
import { plainKind } from "./rancher-kinds.ts";
import { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
let rancher: RancherActor;
let url: string;
const host = taskHost();

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const credential = (name: string, shown: string, token: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "cattle-global-data", annotations: { "field.cattle.io/name": shown } },
  data: {
    "harvestercredentialConfig-clusterId": base64("c-m-1"),
    "harvestercredentialConfig-clusterType": base64("imported"),
    "harvestercredentialConfig-kubeconfigContent": base64(rancherKubeconfig(token)),
  },
});

beforeAll(async () => {
  server = await ApiServer.up();
  rancher = new RancherActor(server);
  url = await rancher.up();
  apply(server, plainKind("management.cattle.io", "v3", "Token", "Cluster"));
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "cattle-global-data" } },
    tokenObject("kubeconfig-valid", { ttl: 0 }),
    tokenObject("kubeconfig-ended", { ttl: 1000, expiresAt: "2026-01-01T00:00:00Z" }),
    credential("cc-valid", "lab", "kubeconfig-valid:old-secret"),
    credential("cc-ended", "old lab", "kubeconfig-ended:old-secret"),
    credential("cc-gone", "older lab", "kubeconfig-gone:old-secret"),
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cc-aws", namespace: "cattle-global-data" },
      data: { "amazonec2credentialConfig-accessKey": base64("x") },
    },
  );
});
afterAll(async () => {
  rancher?.down();
  await server?.down();
});

const tasks = (vars: object = {}) =>
  cloudCredential(
    credentialsSchema.parse({ kubeconfig: server.kubeconfig(), rancherUrl: url, rancherToken: apiToken, ...vars }),
  );
const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ outcome, error }) => [outcome, error?.message].filter(Boolean).join(": "));
const kubeconfigOf = (name: string): string => {
  const secret = read(server, "secret", name, "--namespace=cattle-global-data") as { data: Record<string, string> };
  return Buffer.from(secret.data["harvestercredentialConfig-kubeconfigContent"] ?? "", "base64").toString("utf8");
};

test("a credential that cannot be renewed is refused in check mode and in a run, and nothing changes", async () => {
  for (const mode of ["check", "apply"] as const) {
    const [end] = outcomes(await host[mode](tasks({ rancherToken: "token-other:x" })));
    expect(end).toContain("cc-ended (old lab): its token expired at 2026-01-01T00:00:00Z");
    expect(end).toContain("cc-gone (older lab): Rancher no longer accepts its token");
    expect(end).toContain("it cannot be renewed: cc-ended: Rancher does not accept the API token; cc-gone: Rancher");
    expect(outcomes(await host[mode](tasks({ credentials: ["cc-none"] }))).join()).toContain("no credential cc-none");
  }
  expect(rancher.made).toBe(0);
});

test("expired credentials are renewed, the others are kept, and a second run changes nothing", async () => {
  const checked = await host.check(tasks());
  expect(outcomes(checked)).toEqual(["changed"]);
  expect(rancher.made).toBe(0);
  const applied = await host.apply(tasks());
  expect(outcomes(applied)).toEqual(["changed"]);
  expect(rancher.made).toBe(2);
  expect(kubeconfigOf("cc-valid")).toContain("kubeconfig-valid:old-secret");
  for (const name of ["cc-ended", "cc-gone"]) expect(kubeconfigOf(name)).toMatch(/kubeconfig-user-\d:made-secret-\d/);
  const again = await host.apply(tasks());
  expect(outcomes(again)).toEqual(["ok"]);
  expect(rancher.made).toBe(2);
  expect(JSON.stringify([checked, applied, again])).not.toMatch(/old-secret|made-secret|api-token-secret/);
  expect(again[0]?.notes.join()).toContain("cc-valid (lab, c-m-1): its token does not expire");
});
