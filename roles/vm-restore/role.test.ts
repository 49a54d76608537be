import { describe, expect, test } from "vitest";
import { answersOf, instanceOf, machineOf, type Objects, singleOf, soundCluster } from "../../test/guards/examples.ts";
import { backupOf, restoreOf, scheduleOf } from "../../test/guards/operation-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { mayRestore } from "./may-restore.ts";
import { restoreObject, vmRestoreSchema } from "./restore.ts";
import { restored } from "./restored.ts";

const setting = { found: true, object: singleOf("/apis/x/settings/backup-target") };

function ask(
  cluster: Partial<Objects>,
  { target = "default/web-3", isNew = true, restore = "default/r" } = {},
  own = setting,
): Explanation {
  const params = { kubeconfig: "k", restore, backup: "default/web-1", target, isNew };
  return explain(mayRestore(params), { ...answersOf({ ...soundCluster, ...cluster }), setting: own });
}
const refused = (...args: Parameters<typeof ask>): string | undefined => ask(...args).refusal?.message;
const backupTarget = { endpoint: "nfs://nas:/backups" };
const specOf = (object: object): object => (object as { spec: object }).spec;
const over = { target: "default/web", isNew: false };

test.each([
  ["neither a new machine nor one to replace", {}, "either `newMachine` or `replace`"],
  ["both", { newMachine: "a", replace: "b" }, "either `newMachine` or `replace`"],
  [
    "another namespace for a machine that is replaced",
    { replace: "b", targetNamespace: "lab" },
    "in its own namespace",
  ],
  ["a name that would be too long", { newMachine: "n".repeat(60) }, "the default would be longer than 63 characters"],
])("refuses %s", (_what, more, says) => {
  const { error } = vmRestoreSchema.safeParse({ kubeconfig: "k", backup: "web-1", ...more });
  expect(error?.issues.map(({ message }) => message).join()).toContain(says);
});

test("a new machine is the default, and the volumes of a replaced one stay", () => {
  const object = (more: object) => restoreObject(vmRestoreSchema.parse({ kubeconfig: "k", backup: "web-1", ...more }));
  const target = { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: "web-2" };
  const from = { virtualMachineBackupName: "web-1", virtualMachineBackupNamespace: "default" };
  expect(object({ newMachine: "web-2", targetNamespace: "lab" })).toMatchObject({
    metadata: { name: "web-2-from-web-1", namespace: "lab" },
    spec: { target, ...from, newVM: true },
  });
  expect(object({ replace: "web-2" }).spec).toEqual({ target, ...from, newVM: false, deletionPolicy: "retain" });
});

describe("a restore is refused", () => {
  test.each<[string, Partial<Objects>, string]>([
    ["if the backup does not exist", { backups: [] }, "the backup is not ready: default/web-1 does not exist"],
    [
      "if the backup is not ready",
      { backups: [backupOf("web-1", "web", { progress: 40 })] },
      "the backup is not ready: default/web-1: 40 % done",
    ],
    [
      "if the backup has an error, and Harvester's message is shown",
      { backups: [backupOf("web-1", "web", { error: { message: "no space" } })] },
      "the backup is not ready: default/web-1: Harvester reports: no space",
    ],
    [
      "if the new machine exists",
      { machines: [machineOf("web-3")] },
      "the machine default/web-3 exists: choose another name, or replace it with `replace`",
    ],
    [
      "if the backup's schedule is not suspended",
      { backups: [backupOf("web-1", "web", undefined, { schedule: "default/nightly" })] },
      "default/web-1 is from the schedule default/nightly, which must be suspended during the restore: set `suspend: true` on it with gitops/backup",
    ],
    [
      "if the backup is not stored at the backup target",
      { backups: [backupOf("web-1", "web", { readyToUse: true, backupTarget: { endpoint: "nfs://old:/x" } })] },
      "the backup is at nfs://old:/x, but the cluster's backup target is nfs://nas:/backups",
    ],
    [
      "if another restore has its name",
      { restores: [restoreOf("r", "db", "web-1")] },
      "default/r exists, but restores default/db from default/web-1",
    ],
  ])("%s", (_what, cluster, says) => {
    expect(refused(cluster)).toBe(says);
  });

  test("if the backup is in another bucket of AWS S3, although neither target has an endpoint", () => {
    const stored = (bucketName: string) => ({
      readyToUse: true,
      backupTarget: { bucketName, bucketRegion: "us-east-1" },
    });
    const value = '{"type":"s3","endpoint":"","bucketName":"new","bucketRegion":"us-east-1"}';
    const ask = (bucketName: string) =>
      refused(
        { backups: [backupOf("web-1", "web", stored(bucketName))] },
        {},
        { found: true, object: { ...setting.object, value } },
      );
    expect(ask("old")).toBe(
      "the backup is at the bucket old in us-east-1, but the cluster's backup target is the bucket new in us-east-1",
    );
    expect(ask("new")).toBeUndefined();
  });

  test("if it would restore a snapshot into another namespace", () => {
    const backups = [backupOf("web-1", "web", undefined, { type: "snapshot" })];
    expect(refused({ backups }, { target: "lab/web-3", restore: "lab/r" })).toContain("only in its own namespace");
    expect(refused({ backups })).toBeUndefined();
  });

  test("but not if the backup's schedule is suspended", () => {
    const cluster = {
      backups: [backupOf("web-1", "web", undefined, { schedule: "default/nightly" })],
      schedules: [scheduleOf("nightly", "web", { suspend: true })],
    };
    expect(refused(cluster)).toBeUndefined();
  });
});

describe("a machine is replaced", () => {
  test("only if it is off", () => {
    expect(refused({}, over)).toBeUndefined();
    expect(refused({ instances: [instanceOf("web", "harvester-1")] }, over)).toBe(
      "default/web runs on harvester-1: shut it down first",
    );
  });

  test("only from a backup of its own, and only if the machine exists", () => {
    expect(refused({ backups: [backupOf("web-1", "db")] }, over)).toBe(
      "default/web-1 is a backup of default/db, not of default/web",
    );
    expect(refused({ machines: [] }, over)).toContain("default/web does not exist, and cannot be replaced");
  });

  test("not if it belongs to another owner, and not during another restore", () => {
    const owned = {
      ...machineOf("web"),
      metadata: { name: "web", namespace: "default", ownerReferences: [{ kind: "HarvesterMachine", name: "t" }] },
    };
    expect(refused({ machines: [owned] }, over)).toContain("default/web belongs to HarvesterMachine t");
    expect(refused({ restores: [restoreOf("other", "web", "web-1", { complete: false })] }, over)).toContain(
      "the restore default/other of default/web is not complete",
    );
  });
});

describe("a complete restore with the same name", () => {
  const withUid = (name: string, uid = `uid-of-${name}`): object => {
    const { metadata, ...more } = machineOf(name) as { metadata: object };
    return { ...more, metadata: { ...metadata, uid } };
  };
  const restores = [
    { ...restoreOf("r", "web", "web-1"), spec: { ...specOf(restoreOf("r", "web", "web-1")), newVM: false } },
  ];
  const again = (cluster: Partial<Objects>): string | undefined => refused({ restores, ...cluster }, over);

  test("counts if it is of this backup and of this machine", () => {
    expect(again({ machines: [withUid("web")] })).toBeUndefined();
    expect(again({ machines: [withUid("web")], backups: [] })).toBeUndefined();
  });

  test("is refused if the backup was deleted and made again, because the new one has not been restored", () => {
    const backups = [backupOf("web-1", "web", undefined, { created: "2026-06-01T00:00:00Z" })];
    expect(again({ machines: [withUid("web")], backups })).toBe(
      "default/r exists, and was made at 2026-01-02T00:00:00Z, before the backup default/web-1 (2026-06-01T00:00:00Z): it has not restored this backup",
    );
  });

  test("is refused if the machine was deleted, or deleted and created again", () => {
    const says = "default/r has restored an earlier machine default/web, which was deleted";
    expect(again({ machines: [withUid("web", "other")] })).toBe(says);
    expect(again({ machines: [] })).toBe(says);
  });
});

test("replacing a machine from the backup of its deleted predecessor is allowed, and a note says so", () => {
  const backups = [backupOf("web-1", "web", { readyToUse: true, sourceUID: "other", backupTarget })];
  const { refusal, notes } = ask({ backups }, over);
  expect(refusal).toBeUndefined();
  expect(notes[0]).toBe("default/web-1 is a backup of an earlier machine default/web, which was deleted");
});

test("a restore's note says what KubeVirt reports about the machine, not that it has been started", () => {
  const wait = restored({ kubeconfig: "k", restore: "default/r", target: "default/web", deadlineSeconds: 1 });
  const notes = (machines: object[]) =>
    explain(wait, answersOf({ ...soundCluster, restores: [restoreOf("r", "web", "web-1")], machines })).notes;
  expect(notes([machineOf("web")])).toEqual([
    "default/web is Stopped, according to KubeVirt: look at its console, and at its addresses",
  ]);
  expect(notes([])).toEqual(["default/web no longer exists"]);
});

test("a restore that has begun is not refused, even though its machine already exists, and the task waits for it", () => {
  const conditions = [{ type: "Ready", status: "False", reason: "Error", message: "PVC is lost" }];
  const cluster = {
    machines: [machineOf("web-3")],
    restores: [restoreOf("r", "web-3", "web-1", { progress: 20, conditions })],
  };
  expect(ask(cluster)).not.toHaveProperty("refusal");
  expect(ask(cluster).notes).toEqual(["default/r has already begun", "Harvester reports: PVC is lost"]);
  const wait = restored({ kubeconfig: "k", restore: "default/r", target: "default/web-3", deadlineSeconds: 1 });
  expect(explain(wait, answersOf({ ...soundCluster, ...cluster })).refusal?.message).toBe(
    "default/r: 20 % done; Harvester reports: PVC is lost",
  );
});
