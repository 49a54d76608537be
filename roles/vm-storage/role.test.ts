import { describe, expect, test } from "vitest";
import { type Json, playbook, type TaskCall } from "../../src/authoring.ts";
import { answerFor, answersOf, nodeOf, soundCluster } from "../../test/guards/examples.ts";
import { faults } from "../../src/load/playbook/issues.ts";
import { explain, type Explanation, simulate, type Simulation } from "../../src/testing/index.ts";
import { kubeObject } from "../../tasks/index.ts";
import { backupTarget, backupTargetFits, backupTargetReady } from "./backup-target.ts";
import { vmStorage } from "./role.ts";
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
  const data = { kubeconfig: "k", ...vars };
  const [fault] = faults(vmStorageSchema, vmStorageSchema.safeParse(data).error?.issues ?? [], data);
  expect(`${fault?.path}: ${fault?.expected ?? ""}`).toContain(says);
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

describe("a backup target that Harvester would not accept", () => {
  const message = "the cluster denies the change to Setting backup-target: a VMBackup is being created (webhook v)";
  const denied = { refused: { code: "denied", message, hint: "Fix the problem that the cluster reports, then rerun" } };
  const object = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } });
  const params = vmStorageSchema.parse({ kubeconfig: "k", storageClasses: { fast: {} }, backupTarget: endpoint });

  /** Runs the role, after these tasks, on a cluster that gives this answer to the trial. */
  async function run(
    trial: object,
    { mode = "check", value = "", before = [] }: { mode?: "check" | "apply"; value?: string; before?: TaskCall[] } = {},
  ): Promise<Simulation & { readonly tried: Json[] }> {
    const tried: Json[] = [];
    const kubernetes = (request: Json): unknown => {
      const asked = request as { readonly path?: string; readonly tried?: string; readonly apply?: object };
      if (asked.tried !== undefined) tried.push(request);
      if (asked.tried !== undefined) return trial;
      const metadata = { name: "backup-target", resourceVersion: "7" };
      if (asked.path?.endsWith("/backup-target")) return { found: true, object: { kind: "Setting", metadata, value } };
      if (asked.path !== undefined) return answerFor(soundCluster, { path: asked.path });
      if (asked.apply === undefined) return true;
      const fields = { "data.a": "b" };
      return { exists: false, fields: {}, owner: {}, after: { exists: true, fields, owner: { "data.a": "x" } } };
    };
    const book = playbook({ name: "b", plays: [{ hosts: "all", tasks: () => [...before, vmStorage(params)] }] });
    return { ...(await simulate(book, { hosts: ["metal"], drivers: { kubernetes }, mode })), tried };
  }
  const outcomes = ({ tasks }: Simulation) => tasks.map(({ title, outcome }) => [title, outcome]);

  test.each(["check", "apply"] as const)("is refused before a storage class changes, in mode %s", async (mode) => {
    const ran = await run(denied, { mode });
    expect(outcomes(ran).at(-1)).toEqual([`Harvester accepts ${endpoint} for backups`, "failed"]);
    expect(ran.tasks.at(-1)?.error?.failure.what).toBe(message);
    expect(ran.tasks.filter(({ outcome }) => outcome === "changed")).toEqual([]);
    expect(ran.tried).toMatchObject([
      { method: "PATCH", body: { value: JSON.stringify({ type: "nfs", endpoint }) }, tried: "Setting backup-target" },
    ]);
  });

  test("is undecided in check mode if an earlier task changes an object, which may be why Harvester denies it", async () => {
    const before = [kubeObject({ kubeconfig: "k", fieldManager: "m", object: object("a") })];
    const ran = await run(denied, { before });
    expect(outcomes(ran)).toContainEqual([`Harvester accepts ${endpoint} for backups`, "undecided"]);
  });

  test("is not asked about if the cluster has it already", async () => {
    const ran = await run(denied, { value: JSON.stringify({ type: "nfs", endpoint }) });
    expect(ran.tried).toEqual([]);
    expect(outcomes(ran)).toContainEqual([`Harvester accepts ${endpoint} for backups`, "ok"]);
  });

  test("is refused if Harvester does not say whether it would accept it", async () => {
    const ran = await run({ error: { code: "HTTP 500", message: "no endpoints available" } });
    expect(ran.tasks.at(-1)?.error?.failure.what).toBe(
      "cannot tell whether the cluster would accept the change to Setting backup-target: HTTP 500: no endpoints available",
    );
  });

  test("is set, with a note, if the cluster cannot check it in advance", () => {
    const setting = {
      found: true as const,
      object: { kind: "Setting", metadata: { name: "backup-target" }, value: "" },
    };
    const now = { setting, trial: { unasked: "a webhook does not support dry run" } };
    const { refusal, notes } = explain(backupTargetFits({ kubeconfig: "k", endpoint }), now);
    expect(refusal).toBeUndefined();
    expect(notes).toEqual([
      "not checked in advance: the change to Setting backup-target (a webhook does not support dry run)",
    ]);
  });
});

test("no fact contains the keys of an S3 server that Harvester has not verified yet", () => {
  const { facts } = explain(backupTarget({ kubeconfig: "k", endpoint }), {
    setting: { found: true, object: { kind: "Setting", metadata: { name: "backup-target" }, value: "" } },
  });
  expect(JSON.stringify(facts)).toContain("value.secretAccessKey");
});
