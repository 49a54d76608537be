import { describe, expect, test } from "vitest";
import { answersOf, nodeOf, soundCluster } from "../../test/guards/examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { backupTarget, backupTargetReady } from "./backup-target.ts";
import { replicasFit } from "./replicas-fit.ts";
import { storageClassObjects, vmStorageSchema } from "./storage.ts";

const endpoint = "nfs://nas.example.org:/volume1/backups";

test.each([
  ["no replica", { storageClasses: { fast: { replicas: 0 } } }, "storageClasses.fast.replicas"],
  ["a name that Kubernetes does not allow", { storageClasses: { Fast: {} } }, "storageClasses.Fast: a name of at most"],
  ["a tag with a comma", { storageClasses: { fast: { diskTags: ["ssd,nvme"] } } }, "a tag without spaces or commas"],
  ["a path without a server", { backupTarget: "/volume1/backups" }, "backupTarget: an NFS export, like nfs://"],
  ["a path without the colon", { backupTarget: "nfs://nas/volume1" }, "backupTarget: an NFS export"],
])("refuses %s", (_what, vars, says) => {
  const [issue] = vmStorageSchema.safeParse({ kubeconfig: "k", ...vars }).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

test("the objects have Longhorn's parameters as strings", () => {
  const { storageClasses } = vmStorageSchema.parse({
    kubeconfig: "k",
    storageClasses: { single: { replicas: 1, diskTags: ["ssd", "nvme"], reclaim: "Retain" } },
  });
  expect(storageClassObjects(storageClasses)).toEqual([
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "single" },
      provisioner: "driver.longhorn.io",
      allowVolumeExpansion: true,
      reclaimPolicy: "Retain",
      volumeBindingMode: "Immediate",
      parameters: { migratable: "true", numberOfReplicas: "1", staleReplicaTimeout: "30", diskSelector: "ssd,nvme" },
    },
  ]);
});

test("more replicas than nodes with storage are refused", () => {
  const witness = nodeOf("witness");
  Object.assign((witness as { metadata: { labels: object } }).metadata.labels, {
    "node-role.harvesterhci.io/witness": "true",
  });
  const ask = (replicas: Record<string, number>): string | undefined =>
    explain(
      replicasFit({ kubeconfig: "k", what: "storage classes", replicas }),
      answersOf({ ...soundCluster, nodes: [nodeOf("a"), nodeOf("b"), witness] }),
    ).refusal?.message;
  expect(ask({ fast: 2 })).toBeUndefined();
  expect(ask({ fast: 2, safe: 3 })).toBe("the cluster has 2 nodes with storage, but safe needs 3 replicas");
});

describe("the backup target", () => {
  const setting = (value: string, more: object = {}): object => ({
    setting: { found: true, object: { kind: "Setting", metadata: { name: "backup-target" }, value, ...more } },
  });
  const ask = (value: string): Explanation =>
    explain(backupTarget({ kubeconfig: "k", endpoint }), setting(value) as never);

  test("is set if the cluster does not have one", () => {
    for (const value of ["", '{"type":"","endpoint":""}'])
      expect(ask(value).described).toEqual(["set the backup target"]);
  });

  test("is not set if somebody else has set one since the setting was read", () => {
    const { steps } = explain(
      backupTarget({ kubeconfig: "k", endpoint }),
      setting("", { metadata: { name: "backup-target", resourceVersion: "7" } }) as never,
    );
    expect(steps).toMatchObject([{ request: { body: { metadata: { resourceVersion: "7" } } } }]);
  });

  test("is not overwritten if furrow cannot read it", () => {
    expect(ask("{broken").refusal?.message).toContain("the cluster has a backup-target that furrow cannot read");
  });

  test("stays if it differs only by a trailing slash", () => {
    expect(ask(`{"endpoint":"${endpoint}/","type":"nfs"}`).described).toEqual([]);
  });

  test("stays if it is the same, although the setting has other fields", () => {
    const { described, refusal } = ask(`{"refreshIntervalInSeconds":60,"endpoint":"${endpoint}","type":"nfs"}`);
    expect([described, refusal]).toEqual([[], undefined]);
  });

  test("is not replaced, because the backups there could no longer be restored", () => {
    expect(ask('{"type":"s3","endpoint":"https://minio"}').refusal?.message).toBe(
      "the cluster backs up to https://minio (s3); after a change, it would no longer find the backups there",
    );
  });

  test("is not replaced if it is a bucket of AWS S3, which needs no endpoint, and the refusal names the bucket", () => {
    const aws = '{"type":"s3","endpoint":"","bucketName":"prod-backups","bucketRegion":"eu-central-1"}';
    expect(ask(aws).refusal?.message).toBe(
      "the cluster backs up to the bucket prod-backups in eu-central-1 (s3); after a change, it would no longer find the backups there",
    );
    expect(ask('{"type":"s3","bucketName":"prod-backups"}').refusal?.message).toContain("the bucket prod-backups (s3)");
    expect(ask('{"type":"azblob","endpoint":""}').refusal?.message).toContain("an unknown place (azblob)");
    expect(ask('{"type":"","endpoint":"nfs://old:/x"}').refusal?.message).toContain("nfs://old:/x (unknown type)");
  });

  test("is set if the cluster has the empty NFS target that older versions of the UI leave", () => {
    expect(ask('{"type":"nfs","endpoint":""}').described).toEqual(["set the backup target"]);
  });

  test("makes the task wait until Harvester has reached it, and the wait reports why Harvester cannot", () => {
    const wait = (status: string): string | undefined =>
      explain(
        backupTargetReady({ kubeconfig: "k", endpoint }),
        setting(`{"type":"nfs","endpoint":"${endpoint}"}`, {
          status: { conditions: [{ type: "configured", status, message: "mount.nfs: access denied" }] },
        }) as never,
      ).refusal?.message;
    expect(wait("True")).toBeUndefined();
    expect(wait("False")).toBe(`Harvester cannot reach ${endpoint}: mount.nfs: access denied`);
  });

  test("says if Harvester's report is older than the change", () => {
    const notes = (lastUpdateTime: string): readonly string[] =>
      explain(
        backupTargetReady({ kubeconfig: "k", endpoint }),
        setting(`{"type":"nfs","endpoint":"${endpoint}"}`, {
          metadata: {
            name: "backup-target",
            managedFields: [{ time: "2026-11-28T01:00:00Z", fieldsV1: { "f:value": {} } }],
          },
          status: { conditions: [{ type: "configured", status: "True", lastUpdateTime }] },
        }) as never,
      ).notes;
    expect(notes("2026-11-28T00:59:00Z")).toEqual([
      "Harvester has not reported the state of the backup-target since it changed at 2026-11-28T01:00:00Z: check it in the Harvester UI",
    ]);
    expect(notes("2026-11-28T01:00:01Z")).toEqual([]);
  });
});
