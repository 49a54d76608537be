import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { secretOf } from "../../src/core/secrets/secret.ts";
import { machinesSchema } from "../../roles/virtual-machines/machines.ts";
import { virtualMachines } from "../../roles/virtual-machines/role.ts";
import { vmStorage } from "../../roles/vm-storage/role.ts";
import { vmStorageSchema } from "../../roles/vm-storage/storage.ts";
import { nodeOf, vmNetworkOf } from "../guards/examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { imageKind, networkKinds, settingKind } from "./harvester-kinds.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

const apply = (...objects: object[]): string =>
  server.kubectl(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
const read = (...argv: string[]): unknown => JSON.parse(server.kubectl(["get", ...argv, "--output=json"]));
const patch = (kind: string, name: string, change: object): string =>
  server.kubectl(["patch", kind, name, "--type=merge", `--patch=${JSON.stringify(change)}`]);

beforeAll(async () => {
  server = await ApiServer.up();
  apply(...networkKinds, imageKind, settingKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  for (const name of ["harvester-1", "harvester-2"]) {
    apply({ apiVersion: "v1", kind: "Node", metadata: (nodeOf(name) as { metadata: object }).metadata });
    const status = { conditions: [{ type: "Ready", status: "True", reason: "x", message: "" }] };
    const node = { ...(read("node", name) as object), status };
    server.kubectl(["replace", "--raw", `/api/v1/nodes/${name}/status`, "--filename=-"], JSON.stringify(node));
  }
  apply(
    { apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition", ...vmNetworkOf("platform", "vm", 30) },
    { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name: "backup-target" } },
    {
      apiVersion: "harvesterhci.io/v1beta1",
      kind: "VirtualMachineImage",
      metadata: { name: "talos", namespace: "default" },
      spec: { displayName: "talos", sourceType: "download", url: "https://x.example.org/talos.raw.xz" },
      status: { progress: 100, storageClassName: "lh-7", conditions: [{ type: "Imported", status: "True" }] },
    },
  );
  controllers = act(stop.signal);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

interface Objects {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly runStrategy?: string };
  }[];
}

/** Does what KubeVirt and Harvester do: a machine that shall run runs a moment later; the backup target is reached. */
async function act(until: AbortSignal): Promise<void> {
  const done = new Set<string>();
  while (!until.aborted) {
    const { items } = read("virtualmachines") as Objects;
    for (const { metadata, spec } of items.filter((one) => !done.has(one.metadata.name))) {
      done.add(metadata.name);
      const state = spec.runStrategy === "Halted" ? "Stopped" : "Running";
      patch("virtualmachine", metadata.name, { status: { printableStatus: state } });
    }
    const { value } = read("settings.harvesterhci.io", "backup-target") as { value?: string };
    if (value?.includes("nfs") === true && !done.has(value)) {
      done.add(value);
      const conditions = [{ type: "configured", status: "True" }];
      patch("settings.harvesterhci.io", "backup-target", { status: { conditions } });
    }
    await pause(500);
  }
}

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !one.endsWith(": ok"));

describe("the storage of a cluster", () => {
  const storage = (replicas: number, backupTarget = "nfs://nas:/backups") =>
    vmStorage(
      vmStorageSchema.parse({ kubeconfig: server.kubeconfig(), storageClasses: { fast: { replicas } }, backupTarget }),
    );

  test("is kept: check mode says what the run does, and a second run changes nothing", async () => {
    const checked = await host.check(storage(2));
    const applied = await host.apply(storage(2));
    expect(outcomes(applied)).toEqual([
      "the cluster has a node for each replica: ok",
      "kubeObject StorageClass fast: changed",
      "backups go to nfs://nas:/backups: changed",
      "Harvester reaches nfs://nas:/backups: ok",
    ]);
    expect(outcomes(checked).slice(0, -1)).toEqual(outcomes(applied).slice(0, -1));
    expect(changedIn(await host.apply(storage(2)))).toEqual([]);
  });

  test("is refused, in check mode as in a run, if a class would change or wants too many replicas", async () => {
    for (const mode of ["check", "apply"] as const) {
      expect(changedIn(await host[mode](storage(1))).join()).toContain("kubeObject StorageClass fast: failed");
      expect(changedIn(await host[mode](storage(3))).join()).toContain("the cluster has 2 nodes with storage");
      expect(changedIn(await host[mode](storage(2, "nfs://other:/x"))).join()).toContain(
        "the cluster backs up to nfs://nas:/backups",
      );
    }
  });
});

describe("the machines of a cluster", () => {
  type Vars = z.input<typeof machinesSchema>["machines"];
  const machines = (vars: Vars) =>
    virtualMachines(machinesSchema.parse({ kubeconfig: server.kubeconfig(), machines: vars, deadlineSeconds: 120 }));
  const password = secretOf("s3cret-value", "password");
  const wanted = (): Vars => ({
    "cp-2": {
      cores: 4,
      memory: "16Gi",
      disks: [{ image: "talos", size: "50Gi" }],
      networks: [{ network: "platform", mac: "52:54:00:30:00:02" }],
      userData: password.map((one) => `#cloud-config\npassword: ${one}\n`),
    },
    spare: {
      cores: 1,
      memory: "512Mi",
      disks: [{ size: "1Gi" }],
      networks: [{ network: "platform" }],
      run: "Halted",
    },
  });

  test("are made from their images and run; a second run changes nothing; no output shows their secrets", async () => {
    const checked = await host.check(machines(wanted()));
    const applied = await host.apply(machines(wanted()));
    expect(outcomes(applied)).toEqual([
      "the machines fit the cluster: ok",
      "the images of cp-2 are there: default/talos: ok",
      "the storage classes of the images of cp-2: ok",
      "kubeObject Secret default/cp-2-cloud-init: changed",
      "kubeObject VirtualMachine default/cp-2: changed",
      "kubeWait VirtualMachine default/cp-2: ok",
      "kubeObject VirtualMachine default/spare: changed",
    ]);
    expect(outcomes(checked).toSpliced(5, 1)).toEqual(outcomes(applied).toSpliced(5, 1));
    expect(JSON.stringify([checked, applied])).not.toMatch(/s3cret-value|cGFzc3dvcmQ6/);
    const again = [...(await host.check(machines(wanted()))), ...(await host.apply(machines(wanted())))];
    expect(changedIn(again)).toEqual([]);
    const made = read("virtualmachine", "cp-2") as { metadata: { annotations: Record<string, string> } };
    expect(made.metadata.annotations["harvesterhci.io/volumeClaimTemplates"]).toContain('"storageClassName":"lh-7"');
    const { data } = read("secret", "cp-2-cloud-init") as { data: { userdata: string } };
    expect(Buffer.from(data.userdata, "base64").toString()).toBe("#cloud-config\npassword: s3cret-value\n");
  });

  test("of another owner are refused with nothing changed", async () => {
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "tenant-1", uid: "1" };
    patch("virtualmachine", "spare", { metadata: { ownerReferences: [owner] } });
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](machines(wanted()));
      expect(ends[0]?.error?.message).toContain("default/spare belongs to ConfigMap tenant-1");
      expect(ends).toHaveLength(1);
    }
  });
});
