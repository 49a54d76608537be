import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askCluster, clusterLists, type ListName, lookAt } from "../../roles/cluster-answers/answers.ts";
import { settingPath } from "../../roles/cluster-answers/one-object.ts";
import { askSpace, lookAtSpace } from "../../roles/cluster-answers/nodes/space.ts";
import { mayLeave } from "../../roles/node-removal/quorum.ts";
import { absent } from "../../src/authoring.ts";
import { kubernetesDriver } from "../../src/drivers/kubernetes.ts";
import { explain } from "../../src/testing/index.ts";
import { machineOf, persistentVolumeOf, replicaOf, volumeOf } from "../guards/examples.ts";
import { ask } from "../playbooks/kubernetes.ts";
import { hasPrograms, standInApi } from "./api-server.ts";

const folder = mkdtempSync(join(tmpdir(), "furrow-stand-in-api-"));
const kubeconfig = join(folder, "kubeconfig");
let stop: () => void = () => undefined;

beforeAll(async () => {
  if (hasPrograms) ({ stop } = await standInApi(folder));
}, 600_000);

afterAll(() => {
  stop();
  rmSync(folder, { recursive: true });
});

const never = new AbortController().signal;
/** The lists that the playbooks of a deployment query. */
const names = [
  "nodes",
  "instances",
  "machines",
  "volumes",
  "replicas",
  "longhornNodes",
  "persistentVolumes",
  "upgrades",
  "networkConfigs",
  "networkStatuses",
  "linkMonitors",
  "vmNetworks",
  "backingImages",
  "images",
] as const satisfies readonly ListName[];

/** Queries the stand-in for all lists, as the guards do. */
async function answers(): Promise<Record<ListName, never>> {
  const read = Object.entries(askCluster(kubeconfig, ...names)).map(
    async ([name, { request }]) => [name, await kubernetesDriver.read(request, never)] as const,
  );
  return Object.fromEntries(await Promise.all(read)) as Record<ListName, never>;
}

describe.skipIf(!hasPrograms)("the stand-in's API", () => {
  test("gives complete answers to all queries of a deployment's guards", async () => {
    expect(lookAt(await answers(), ...names)).toMatchObject({
      seen: {
        nodes: [1, 2, 3].map((number) => ({ name: `harvester-${number}`, ready: true, votes: true })),
        volumes: [],
        replicas: [],
        longhornNodes: [1, 2, 3].map((number) => ({ name: `harvester-${number}` })),
      },
    });
  });

  test("keeps the objects that a test adds, so that a guard refuses to lose them", async () => {
    await ask(kubeconfig, clusterLists.volumes.path, volumeOf("pvc-1"));
    await ask(kubeconfig, clusterLists.replicas.path, replicaOf("pvc-1", "harvester-3"));
    await ask(kubeconfig, clusterLists.persistentVolumes.path, persistentVolumeOf("pvc-1", "disk"));
    await ask(kubeconfig, "/apis/kubevirt.io/v1/namespaces/default/virtualmachines", machineOf("web", "disk"));
    const refusal = async (node: string): Promise<string | undefined> =>
      explain(mayLeave({ kubeconfig, node, acceptLoss: [] }), { ...(await answers()), domain: absent }).refusal
        ?.message;
    expect(await refusal("harvester-3")).toBe(
      "without harvester-3 these would be lost: 1 volume: pvc-1 (10 GiB; its only healthy replica is on harvester-3; used by default/web)",
    );
    expect(await refusal("harvester-2")).toBeUndefined();
  });

  test("changes nothing in a dry run of a patch", async () => {
    const path = settingPath("backup-target");
    const body = { value: '{"type":"nfs"}' };
    const request = { kubeconfig, method: "PATCH", path, body };
    const value = async (): Promise<unknown> => ((await ask(kubeconfig, path)) as { value: string }).value;
    expect(await kubernetesDriver.read({ ...request, tried: "Setting backup-target" }, never)).toEqual({
      accepted: true,
    });
    expect(await value()).toBe("");
    expect(await kubernetesDriver.call?.(request, never)).toMatchObject(body);
    expect(await value()).toBe(body.value);
  });

  test("sends a long list in pages", async () => {
    const first = (await ask(kubeconfig, `${clusterLists.machines.path}?limit=500`)) as { readonly items: object[] };
    expect(first.items).toHaveLength(500);
    const look = lookAt(await answers(), "machines");
    const machines = "seen" in look ? look.seen.machines.filter(({ name }) => name.startsWith("many/")) : [];
    expect(machines).toHaveLength(501);
  });

  test("reports how full a node is, as its kubelet does", async () => {
    const { request } = askSpace(kubeconfig, "harvester-2");
    expect(lookAtSpace("harvester-2", (await kubernetesDriver.read(request, never)) as never)).toMatchObject({
      seen: { node: "harvester-2", availableBytes: 140 * 2 ** 30 },
    });
  });

  test("reports a missing node as missing, and an unknown kind as unknown", async () => {
    const read = (path: string): Promise<unknown> => kubernetesDriver.read({ kubeconfig, path }, never);
    expect(await read("/api/v1/nodes/harvester-2")).toMatchObject({ found: true });
    expect(await read("/api/v1/nodes/harvester-9")).toEqual({ found: false });
    expect(await read("/apis/unknown/v1/things/x")).toMatchObject({ error: { code: "HTTP 404" } });
  });
});
