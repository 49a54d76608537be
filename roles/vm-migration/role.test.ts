import { describe, expect, test } from "vitest";
import { answersOf, instanceOf, type Objects, soundCluster, threeNodes } from "../../test/guards/examples.ts";
import { migrationOf } from "../../test/guards/operation-examples.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { runningMigration } from "./may-abort.ts";
import { mayMigrate } from "./may-migrate.ts";
import { machineMigrated } from "./migrated.ts";
import { vmMigrationSchema } from "./vars.ts";

const machine = "default/web";
const from = "harvester-2";
const ask = (cluster: Partial<Objects>): Explanation =>
  explain(mayMigrate({ kubeconfig: "k", machine, from }), answersOf({ ...soundCluster, migrations: [], ...cluster }));
const on = (node: string, more: object = {}): object => instanceOf("web", node, "Running", undefined, more);
const bound = {
  ...on(from),
  status: {
    phase: "Running",
    nodeName: from,
    conditions: [
      { type: "LiveMigratable", status: "False", reason: "DisksNotLiveMigratable", message: "PVC web-0 is not shared" },
    ],
  },
};

test("a node is not accepted silently if the migration is to be aborted", () => {
  const vars = { kubeconfig: "k", machine, action: "abort", from: "harvester-2" };
  expect(vmMigrationSchema.safeParse(vars).error?.issues.map(({ message }) => message)).toEqual([
    "no node with action=abort, which ends the migration wherever the machine is",
  ]);
});

test("the node that the machine leaves must be named", () => {
  const issues = vmMigrationSchema.safeParse({ kubeconfig: "k", machine }).error?.issues ?? [];
  expect(issues.map(({ message }) => message)).toEqual(["the name of the node that the machine leaves"]);
  expect(vmMigrationSchema.safeParse({ kubeconfig: "k", machine, action: "abort" }).success).toBe(true);
});

describe("a machine", () => {
  test.each<[string, Partial<Objects>, string]>([
    [
      "that cannot migrate is refused, with KubeVirt's reason",
      { instances: [bound] },
      "default/web cannot migrate: DisksNotLiveMigratable: PVC web-0 is not shared",
    ],
    [
      "that no other node can run is refused",
      { instances: [on(from)], nodes: threeNodes(1, 3) },
      "no other ready node has the labels that it needs",
    ],
    ["that is not running is refused", { instances: [] }, "default/web is not running, so there is nothing to migrate"],
    [
      "on a node that does not exist is refused",
      { instances: [on(from)], nodes: threeNodes().slice(0, 1) },
      "the cluster has no node harvester-2",
    ],
  ])("%s", (_what, cluster, says) => {
    expect(ask(cluster).refusal?.message).toContain(says);
  });

  test("on another node stays where it is", () => {
    const { refusal, notes } = ask({ instances: [on("harvester-1")] });
    expect([refusal, notes]).toEqual([undefined, ["default/web runs on harvester-1"]]);
  });

  test("that is already migrating is not refused, even if KubeVirt now says that it cannot migrate", () => {
    const { refusal, notes } = ask({
      instances: [bound],
      migrations: [migrationOf("kubevirt-evacuation-x", "web", "Running")],
    });
    expect([refusal, notes]).toEqual([undefined, ["default/web is already migrating: default/kubevirt-evacuation-x"]]);
  });

  test("that is being migrated to the node that it should leave: the task waits for it, and a note asks for a rerun", () => {
    const migrations = [migrationOf("kubevirt-evacuation-x", "web", "Running", { targetNode: from })];
    expect(ask({ instances: [on("harvester-1")], migrations }).notes).toEqual([
      "default/web is already migrating: default/kubevirt-evacuation-x; it is moving to harvester-2, so rerun when it has arrived",
    ]);
  });

  test("whose earlier migration has failed migrates again, and the failure is reported", () => {
    const migrations = [migrationOf("web-furrow-1", "web", "Failed", { failureReason: "no progress for 150 s" })];
    expect(ask({ instances: [on(from)], migrations }).notes).toEqual([
      "an earlier migration, default/web-furrow-1, has failed: no progress for 150 s",
    ]);
  });
});

describe("the wait", () => {
  const wait = (node: string, ...migrations: object[]): Explanation["refusal"] =>
    explain(
      machineMigrated({ kubeconfig: "k", machine, from, migration: "default/web-furrow-1", deadlineSeconds: 1 }),
      answersOf({ ...soundCluster, instances: [on(node)], migrations }),
    ).refusal;
  const own = (phase: string, state: object = {}): object => migrationOf("web-furrow-1", "web", phase, state);

  test("reports the phase and the new node, and ends when the machine has arrived there", () => {
    expect(wait(from, own("Running", { targetNode: "harvester-1" }))?.message).toBe("Running to harvester-1");
    expect(wait(from, own("Succeeded"))?.message).toContain("KubeVirt still lists it on harvester-2");
    expect(wait("harvester-1", own("Succeeded"))).toBeUndefined();
    expect(wait("harvester-1")).toBeUndefined();
  });

  test("ends at once if the machine has only just arrived on the node that it should leave", () => {
    expect(wait(from, own("Running", { targetNode: from }))).toMatchObject({ code: "not-yet" });
    expect(wait(from, own("Succeeded", { targetNode: from }))).toMatchObject({
      message: "default/web-furrow-1 has moved default/web to harvester-2, where it has only just arrived",
      hint: expect.stringContaining("Rerun"),
      final: true,
    });
    expect(wait(from, own("Succeeded", { targetNode: "harvester-1" }))?.final).toBeUndefined();
  });

  test("ends at once if the migration fails or is aborted", () => {
    expect(wait(from, own("Failed", { failureReason: "timeout" }))).toMatchObject({
      message: "default/web-furrow-1 has failed: timeout",
      final: true,
    });
    expect(wait(from)).toMatchObject({ message: expect.stringContaining("somebody has aborted"), final: true });
  });
});

test("a migration that empties a node begins again if it is aborted, and a note says so", () => {
  const notes = (...migrations: object[]): readonly string[] =>
    explain(runningMigration({ kubeconfig: "k", machine }), answersOf({ ...soundCluster, migrations })).notes;
  expect(notes()).toEqual(["default/web is not migrating"]);
  expect(notes(migrationOf("web-furrow-1", "web", "Scheduling"))).toEqual(["default/web keeps running where it is"]);
  expect(notes(migrationOf("kubevirt-evacuation-x", "web", "Running")).join()).toContain(
    "KubeVirt starts a new migration",
  );
});
