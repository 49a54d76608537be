import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterDoctor } from "../../../roles/cluster-doctor/role.ts";
import { longhornDoctor } from "../../../roles/longhorn-doctor/role.ts";
import { rebuild, rebuildSchema } from "../../../roles/rebuild/role.ts";
import { resources } from "../../../roles/resources/role.ts";
import type { Node } from "../../../src/core/authoring/group.ts";
import { type TaskEnd, taskHost } from "../../tasks/on-host.ts";
import { nodeOf } from "../../guards/examples.ts";
import { apply } from "../actors.ts";
import { refusal } from "../on-server.ts";
import { troubledCluster } from "./report-cluster.ts";
import { allowReading, makeKinds, makeObjects, setNodes } from "./report-scene.ts";
import { ApiServer } from "../server/api-server.ts";

let server: ApiServer;
const host = taskHost();

beforeAll(async () => {
  server = await ApiServer.up();
  makeKinds(server);
  makeObjects(server, troubledCluster);
  const overcommit = { name: "overcommit-config" };
  const value = '{"cpu":1600,"memory":150,"storage":200}';
  const policy = { name: "vm-force-reset-policy" };
  const setting = { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting" };
  apply(server, { ...setting, metadata: overcommit, value });
  apply(server, { ...setting, metadata: policy, value: '{"enable":true,"period":300}' });
});
afterAll(() => server?.down());

const textOf = (ends: readonly TaskEnd[]): string[] =>
  ends.flatMap(({ title, notes, error }) => [`# ${title}`, ...notes, ...(error === undefined ? [] : [error.message])]);

const reports: readonly {
  readonly name: string;
  readonly of: (kubeconfig: string) => Node;
  readonly says: readonly string[];
}[] = [
  {
    name: "the resource report",
    of: (kubeconfig) => resources({ kubeconfig }),
    says: [
      "harvester-1    8       0.4     7.6        0.8   6.9",
      "harvester-3 is not ready: its pods might not be running",
      "    8   16  Running  harvester-1  default/db",
      "300        30       600   -60        200  harvester-2 default-disk",
      "memory 150 %: a machine with 8 GiB requests 5.3 GiB",
      "harvester-1 cannot be lost: without harvester-1 only 1 of 3 voting nodes is up, but 2 are needed",
    ],
  },
  {
    name: "Longhorn's doctor",
    of: (kubeconfig) => longhornDoctor({ kubeconfig }),
    says: [
      "critical: 1 volume with a single healthy replica left: pvc-8e1c7a52-0c1f-4f2e-8a3b-7d0c3b6a9e42 (1 of 3)",
      "warning: the disk default-disk of harvester-2 is over-committed by 60 GiB: its volumes can fill it",
      "hint: 1 orphaned replica on harvester-2",
      "2 critical, 3 warnings",
    ],
  },
  {
    name: "the cluster's doctor",
    of: (kubeconfig) => clusterDoctor({ kubeconfig }),
    says: [
      "critical: etcd must not lose another node: 2 of 3 voting nodes are up, and 2 are needed",
      "critical: 1 virtual machine on a node that is not ready: default/web (harvester-3)",
      "warning: 1 pod of Harvester: CrashLoopBackOff: harvester-system/harvester-7d4b9c-x2k4z",
      'unknown: the names of metrics, because HTTP 404: services "rancher-monitoring-prometheus" not found',
      "5 critical, 6 warnings",
    ],
  },
  {
    name: "the rebuild plan",
    of: (kubeconfig) =>
      rebuild(rebuildSchema.parse({ kubeconfig, machines: { db: { cores: 8 }, cp: { namespace: "tenants" } } })),
    says: [
      "2 of 3 voting nodes are up, and 2 are needed",
      "harvester-3 is down:",
      "2. start elsewhere: default/web; Harvester does so after about 300 s (vm-force-reset-policy)",
      "gitops/vms: the virtual machines: 1 of 2 exist; missing: tenants/cp",
    ],
  },
];

describe.each(reports)("$name", ({ of, says }) => {
  test("says the same in check mode, and only reads", async () => {
    const before = server.requests().length;
    const ends = await host.apply(of(server.kubeconfig()));
    expect(textOf(ends)).toEqual(textOf(await host.check(of(server.kubeconfig()))));
    for (const line of says) expect(textOf(ends)).toContain(line);
    expect(ends.flatMap(({ steps }) => steps)).toEqual([]);
    const verbs = server
      .requests()
      .slice(before)
      .map((request) => request.split(" ")[0]);
    expect(verbs.length).toBeGreaterThan(0);
    expect(verbs.filter((verb) => verb !== "get" && verb !== "list")).toEqual([]);
  });

  test("names what a user without rights cannot see, and reports none of it as zero or healthy", async () => {
    const ends = await host.apply(of(server.kubeconfig("guest")));
    const lines = textOf(ends).filter((line) => !line.startsWith("#"));
    expect(lines.filter((line) => line.includes("HTTP 403")).length).toBeGreaterThan(0);
    // The remaining lines say that something is unknown, or what to do by hand.
    const rest = lines.filter((line) => !/unknown: .*, because .*HTTP 403|cannot tell .*HTTP 403/.test(line));
    expect(
      rest.filter((line) => !/^without the following, furrow cannot tell|^if the quorum is lost|^\d\. /.test(line)),
    ).toEqual([]);
  });
});

test("a plan is refused while the quorum is lost, and the refusal names the snapshot and the steps", async () => {
  const { nodes = [] } = troubledCluster;
  setNodes(
    server,
    nodes.map((_, at) => nodeOf(`harvester-${at + 1}`, { ready: at === 0 })),
  );
  const ends = await host.apply(rebuild(rebuildSchema.parse({ kubeconfig: server.kubeconfig() })));
  setNodes(server, nodes);
  expect(refusal(ends.at(-1))).toContain("quorum");
  expect(ends.map(({ title }) => title)).toEqual(["the newest etcd snapshot", "etcd has quorum"]);
  const snapshot = "/var/lib/rancher/rke2/server/db/snapshots/etcd-snapshot-harvester-1-1767225600";
  expect(ends[0]?.notes.join("\n")).toContain(`--cluster-reset-restore-path=${snapshot}`);
});

test("read permissions are enough for each report", async () => {
  allowReading(server);
  for (const { of, says } of reports)
    await expect
      .poll(async () => textOf(await host.apply(of(server.kubeconfig("guest")))))
      .toEqual(expect.arrayContaining([...says]));
});
