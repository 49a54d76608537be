import { afterAll, beforeAll, expect, test } from "vitest";
import { certificatesSchema } from "../../../roles/certificates/certificates.ts";
import { certificates } from "../../../roles/certificates/role.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { apply, makeNodes, patch, play, read } from "../actors.ts";
import { settingKind } from "../harvester-kinds.ts";
import { plainKind } from "./rancher-kinds.ts";
import { ApiServer } from "../server/api-server.ts";
import { certificateRotation, settingsController } from "./setting-actors.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

beforeAll(async () => {
  server = await ApiServer.up();
  apply(
    server,
    settingKind,
    plainKind("harvesterhci.io", "v1beta1", "Upgrade", "Namespaced"),
    plainKind("kubevirt.io", "v1", "KubeVirt", "Namespaced"),
  );
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { "harvester-1": {}, "harvester-2": {} });
  for (const [name, days] of [
    ["harvester-1", 5],
    ["harvester-2", 300],
  ] as const) {
    const info = JSON.stringify({ closestExpiryTime: inDays(days), updatedAt: inDays(0) });
    patch(server, "node", name, { metadata: { annotations: { "harvesterhci.io/rke2-cert-info": info } } });
  }
  const namespace = "harvester-system";
  apply(
    server,
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "vip", namespace },
      data: { enabled: "true", ip: "127.0.0.1" },
    },
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "Setting",
      metadata: { name: "auto-rotate-rke2-certs" },
      default: '{"enable":false,"expiringInHours":240}',
    },
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "Setting",
      metadata: { name: "server-version" },
      value: "v1.9.0",
    },
    { apiVersion: "kubevirt.io/v1", kind: "KubeVirt", metadata: { name: "kubevirt", namespace }, spec: {} },
  );
  controllers = play(server, stop.signal, settingsController, certificateRotation);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const tasks = (vars: object = {}) =>
  certificates(
    certificatesSchema.parse({
      kubeconfig: server.kubeconfig(),
      pagesPort: Number(new URL(server.url).port),
      deadlineSeconds: 120,
      ...vars,
    }),
  );
const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

test("without autoRotate, a run only reports the certificates of each node, KubeVirt and the pages", async () => {
  const ends = await host.apply(tasks());
  expect(changedIn(ends)).toEqual([]);
  const said = ends.flatMap(({ notes }) => notes).join("\n");
  expect(said).toMatch(/harvester-1: the first certificate expires at .*, in [45] days \(Harvester checked at/);
  expect(said).toMatch(/harvester-2: the first certificate expires at \S+ \(Harvester checked at/);
  expect(said).toContain("KubeVirt renews its certificates itself");
  expect(said).toMatch(/the Harvester UI at 127\.0\.0\.1:\d+: the certificate of CN=\S+ expires at/);
});

test("a rotation is refused in check mode and in a run while a node is not ready, and nothing changes", async () => {
  apply(server, { apiVersion: "v1", kind: "Node", metadata: { name: "harvester-3", labels: { x: "y" } } });
  const node = read(server, "node", "harvester-3") as object;
  const status = { conditions: [{ type: "Ready", status: "Unknown", reason: "x", message: "" }] };
  const path = "/api/v1/nodes/harvester-3/status";
  server.kubectl(["replace", "--raw", path, "--filename=-"], JSON.stringify({ ...node, status }));
  for (const mode of ["check", "apply"] as const) {
    const ends = await host[mode](tasks({ autoRotate: { enabled: true } }));
    expect(ends.map(({ error }) => error?.message).join()).toContain("harvester-3 not ready");
    expect(ends).toHaveLength(1);
  }
  server.kubectl(["delete", "node", "harvester-3"]);
});

test("Harvester renews what is due, and the run waits for it; a second run changes nothing", async () => {
  const wanted = { autoRotate: { enabled: true, expiringInHours: 240 } };
  const checked = await host.check(tasks(wanted));
  const applied = await host.apply(tasks(wanted));
  expect(outcomes(applied).slice(0, 4)).toEqual([
    "Harvester can safely renew the certificates of RKE2: ok",
    "kubeObject Setting auto-rotate-rke2-certs: changed",
    "Harvester has applied the setting auto-rotate-rke2-certs: ok",
    "no certificate of RKE2 is due: ok",
  ]);
  expect(outcomes(checked).slice(0, 2)).toEqual(outcomes(applied).slice(0, 2));
  expect(applied.flatMap(({ notes }) => notes).join("\n")).toMatch(
    /harvester-1: the first certificate expires at \S+ \(/,
  );
  expect(changedIn(await host.apply(tasks(wanted)))).toEqual([]);
});
