import { describe, expect, test } from "vitest";
import { isSecret } from "../../src/authoring.ts";
import { isSecretAt } from "../../src/core/secrets/secret-schema.ts";
import { faults } from "../../src/load/playbook/issues.ts";
import { explain } from "../../src/testing/index.ts";
import {
  answersOf,
  etcdCondition,
  instanceOf,
  machineOf,
  nodeOf,
  type Objects,
  replicaOf,
  soundCluster,
  threeNodes,
  volumeOf,
} from "../../test/guards/examples.ts";
import { backingImageOf, etcdSnapshotOf } from "../../test/guards/report-examples.ts";
import { definitionsThere } from "./definitions.ts";
import { lostNodes } from "./lost-nodes.ts";
import { newestSnapshot, quorumHeld } from "./quorum.ts";
import { definedIn, rebuildSchema } from "./role.ts";

const kubeconfig = "k";
const now = (cluster: Partial<Objects>) => answersOf({ ...soundCluster, ...cluster });
const refused = { error: { code: "ECONNREFUSED", message: "connection refused" } };

describe("the loss of the quorum", () => {
  test("is refused, and the newest snapshot and the steps to take by hand are shown", () => {
    const nodes = threeNodes(2, 3);
    const etcdSnapshots = [
      etcdSnapshotOf("on-demand-1", "harvester-1", "2026-02-01T00:00:00Z"),
      etcdSnapshotOf("newest", "harvester-2", "2026-02-03T00:00:00Z", { readyToUse: false }),
      etcdSnapshotOf("nightly", "harvester-2", "2026-02-02T00:00:00Z"),
    ];
    const notes = explain(newestSnapshot({ kubeconfig }), now({ nodes, etcdSnapshots })).notes;
    expect(notes[0]).toBe(
      "nightly of 2026-02-02T00:00:00Z, on harvester-2: /var/lib/rancher/rke2/server/db/snapshots/nightly",
    );
    expect(notes).toContain("1. bring nodes back: with more than half of them, nothing has to be restored");
    expect(notes).toContain(
      "4. on that node: `/opt/rke2/bin/rke2 server --cluster-reset --cluster-reset-restore-path=/var/lib/rancher/rke2/server/db/snapshots/nightly`",
    );
    const { refusal } = explain(quorumHeld({ kubeconfig }), now({ nodes }));
    expect(refusal?.code).toBe("quorum");
    expect(refusal?.message).toContain("1 of 3 voting nodes is up, and 2 are needed");
  });

  test("is assumed while the cluster does not answer: the steps say where the snapshots are", () => {
    const { notes } = explain(newestSnapshot({ kubeconfig }), { nodes: refused, etcdSnapshots: refused });
    expect(notes).toContain("unknown: the cluster's nodes and the snapshots of etcd, because connection refused");
    expect(notes).toContain(
      "2. find the newest snapshot on each management node: `ls -lt /var/lib/rancher/rke2/server/db/snapshots`",
    );
    expect(explain(quorumHeld({ kubeconfig }), { nodes: refused }).refusal?.code).toBe("cluster-not-seen");
  });

  test("is refused too if etcd is down on nodes that are up, and if RKE2 does not report it", () => {
    const two = (etcd: object | null): object[] => [
      nodeOf("harvester-1"),
      ...[2, 3].map((at) => nodeOf(`harvester-${at}`, { etcd })),
    ];
    const held = (nodes: object[]) => explain(quorumHeld({ kubeconfig }), now({ nodes })).refusal;
    expect(held(two(etcdCondition("False")))).toMatchObject({
      code: "quorum",
      message: expect.stringContaining("etcd on harvester-2 does not vote (Unhealthy") as string,
    });
    expect(held(two(null))).toMatchObject({
      code: "quorum-unknown",
      message: expect.stringContaining("RKE2 does not report whether etcd runs on harvester-2") as string,
    });
  });

  test("is not reported if only one node of three is down", () => {
    expect(explain(newestSnapshot({ kubeconfig }), now({ nodes: threeNodes(3) })).notes).toHaveLength(1);
    expect(explain(quorumHeld({ kubeconfig }), now({ nodes: threeNodes(3) })).refusal).toBeUndefined();
  });
});

describe("the loss of a node", () => {
  const policy = (value: string) => ({
    found: true,
    object: { kind: "Setting", metadata: { name: "vm-force-reset-policy" }, value },
  });
  const on = policy('{"enable":true,"period":300}');
  const said = (cluster: Partial<Objects>, setting: object = on, node?: string): readonly string[] =>
    explain(lostNodes({ kubeconfig, ...(node !== undefined && { node }) }), { ...now(cluster), setting }).notes;
  const down: Partial<Objects> = {
    nodes: threeNodes(3),
    instances: [instanceOf("web", "harvester-3")],
    volumes: [volumeOf("pvc-1", "attached", "degraded")],
    replicas: [1, 2, 3].map((at) => replicaOf("pvc-1", `harvester-${at}`)),
    machines: [machineOf("web", "web-disk")],
  };

  test("says which machines start elsewhere and which volumes are rebuilt, in order", () => {
    expect(said(down)).toEqual([
      "harvester-3 is down:",
      "1. make sure that harvester-3 is switched off: two copies of a machine must never run on one volume",
      "2. start elsewhere: default/web; Harvester does so after about 300 s (vm-force-reset-policy)",
      "3. no volume is lost",
      "4. 1 volume with a replica there; Longhorn rebuilds them elsewhere: pvc-1",
      "   wait until playbooks/ops/longhorn-doctor.ts finds no volume with too few replicas",
      "5. if harvester-3 does not come back: playbooks/harvester-replace-node.ts; on hardware, delete it in the Harvester UI (Hosts), and install it again so that it joins",
    ]);
  });

  test("names the images whose only copy is there", () => {
    expect(said({ ...down, backingImages: [backingImageOf("default/talos", "harvester-3")] })).toContain(
      "   1 image lost, unless the disks of harvester-3 come back: default/talos (talos; 1 GiB; its only usable copy is on harvester-3, and Longhorn cannot create it again)",
    );
  });

  test("says how to start machines if Harvester does not start them, and does not guess whether it does", () => {
    expect(said(down, policy('{"enable":false,"period":300}'))).toContain(
      "   for each, once the node is off: `kubectl -n default delete pod --force -l harvesterhci.io/vmName=web`",
    );
    expect(said(down, refused)).toContainEqual(
      expect.stringContaining("unknown: whether Harvester restarts them automatically, because"),
    );
  });

  test("lists no steps for a healthy cluster, and says so if no machine can start elsewhere", () => {
    expect(said({}).filter((line) => /^\d\./.test(line))).toEqual([]);
    const lostData = said({ ...down, replicas: [replicaOf("pvc-1", "harvester-3")] });
    expect(lostData[2]).toBe("2. none of the machines that run there can start elsewhere");
  });

  test("names the volumes whose data is nowhere else", () => {
    const cluster = { ...down, replicas: [replicaOf("pvc-1", "harvester-3")] };
    expect(said(cluster)[3]).toContain(
      "3. 1 volume lost, unless the disks of harvester-3 come back: pvc-1 (10 GiB; its only healthy replica is on harvester-3; used by default/web)",
    );
  });

  test("can be previewed before it happens, and an unknown node is not mistaken for a healthy one", () => {
    expect(said({})[0]).toContain("every node is ready");
    expect(said({})[1]).toBe(
      "if a node is lost, its machines have to start elsewhere; Harvester does so after about 300 s (vm-force-reset-policy)",
    );
    expect(said({}, on, "harvester-1")[0]).toBe("harvester-1 is up; this is what its loss would mean:");
    const { refusal } = explain(lostNodes({ kubeconfig, node: "nope" }), { ...now({}), images: refused, setting: on });
    expect(refusal).toMatchObject({
      code: "no-node",
      message: "the cluster has no node nope",
      current: "harvester-1, harvester-2, harvester-3",
    });
  });

  test("is reported without the images if only these cannot be read", () => {
    const { notes } = explain(lostNodes({ kubeconfig }), { ...now(down), backingImages: refused, setting: on });
    expect(notes).toContain(
      "2. start elsewhere: default/web; Harvester does so after about 300 s (vm-force-reset-policy)",
    );
    expect(notes).toContain("3. no volume is lost");
    expect(notes).toContain("   unknown: which images are lost");
    expect(notes).toContain("unknown: the files of images, because connection refused");
  });

  test("names the machines that run there if their volumes cannot be read, or says that it does not know them", () => {
    const notes = (unread: object): readonly string[] =>
      explain(lostNodes({ kubeconfig }), { ...now(down), ...unread, setting: on }).notes;
    expect(notes({ volumes: refused })).toContain(
      "2. start elsewhere, unless their volumes are lost: default/web; Harvester does so after about 300 s (vm-force-reset-policy)",
    );
    expect(notes({ instances: refused })).toContain(
      "2. start elsewhere: furrow does not know which machines; Harvester does so after about 300 s (vm-force-reset-policy)",
    );
  });
});

describe("a rebuild from definitions", () => {
  const vars = rebuildSchema.parse({
    kubeconfig,
    clusterNetworks: {
      vm: {
        uplinks: { "vm-all": { nics: ["ens2"] } },
        networks: { platform: { vlan: 30 }, tenants: { vlan: 40, namespace: "t" } },
      },
    },
    storageClasses: { fast: { replicas: 2 } },
    images: { talos: { url: "https://x" }, debian: { url: "https://y" } },
    machines: { web: { cores: 1 } },
    deadlineSeconds: 60,
  });

  test("shows the order, and which parts already exist", () => {
    const { notes } = explain(definitionsThere({ kubeconfig, defined: definedIn(vars) }), now({}));
    expect(notes.slice(1, 7)).toEqual([
      "gitops/networks: the cluster networks: 1 of 1 exist",
      "gitops/networks: Harvester's network configs: 1 of 1 exist",
      "gitops/networks: the networks of virtual machines: 1 of 2 exist; missing: t/tenants",
      "gitops/storage: the storage classes: 0 of 1 exist; missing: fast",
      "gitops/images: the images of virtual machines: 1 of 2 exist; missing: default/debian",
      "gitops/vms: the virtual machines: 1 of 1 exist",
    ]);
  });

  test("does not report objects as missing if it cannot read them", () => {
    const { notes } = explain(definitionsThere({ kubeconfig, defined: definedIn(vars) }), {
      ...now({}),
      images: refused,
    });
    expect(notes).toContain(
      "gitops/images: the images of virtual machines: 2 defined; furrow cannot tell which of them exist",
    );
    expect(notes.at(-1)).toBe("unknown: the images of virtual machines, because connection refused");
  });
});

test("the user data of a machine is not shown, as in the playbook that creates the machine", () => {
  for (const name of ["userData", "networkData"])
    expect(isSecretAt(rebuildSchema, ["machines", "web", name])).toBe(true);
  const machines = { web: { userData: "S3" } };
  const { error } = rebuildSchema.safeParse({ machines });
  expect(JSON.stringify(faults(rebuildSchema, error?.issues ?? [], { machines }))).not.toContain("S3");
  const { userData } = rebuildSchema.parse({ kubeconfig, machines }).machines["web"] ?? {};
  expect(isSecret(userData)).toBe(true);
});
