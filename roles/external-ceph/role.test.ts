import { describe, expect, test } from "vitest";
import { cephDriver, csiNodeOf, fsid, storageClassOf } from "../../test/guards/ceph-examples.ts";
import { answersOf, nodeOf } from "../../test/guards/examples.ts";
import { absent } from "../../src/authoring.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { externalCephSchema } from "./ceph.ts";
import { snapshotClassObjects, storageClassObjects } from "./classes.ts";
import { driversRegistered } from "./connected.ts";
import { clusterObject, namespaceObjects, secretObjects } from "./connection.ts";
import { defaultClass } from "./default-class.ts";
import { driverConfig } from "./driver-config.ts";
import { monitorsKnown } from "./monitors.ts";
import { nodePrepared } from "./node.ts";

const namespace = "rook-ceph-external";
const given = {
  kubeconfig: "k",
  ceph: { fsid, monitors: { "ceph-1": "192.168.5.99:6789" } },
  rbd: { pool: "vms" },
  keys: { healthChecker: "AQ-health==", rbdNode: "AQ-node==", rbdProvisioner: "AQ-maker==" },
};
const files = {
  cephfs: { fileSystem: "files", pool: "files-data" },
  keys: { ...given.keys, cephfsNode: "AQ-files==", cephfsProvisioner: "AQ-subvolumes==" },
};
const found = (object: object) => ({ found: true, object });

describe("the vars", () => {
  test.each([
    ["no kind of storage", { rbd: undefined }, "rbd: `rbd`, `cephfs`, or both"],
    ["a missing key", { cephfs: files.cephfs }, "keys.cephfsNode: a key, because cephfs is given"],
    ["a monitor without a port", { ceph: { ...given.ceph, monitors: { a: "192.168.5.99" } } }, "with its port"],
    ["no monitor", { ceph: { ...given.ceph, monitors: {} } }, "ceph.monitors: at least one monitor"],
    ["an id in another form", { ceph: { ...given.ceph, fsid: "x" } }, "the id that `ceph fsid` prints"],
    ["a URL without a checksum", { rook: { manifests: [{ url: "https://x/crds.yaml" }] } }, "`url` with `checksum`"],
    [
      "one name for two classes",
      { ...files, cephfs: { ...files.cephfs, storageClass: "ceph-rbd" } },
      "cephfs.storageClass: a name other than that in rbd",
    ],
  ])("refuse %s", (_what, changes, says) => {
    const [issue] = externalCephSchema.safeParse({ ...given, ...changes }).error?.issues ?? [];
    expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
  });

  test("keep the keys secret", () => {
    expect(JSON.stringify(externalCephSchema.parse({ ...given, ...files }))).not.toContain("AQ-");
  });
});

describe("the objects", () => {
  const vars = externalCephSchema.parse({ ...given, ...files, rbd: { pool: "vms", metadataPool: "meta" } });

  test("are those of Rook's scripts", () => {
    expect(secretObjects(vars).map(({ metadata, data }) => [metadata.name, Object.keys(data).toSorted()])).toEqual([
      ["rook-ceph-mon", ["admin-secret", "ceph-secret", "ceph-username", "cluster-name", "fsid", "mon-secret"]],
      ["rook-csi-rbd-node", ["userID", "userKey"]],
      ["rook-csi-rbd-provisioner", ["userID", "userKey"]],
      ["rook-csi-cephfs-node", ["adminID", "adminKey", "userID", "userKey"]],
      ["rook-csi-cephfs-provisioner", ["adminID", "adminKey", "userID", "userKey"]],
    ]);
    expect(clusterObject(vars).spec.external).toEqual({ enable: true });
    expect(storageClassObjects(vars).map(({ metadata, provisioner }) => [metadata.name, provisioner])).toEqual([
      ["ceph-rbd", cephDriver],
      ["cephfs", "rook-ceph.cephfs.csi.ceph.com"],
    ]);
    expect(storageClassObjects(vars)[0]?.parameters).toEqual({
      clusterID: namespace,
      pool: "meta",
      dataPool: "vms",
      imageFormat: "2",
      imageFeatures: "layering",
      "csi.storage.k8s.io/provisioner-secret-name": "rook-csi-rbd-provisioner",
      "csi.storage.k8s.io/provisioner-secret-namespace": namespace,
      "csi.storage.k8s.io/controller-expand-secret-name": "rook-csi-rbd-provisioner",
      "csi.storage.k8s.io/controller-expand-secret-namespace": namespace,
      "csi.storage.k8s.io/node-stage-secret-name": "rook-csi-rbd-node",
      "csi.storage.k8s.io/node-stage-secret-namespace": namespace,
      "csi.storage.k8s.io/fstype": "ext4",
    });
    expect(snapshotClassObjects(vars)[0]).toMatchObject({
      driver: cephDriver,
      deletionPolicy: "Delete",
      parameters: { "csi.storage.k8s.io/snapshotter-secret-name": "rook-csi-rbd-provisioner" },
    });
  });

  test("leave the namespace to the operator's manifests if the connection uses the operator's own namespace", () => {
    expect(namespaceObjects(vars)).toHaveLength(6);
    const inside = externalCephSchema.parse({ ...given, ceph: { ...given.ceph, namespace: "rook-ceph" } });
    expect(namespaceObjects(inside)).toEqual([]);
  });
});

describe("Harvester's setting", () => {
  const ask = (value: string, more: object = {}): Explanation =>
    explain(driverConfig({ kubeconfig: "k", classes: { [cephDriver]: "snap" } }), {
      setting: found({
        kind: "Setting",
        metadata: { name: "csi-driver-config", resourceVersion: "7" },
        value,
        default: '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot"}}',
        ...more,
      }),
    });
  const bodyOf = ({ steps: [step] }: Explanation): { metadata: object; value: string } =>
    (step as unknown as { request: { body: { metadata: object; value: string } } }).request.body;

  test("also gets the default's drivers if it is empty, and is replaced only if it still has the version that was read", () => {
    const { metadata, value } = bodyOf(ask(""));
    expect(metadata).toEqual({ resourceVersion: "7" });
    expect(JSON.parse(value)).toEqual({
      "driver.longhorn.io": { volumeSnapshotClassName: "longhorn-snapshot" },
      [cephDriver]: { volumeSnapshotClassName: "snap" },
    });
  });

  test("does not get back a default driver that someone has removed", () => {
    expect(JSON.parse(bodyOf(ask('{"a":{"x":1}}')).value)).toEqual({
      a: { x: 1 },
      [cephDriver]: { volumeSnapshotClassName: "snap" },
    });
  });

  test("stays unchanged if it has the driver with its class, whatever else it contains", () => {
    const value = `{"${cephDriver}":{"backupVolumeSnapshotClassName":"b","volumeSnapshotClassName":"snap"}}`;
    expect(ask(value).described).toEqual([]);
  });

  test.each(["{broken", "[]", "null", "7", `{"${cephDriver}":"mine"}`])("is refused if its value is %s", (value) => {
    const { refusal, steps } = ask(value);
    expect([refusal?.code, steps]).toEqual(["unreadable-setting", []]);
  });

  test("is refused if the default is needed and cannot be read", () => {
    expect(ask("", { default: "{" }).refusal?.code).toBe("unreadable-setting");
  });

  test("is refused if Harvester does not have it", () => {
    const task = driverConfig({ kubeconfig: "k", classes: { a: "b" } });
    expect(explain(task, { setting: { found: false } }).refusal?.message).toContain("no setting csi-driver-config");
  });
});

test.each([
  ["a=10.0.0.1:6789,b=10.0.0.2:6789", "they stay"],
  ["b=10.0.0.2:6789", "Rook knows the monitors 10.0.0.2:6789, but none of 10.0.0.1:6789"],
  ["a=10.0.0.11:6789", "none of 10.0.0.1:6789"],
  ["", "does not show which monitors Rook knows"],
  ["x", "does not show which monitors Rook knows"],
])("the monitors %j in Rook's ConfigMap are kept, or the connection is refused", (data, says) => {
  const name = "rook-ceph-mon-endpoints";
  const { refusal, steps } = explain(monitorsKnown({ kubeconfig: "k", namespace, monitors: { a: "10.0.0.1:6789" } }), {
    monitors: found({ kind: "ConfigMap", metadata: { name }, data: { data } }),
  });
  expect(steps).toEqual([]);
  expect(refusal?.message ?? "they stay").toContain(says);
});

describe("the nodes", () => {
  const ask = (...csiNodes: object[]): Explanation => {
    const tainted = structuredClone(nodeOf("c")) as { spec: object };
    Object.assign(tainted.spec, { taints: [{ key: "gpu", effect: "NoSchedule" }] });
    const nodes = [nodeOf("a"), nodeOf("b", { cordoned: true }), tainted, nodeOf("d", { ready: false })];
    return explain(driversRegistered({ kubeconfig: "k", drivers: [cephDriver] }), answersOf({ nodes, csiNodes }));
  };

  test("count as having the driver if every ready and untainted node has it; a note names the others", () => {
    const { refusal, notes } = ask(csiNodeOf("a", cephDriver), csiNodeOf("b", "x", cephDriver));
    expect(refusal).toBeUndefined();
    expect(notes[0]).toBe("nodes that were not checked, because they are not ready or are tainted: c, d");
  });

  test("do not count as having the driver if one of them lacks it, or if none is ready", () => {
    expect(ask(csiNodeOf("a", cephDriver), csiNodeOf("b", "x")).refusal?.message).toBe(`b lacks ${cephDriver}`);
    const none = { metadata: { name: "b" }, spec: { drivers: null } };
    expect(ask(csiNodeOf("a", cephDriver), none).refusal?.message).toBe(`b lacks ${cephDriver}`);
    const task = driversRegistered({ kubeconfig: "k", drivers: [cephDriver] });
    expect(explain(task, answersOf({})).refusal?.message).toBe("no node is ready");
  });

  const node = (mounts: readonly object[], modules: readonly unknown[]): string | undefined =>
    explain(nodePrepared({ modules: ["rbd", "nbd"] }), {
      host: { hostname: "a" },
      mounts,
      modules,
    }).refusal?.message;
  const kept = { mounted: true, fileSystem: "ext4" };

  test("are prepared if the folders are mounts and the modules are loaded", () => {
    expect(node([kept, kept], [{}, {}])).toBeUndefined();
    expect(node([kept, { mounted: false, fileSystem: "" }], [{}, absent])).toBe(
      "/var/lib/ceph of a does not survive a reboot; a has not loaded the kernel module nbd",
    );
    expect(node([{ mounted: true, fileSystem: "tmpfs" }, kept], [{}, {}])).toContain("/var/lib/rook of a");
  });
});

describe("the default storage class", () => {
  const ask = (own: object, storageClasses: object[]): Explanation =>
    explain(defaultClass({ kubeconfig: "k", storageClass: "ceph-rbd" }), {
      ...answersOf({ storageClasses }),
      others: [found({ kind: "StorageClass", ...storageClassOf("old", true) })],
      own,
    });
  const classes = [storageClassOf("old", true), storageClassOf("other")];

  test("changes in two steps: the old class loses the mark, then the new one gets it, even if the new class does not exist yet", () => {
    const steps = ["old is no longer the default", "make ceph-rbd the default"];
    const own = found({ kind: "StorageClass", ...storageClassOf("ceph-rbd") });
    expect(ask(own, [...classes, storageClassOf("ceph-rbd")]).described).toEqual(steps);
    expect(ask({ found: false }, classes).described).toEqual(steps);
  });

  test("is set if an earlier run ended before setting it", () => {
    const own = found({ kind: "StorageClass", ...storageClassOf("ceph-rbd") });
    const task = defaultClass({ kubeconfig: "k", storageClass: "ceph-rbd" });
    const storageClasses = [storageClassOf("old"), storageClassOf("ceph-rbd")];
    const { described } = explain(task, { ...answersOf({ storageClasses }), others: [], own });
    expect(described).toEqual(["make ceph-rbd the default"]);
  });

  test("is refused if the class cannot be read", () => {
    const error = { code: "HTTP 403", message: "no" };
    expect(ask({ error }, classes).refusal?.message).toContain("StorageClass ceph-rbd cannot be read");
  });
});
