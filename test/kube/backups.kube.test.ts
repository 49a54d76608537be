import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { vmBackupsSchema } from "../../roles/vm-backups/backups.ts";
import { vmBackups } from "../../roles/vm-backups/role.ts";
import { vmRestoreSchema } from "../../roles/vm-restore/restore.ts";
import { vmRestore } from "../../roles/vm-restore/role.ts";
import { machineOf } from "../guards/examples.ts";
import { type TaskEnd, taskHost } from "../tasks/on-host.ts";
import { apply, patch, play, read } from "./actors.ts";
import { backupControllers } from "./backup-actors.ts";
import { backupKinds } from "./backup-kinds.ts";
import { networkKinds, runningKinds, settingKind } from "./harvester-kinds.ts";
import { runningOn } from "./maintenance-actors.ts";
import { ApiServer } from "./server/api-server.ts";

let server: ApiServer;
const host = taskHost();
const stop = new AbortController();
let controllers: Promise<void>;

beforeAll(async () => {
  server = await ApiServer.up();
  apply(server, ...networkKinds, ...runningKinds, ...backupKinds, settingKind);
  server.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  for (const name of ["db", "broken"]) {
    const { metadata, spec } = machineOf(name) as { metadata: object; spec: object };
    apply(server, { apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata, spec });
  }
  apply(server, runningOn("db", "harvester-1", true), {
    apiVersion: "harvesterhci.io/v1beta1",
    kind: "Setting",
    metadata: { name: "backup-target" },
  });
  controllers = play(server, stop.signal, backupControllers);
});
afterAll(async () => {
  stop.abort();
  await controllers;
  await server?.down();
});

const outcomes = (ends: readonly TaskEnd[]): string[] =>
  ends.map(({ title, outcome, error }) => [title, outcome, error?.message].filter(Boolean).join(": "));
const changedIn = (ends: readonly TaskEnd[]): string[] => outcomes(ends).filter((one) => !/: (ok|skipped)$/.test(one));
const objects = (): unknown =>
  read(server, "virtualmachinebackups,schedulevmbackups,virtualmachinerestores,virtualmachines");

/** The errors of the only task in check mode and in a run, neither of which may change anything. */
async function refusals(tasks: () => ReturnType<typeof vmBackups>): Promise<(string | undefined)[]> {
  const before = objects();
  const ends = [...(await host.check(tasks())), ...(await host.apply(tasks()))];
  expect(objects()).toEqual(before);
  return ends.map(({ error }) => error?.message);
}

const twice = (says: string): unknown[] => [expect.stringContaining(says), expect.stringContaining(says)];

describe("the backups of machines", () => {
  const wanted = {
    backups: { "db-before": { machine: "db" }, "db-snapshot": { machine: "db", type: "snapshot" } },
    schedules: { nightly: { machine: "db", cron: "30 2 * * *", retain: 5 } },
  };
  const backups = (vars: object = wanted) =>
    vmBackups(vmBackupsSchema.parse({ kubeconfig: server.kubeconfig(), deadlineSeconds: 90, ...vars }));

  test("are refused without a backup target, and nothing changes", async () => {
    expect(await refusals(backups)).toEqual(twice("the cluster has no backup target"));
  });

  test("are created once and waited for, and a schedule is created; check mode says the same, and a second run changes nothing", async () => {
    patch(server, "settings.harvesterhci.io", "backup-target", {
      value: '{"type":"nfs","endpoint":"nfs://nas:/backups"}',
      status: { conditions: [{ type: "configured", status: "True" }] },
    });
    const checked = await host.check(backups());
    const applied = await host.apply(backups());
    expect(outcomes(applied)).toEqual([
      "the backups fit the cluster: ok",
      "kubeObject VirtualMachineBackup default/db-before: changed",
      "kubeObject VirtualMachineBackup default/db-snapshot: changed",
      "kubeObject ScheduleVMBackup default/nightly: changed",
      "the backups are ready: default/db-before, default/db-snapshot: ok",
      "the state of the backup schedules: ok",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    expect(changedIn([...(await host.check(backups())), ...(await host.apply(backups()))])).toEqual([]);
  });

  test("are refused, and nothing changes, if another machine's backup already has the same name", async () => {
    expect(await refusals(() => backups({ backups: { "db-before": { machine: "broken" } } }))).toEqual(
      twice("default/db-before already exists, as a backup of default/db"),
    );
  });

  test("that fail are reported with Harvester's own message, by the run and by a later check", async () => {
    const broken = () => backups({ backups: { "broken-1": { machine: "broken" } }, deadlineSeconds: 15 });
    const ends = await host.apply(broken());
    expect(JSON.stringify(ends.at(-1)?.error?.failure)).toContain(
      "default/broken-1: Harvester reports: VolumeSnapshot broken-0 in error state",
    );
    expect(await refusals(broken)).toEqual(
      twice("default/broken-1 has failed: VolumeSnapshot broken-0 in error state"),
    );
  });
});

describe("the restore of a machine", () => {
  const restore = (vars: object) =>
    vmRestore(
      vmRestoreSchema.parse({ kubeconfig: server.kubeconfig(), backup: "db-before", deadlineSeconds: 90, ...vars }),
    );

  test("creates a new machine; check mode says the same, and a second run changes nothing", async () => {
    const checked = await host.check(restore({ newMachine: "db-2" }));
    const applied = await host.apply(restore({ newMachine: "db-2" }));
    expect(outcomes(applied)).toEqual([
      "default/db-2 may be restored from default/db-before: ok",
      "kubeObject VirtualMachineRestore default/db-2-from-db-before: changed",
      "default/db-2 is restored: ok",
    ]);
    expect(outcomes(checked)).toEqual(outcomes(applied));
    expect(applied.at(-1)?.notes.join()).toContain("KubeVirt has not reported the state of default/db-2 yet");
    expect(read(server, "virtualmachine", "db-2")).toBeDefined();
    const again = [
      ...(await host.check(restore({ newMachine: "db-2" }))),
      ...(await host.apply(restore({ newMachine: "db-2" }))),
    ];
    expect(changedIn(again)).toEqual([]);
  });

  test("is refused, and nothing changes, if the new machine exists, or the machine to replace is running", async () => {
    expect(await refusals(() => restore({ newMachine: "db" }))).toEqual(twice("the machine default/db exists"));
    expect(await refusals(() => restore({ replace: "db" }))).toEqual(
      twice("default/db runs on harvester-1: shut it down first"),
    );
    expect(await refusals(() => restore({ backup: "broken-1", newMachine: "x" }))).toEqual(
      twice("the backup is not ready: default/broken-1"),
    );
  });

  test("replaces a machine once, if the machine is named and off", async () => {
    server.kubectl(["delete", "virtualmachineinstance", "db"]);
    expect(changedIn(await host.apply(restore({ replace: "db" })))).toEqual([
      "kubeObject VirtualMachineRestore default/db-from-db-before: changed",
    ]);
    const made = read(server, "virtualmachinerestore", "db-from-db-before") as { spec: object };
    expect(made.spec).toMatchObject({ newVM: false, deletionPolicy: "retain" });
    expect(changedIn(await host.apply(restore({ replace: "db" })))).toEqual([]);
  });

  test("is refused, and nothing changes, if it was of an earlier machine or of an earlier backup", async () => {
    server.kubectl(["delete", "virtualmachine", "db-2"]);
    expect(await refusals(() => restore({ newMachine: "db-2" }))).toEqual(
      twice("default/db-2-from-db-before has restored an earlier machine default/db-2, which was deleted"),
    );
    server.kubectl(["delete", "virtualmachinebackup", "db-before"]);
    const backups = { kubeconfig: server.kubeconfig(), backups: { "db-before": { machine: "db" } } };
    await host.apply(vmBackups(vmBackupsSchema.parse({ ...backups, deadlineSeconds: 90 })));
    expect(await refusals(() => restore({ replace: "db" }))).toEqual(twice("it has not restored this backup"));
  });
});
