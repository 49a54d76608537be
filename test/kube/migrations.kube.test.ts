import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { liveMigration } from "../../roles/live-migration/role.ts";
import { liveMigrationSchema } from "../../roles/live-migration/vars.ts";
import { vmMigration } from "../../roles/vm-migration/role.ts";
import { vmMigrationSchema } from "../../roles/vm-migration/vars.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, makeNodes, play, read } from "./actors.ts";
import { migrationKinds, runningKinds, settingKind } from "./harvester-kinds.ts";
import { runningOn } from "./maintenance-actors.ts";
import { migrationControllers } from "./migration-actors.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;
const from = "harvester-2";

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...runningKinds, ...migrationKinds, settingKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  makeNodes(server, { [from]: {}, "harvester-3": {} });
  apply(server, { apiVersion: "v1", kind: "Namespace", metadata: { name: "harvester-system" } });
  const configuration = { migrations: { parallelMigrationsPerCluster: 5, network: "default/own" } };
  const metadata = { name: "kubevirt", namespace: "harvester-system" };
  apply(
    server,
    runningOn("web", from, true),
    runningOn("slow", from, true),
    runningOn("gpu", from, false),
    { apiVersion: "kubevirt.io/v1", kind: "KubeVirt", metadata, spec: { configuration } },
    { apiVersion: "harvesterhci.io/v1beta1", kind: "Setting", metadata: { name: "kubevirt-migration" } },
  );
  controllers = play(server, stop.signal, migrationControllers);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !/: (ok|skipped)$/.test(one));
const migration = (machine: string, more: object = {}) =>
  vmMigration(
    vmMigrationSchema.parse({
      kubeconfig: server.kubeconfig(),
      machine: `default/${machine}`,
      from,
      deadlineSeconds: 60,
      ...more,
    }),
  );
const migrations = (): string[] =>
  (read(server, "virtualmachineinstancemigrations") as { items: { metadata: { name: string } }[] }).items.map(
    ({ metadata }) => metadata.name,
  );
const settings = (more: object = {}) =>
  liveMigration(
    liveMigrationSchema.parse({
      kubeconfig: server.kubeconfig(),
      settings: { allowAutoConverge: true },
      policies: { large: { machines: { size: "large" }, bandwidthPerMigration: "64Mi" } },
      deadlineSeconds: 60,
      ...more,
    }),
  );

describe("a machine", () => {
  test("leaves its node; check mode says the same, and a second run changes nothing", async () => {
    const checked = await host.check(migration("web"));
    const applied = await host.apply(migration("web"));
    expect(outcomes(applied)).toEqual([
      "default/web may leave harvester-2: ok",
      "default/web migrates: changed",
      "default/web has left harvester-2: ok",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    expect(applied.at(-1)?.notes).toEqual(["default/web runs on harvester-3"]);
    expect(changedIn([...(await host.check(migration("web"))), ...(await host.apply(migration("web")))])).toEqual([]);
    expect(migrations()).toEqual(["web-furrow-1"]);
  });

  test("that cannot migrate is refused with KubeVirt's reason, and nothing changes", async () => {
    for (const mode of ["check", "apply"] as const)
      expect(changedIn(await host[mode](migration("gpu"))).join()).toContain(
        "default/gpu cannot migrate: HostDeviceNotLiveMigratable: VMI uses a PCI host devices",
      );
    expect(migrations()).toEqual(["web-furrow-1"]);
  });

  test("may still be migrating when a run ends; the next run then waits for it, and the migration can be aborted", async () => {
    const first = await host.apply(migration("slow", { deadlineSeconds: 10 }));
    expect(first.at(-1)?.error?.failure.details?.join()).toContain("Running to harvester-3");
    const second = await host.apply(migration("slow", { deadlineSeconds: 1 }));
    expect(second[0]?.notes).toEqual(["default/slow is already migrating: default/slow-furrow-1"]);
    expect(migrations().toSorted()).toEqual(["slow-furrow-1", "web-furrow-1"]);

    for (const mode of ["check", "apply"] as const) {
      const [end, ...rest] = changedIn(await host[mode](settings()));
      expect([end, rest]).toEqual([expect.stringContaining("virtual machines are migrating: default/slow"), []]);
    }

    const abort = () => migration("slow", { action: "abort", from: undefined });
    expect(changedIn(await host.check(abort()))).toEqual(["default/slow does not migrate: changed"]);
    expect(changedIn(await host.apply(abort()))).toEqual(["default/slow does not migrate: changed"]);
    expect(migrations()).toEqual(["web-furrow-1"]);
    expect(changedIn(await host.apply(abort()))).toEqual([]);
  });

  test("stays where it is if a migration that somebody else has begun is aborted", async () => {
    apply(server, {
      apiVersion: "kubevirt.io/v1",
      kind: "VirtualMachineInstanceMigration",
      metadata: { name: "kubevirt-migrate-vm-x7k2p", namespace: "default" },
      spec: { vmiName: "slow" },
    });
    const abort = () => migration("slow", { action: "abort", from: undefined });
    const checked = await host.check(abort());
    expect(changedIn(checked)).toEqual(["default/slow does not migrate: changed"]);
    expect(outcomes(await host.apply(abort()))).toEqual(outcomes(checked));
    expect(migrations()).toEqual(["web-furrow-1"]);
  });
});

test("the settings and policies are set; check mode says the same, and a second run changes nothing", async () => {
  const checked = await host.check(settings());
  const applied = await host.apply(settings());
  expect(outcomes(applied)).toEqual([
    "no machine is migrating while a migration policy changes: ok",
    "the live migration settings: changed",
    "KubeVirt has applied the live migration settings: ok",
    "kubeObject MigrationPolicy large: changed",
  ]);
  expect(outcomes(checked)).toEqual(outcomes(applied));
  const { value } = read(server, "settings.harvesterhci.io", "kubevirt-migration") as { value: string };
  expect(JSON.parse(value)).toEqual({ parallelMigrationsPerCluster: 5, allowAutoConverge: true });
  expect(changedIn([...(await host.check(settings())), ...(await host.apply(settings()))])).toEqual([]);
});

test("a bandwidth that KubeVirt stores in another unit is waited for only once, and a second run changes nothing", async () => {
  const wanted = { settings: { allowAutoConverge: true, bandwidthPerMigration: "1024Mi" } };
  expect(changedIn(await host.apply(settings(wanted)))).toEqual(["the live migration settings: changed"]);
  const { spec } = read(server, "kubevirt", "kubevirt", "--namespace=harvester-system") as { spec: object };
  expect(spec).toMatchObject({ configuration: { migrations: { bandwidthPerMigration: "1Gi" } } });
  expect(changedIn([...(await host.check(settings(wanted))), ...(await host.apply(settings(wanted)))])).toEqual([]);
});
