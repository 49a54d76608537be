import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { settingPath } from "../../../roles/cluster-answers/one-object.ts";
import { externalCephSchema } from "../../../roles/external-ceph/ceph.ts";
import { driverConfig } from "../../../roles/external-ceph/driver-config.ts";
import { externalCeph } from "../../../roles/external-ceph/role.ts";
import type { CallStep } from "../../../src/core/host/step.ts";
import { kubernetesDriver } from "../../../src/drivers/kubernetes.ts";
import { explain } from "../../../src/testing/index.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { apply, patch, play, read } from "../actors.ts";
import { ApiServer } from "../server/api-server.ts";
import { printedBy } from "../settings/printed.ts";
import { classWebhook } from "./class-webhook.ts";
import { longhorn, prepare } from "./ceph-scene.ts";
import { cephPlayed, deployments, rookOperator, setDrivers } from "./rook-actors.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

const rbdDriver = "rook-ceph.rbd.csi.ceph.com";
const external = "--namespace=rook-ceph-external";

beforeAll(async () => {
  server = await ApiServer.up();
  prepare(server);
  controllers = play(server, stop.signal, deployments, rookOperator);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !/: (ok|skipped)$/.test(one));
const driversNow = (): unknown =>
  JSON.parse((read(server, "settings.harvesterhci.io", "csi-driver-config") as { value?: string }).value || "{}");
const defaults = (): Record<string, string | undefined> => {
  const { items } = read(server, "storageclasses") as {
    items: { metadata: { name: string; annotations?: Record<string, string> } }[];
  };
  const annotation = "storageclass.kubernetes.io/is-default-class";
  return Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.annotations?.[annotation]]));
};

const rbd = { pool: "vms" };
const vars = (changes: object = {}) => ({
  kubeconfig: server.kubeconfig(),
  rook: { manifests: [{ path: join(server.folder, "rook.yaml") }] },
  ceph: { fsid: cephPlayed.fsid, monitors: { "ceph-1": "192.168.5.99:6789" } },
  rbd,
  keys: { healthChecker: "AQ-health-key==", rbdNode: "AQ-node-key==", rbdProvisioner: "AQ-maker-key==" },
  deadlineSeconds: 60,
  ...changes,
});
const ceph = (changes: object = {}) => externalCeph(externalCephSchema.parse(vars(changes)));
const allKeys = /AQ-[a-z]+-key|QVEt/;

describe("an external Ceph cluster", () => {
  test("is refused, and nothing is created, if the setting cannot be preserved", async () => {
    for (const value of ["{broken", "[]", `{"${rbdDriver}":"mine"}`]) {
      setDrivers(server, value);
      for (const mode of ["check", "apply"] as const) {
        const ends = await host[mode](ceph());
        expect(ends).toHaveLength(1);
        expect(ends[0]?.error?.message).toContain("that furrow cannot read, so it cannot be preserved");
      }
      expect(read(server, "settings.harvesterhci.io", "csi-driver-config")).toMatchObject({ value });
    }
    expect(JSON.stringify(read(server, "namespaces"))).not.toContain("rook-ceph");
    setDrivers(server, null);
  });

  test("is connected: check mode says what the run will do, a second run changes nothing, no output shows a key", async () => {
    const checked = await host.check(ceph());
    const applied = await host.apply(ceph());
    expect(outcomes(applied)).toEqual([
      "the other entries of the setting csi-driver-config can be kept: ok",
      "whether Rook is installed: ok",
      "rook-ceph-external/rook-ceph-external connects to no other Ceph cluster: skipped",
      "Rook knows no other Ceph monitors in rook-ceph-external: ok",
      `kubeManifest ${join(server.folder, "rook.yaml")}: changed`,
      "kubeWait Deployment rook-ceph/rook-ceph-operator: ok",
      "kubeObject Namespace rook-ceph-external: changed",
      "kubeObject ServiceAccount rook-ceph-external/rook-ceph-cmd-reporter: changed",
      "kubeObject ServiceAccount rook-ceph-external/rook-ceph-default: changed",
      "kubeObject Role rook-ceph-external/rook-ceph-cmd-reporter: changed",
      "kubeObject RoleBinding rook-ceph-external/rook-ceph-cluster-mgmt: changed",
      "kubeObject RoleBinding rook-ceph-external/rook-ceph-cmd-reporter: changed",
      "kubeObject Secret rook-ceph-external/rook-ceph-mon: changed",
      "kubeObject Secret rook-ceph-external/rook-csi-rbd-node: changed",
      "kubeObject Secret rook-ceph-external/rook-csi-rbd-provisioner: changed",
      "Rook knows Ceph monitors in rook-ceph-external: changed",
      "kubeObject CephCluster rook-ceph-external/rook-ceph-external: changed",
      "rook-ceph-external/rook-ceph-external is connected to Ceph: ok",
      `the nodes have the Ceph drivers ${rbdDriver}: ok`,
      "kubeObject VolumeSnapshotClass csi-rbdplugin-snapclass-external: changed",
      "Harvester takes snapshots with csi-rbdplugin-snapclass-external: changed",
      "kubeObject StorageClass ceph-rbd: changed",
    ]);
    const waits = /^(kubeWait|rook-ceph-external.*is connected|the nodes have)/;
    const done = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !waits.test(one));
    expect(done(checked)).toEqual(done(applied));
    expect(applied[17]?.notes).toEqual(["Ceph says HEALTH_WARN"]);
    // Rook has replaced the list of monitors in the meantime.
    expect(read(server, "configmap", "rook-ceph-mon-endpoints", external)).toMatchObject({
      data: { data: cephPlayed.monitors, maxMonId: "3" },
    });
    const again = [await host.check(ceph()), await host.apply(ceph())];
    expect(again.flatMap(changedIn)).toEqual([]);
    expect(again[1]?.[2]?.outcome).toBe("ok");
    expect(JSON.stringify([checked, applied, again])).not.toMatch(allKeys);
    const { data, type } = read(server, "secret", "rook-csi-rbd-node", external) as Record<string, unknown>;
    expect([type, data]).toEqual([
      "kubernetes.io/rook",
      { userID: btoa("csi-rbd-node"), userKey: btoa("AQ-node-key==") },
    ]);
  });

  test("is added to Harvester's drivers, and the default storage class stays unless a var asks for another", () => {
    const own = { [rbdDriver]: { volumeSnapshotClassName: "csi-rbdplugin-snapclass-external" } };
    expect(driversNow()).toEqual({ ...longhorn, ...own });
    expect(defaults()).toEqual({ "harvester-longhorn": "true", "ceph-rbd": undefined });
  });

  test("leaves alone the drivers and fields that others added to the setting", async () => {
    const others = {
      "lvm.driver.harvesterhci.io": { volumeSnapshotClassName: "lvm-snapshot" },
      ...longhorn,
      "odd.example.org": ["kept", 1],
    };
    const own = { backupVolumeSnapshotClassName: "mine", volumeSnapshotClassName: "old" };
    setDrivers(server, JSON.stringify({ ...others, [rbdDriver]: own }));
    expect(changedIn(await host.check(ceph()))).toEqual([
      "Harvester takes snapshots with csi-rbdplugin-snapclass-external: changed",
    ]);
    expect(changedIn(await host.apply(ceph()))).toHaveLength(1);
    expect(driversNow()).toEqual({
      ...others,
      [rbdDriver]: { ...own, volumeSnapshotClassName: "csi-rbdplugin-snapclass-external" },
    });
    expect(changedIn(await host.apply(ceph()))).toEqual([]);
  });

  test("does not overwrite a setting that has changed since it was read", async () => {
    const request = { kubeconfig: server.kubeconfig(), path: settingPath("csi-driver-config") };
    const never = new AbortController().signal;
    const seen = await kubernetesDriver.read(request, never);
    const task = driverConfig({ kubeconfig: server.kubeconfig(), classes: { "a.example.org": "a" } });
    const [step] = explain(task, { setting: seen }).steps;
    const meanwhile = JSON.stringify({ "meanwhile.example.org": {} });
    const before = JSON.stringify(driversNow());
    setDrivers(server, meanwhile);
    const { request: call } = step as CallStep;
    await expect(kubernetesDriver.call?.(call, never, () => {})).rejects.toMatchObject({
      failure: { current: expect.stringContaining("HTTP 409") as string },
    });
    expect(JSON.stringify(driversNow())).toBe(meanwhile);
    setDrivers(server, before);
  });

  test("replaces keys without showing the new or the old ones", async () => {
    const keys = { healthChecker: "AQ-health-key==", rbdNode: "AQ-other-key==", rbdProvisioner: "AQ-maker-key==" };
    const ends = [await host.check(ceph({ keys })), await host.apply(ceph({ keys }))];
    expect(ends.map(changedIn)).toEqual(
      [1, 2].map(() => ["kubeObject Secret rook-ceph-external/rook-csi-rbd-node: changed"]),
    );
    expect(JSON.stringify(ends)).not.toMatch(allKeys);
    const file = join(server.folder, "ceph.json");
    writeFileSync(file, JSON.stringify(vars()));
    const said = await printedBy("run", "playbooks/ops/external-ceph.ts", "-i", "local", "--var", `@${file}`);
    expect(said).toContain("Secret rook-ceph-external/rook-csi-rbd-node");
    expect(said).not.toMatch(allKeys);
    const { data } = read(server, "secret", "rook-csi-rbd-node", external) as { data: { userKey: string } };
    expect(data.userKey).toBe(btoa("AQ-node-key=="));
  });

  test.each([
    [
      "another Ceph cluster",
      { ceph: { fsid: "00000000-4c60-11ee-be38-51902f85c805", monitors: { "ceph-1": "192.168.5.99:6789" } } },
      "its volumes would be lost",
    ],
    [
      "other monitors",
      { ceph: { fsid: cephPlayed.fsid, monitors: { x: "10.0.0.1:6789" } } },
      "Rook knows the monitors 192.168.5.99:6789, 192.168.5.98:6789, 192.168.5.97:6789, but none of 10.0.0.1:6789",
    ],
    ["another pool for an existing class", { rbd: { pool: "other" } }, "kubeObject StorageClass ceph-rbd: failed"],
  ])("is refused with %s, in check mode and in a run", async (_what, changes, says) => {
    const seen = (): string => JSON.stringify([read(server, "configmaps,secrets", external), defaults()]);
    const before = seen();
    // Without a refusal, the run would write other keys.
    const keys = { healthChecker: "AQ-b-key==", rbdNode: "AQ-c-key==", rbdProvisioner: "AQ-d-key==" };
    const wanted = "ceph" in changes ? { ...changes, keys } : changes;
    for (const mode of ["check", "apply"] as const)
      expect(changedIn(await host[mode](ceph(wanted))).join()).toContain(says);
    expect(seen()).toBe(before);
  });

  test("does not take the place of a Ceph cluster that Rook runs", async () => {
    apply(server, {
      apiVersion: "ceph.rook.io/v1",
      kind: "CephCluster",
      metadata: { name: "rook-ceph", namespace: "rook-ceph" },
      spec: { dataDirHostPath: "/var/lib/rook" },
    });
    const own = {
      fsid: cephPlayed.fsid,
      monitors: { a: "192.168.5.99:6789" },
      namespace: "rook-ceph",
      name: "rook-ceph",
    };
    for (const mode of ["check", "apply"] as const) {
      const ends = await host[mode](ceph({ ceph: own }));
      expect(ends.at(-1)?.error?.message).toContain("is a Ceph cluster that Rook runs in this cluster");
      expect(ends).toHaveLength(3);
    }
  });

  test("becomes the default storage class if a var asks for it; a second run changes nothing", async () => {
    const end = await classWebhook(server);
    const wanted = { rbd: { ...rbd, isDefault: true } };
    const checked = await host.check(ceph(wanted));
    const applied = await host.apply(ceph(wanted));
    const again = await host.apply(ceph(wanted));
    end();
    expect(changedIn(applied)).toEqual(["ceph-rbd is the default storage class: changed"]);
    expect(changedIn(checked)).toEqual(changedIn(applied));
    expect(defaults()).toEqual({ "harvester-longhorn": "false", "ceph-rbd": "true" });
    expect(changedIn(again)).toEqual([]);
  });

  test("stays the default storage class when the var is gone, so the cluster is never without one", async () => {
    expect(changedIn(await host.apply(ceph()))).toEqual([]);
    expect(defaults()).toEqual({ "harvester-longhorn": "false", "ceph-rbd": "true" });
  });

  test("gets a file system too; both drivers are in the setting", async () => {
    const more = {
      cephfs: { fileSystem: "files", pool: "files-data" },
      keys: { ...vars().keys, cephfsNode: "AQ-files-key==", cephfsProvisioner: "AQ-subvolumes-key==" },
    };
    const checked = await host.check(ceph(more));
    const applied = await host.apply(ceph(more));
    expect(changedIn(applied)).toEqual([
      "kubeObject Secret rook-ceph-external/rook-csi-cephfs-node: changed",
      "kubeObject Secret rook-ceph-external/rook-csi-cephfs-provisioner: changed",
      "kubeObject VolumeSnapshotClass csi-cephfsplugin-snapclass-external: changed",
      "Harvester takes snapshots with csi-rbdplugin-snapclass-external and csi-cephfsplugin-snapclass-external: changed",
      "kubeObject StorageClass cephfs: changed",
    ]);
    expect(changedIn(checked)).toEqual(changedIn(applied));
    expect(driversNow()).toMatchObject({ ...longhorn, "rook-ceph.cephfs.csi.ceph.com": {} });
    expect(changedIn(await host.apply(ceph(more)))).toEqual([]);
  });

  test("is waited for on each node that is ready", async () => {
    patch(server, "csinode", "harvester-2", { spec: { drivers: [] } });
    const ends = await host.apply(ceph({ deadlineSeconds: 1 }));
    expect(ends.at(-1)?.error?.failure.details?.join()).toContain(`harvester-2 lacks ${rbdDriver}`);
  });
});
