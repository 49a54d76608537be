import { describe, expect, test } from "vitest";
import { answersOf, machineOf, type Objects, soundCluster } from "../../test/guards/examples.ts";
import { backupOf, scheduleOf } from "../../test/guards/operation-examples.ts";
import type { Node } from "../../src/core/authoring/group.ts";
import { explain, type Explanation } from "../../src/testing/index.ts";
import { scheduleObjects, vmBackupsSchema } from "./backups.ts";
import { backupsFit } from "./backups-fit.ts";
import { backupsReady, schedulesShown } from "./backups-ready.ts";
import { vmBackups } from "./role.ts";

const target = (value: string, status = "True", message = ""): object => ({
  setting: {
    found: true,
    object: {
      kind: "Setting",
      metadata: { name: "backup-target" },
      value,
      status: { conditions: [{ type: "configured", status, message }] },
    },
  },
});
const nfs = '{"type":"nfs","endpoint":"nfs://nas:/backups"}';

type Backup = { name: string; machine: string; type: "backup" | "snapshot" };
const once = (more: Partial<Backup> = {}): Backup => ({
  name: "default/web-3",
  machine: "default/web",
  type: "backup",
  ...more,
});
const nightly = { ...once({ name: "default/nightly" }), retain: 8 };

function fit(
  wish: { backups?: Backup[]; schedules?: (Backup & { retain: number; suspend?: boolean })[]; acceptLoss?: string[] },
  cluster: Partial<Objects> = {},
  setting = target(nfs),
): Explanation {
  const params = { kubeconfig: "k", backups: [], schedules: [], acceptLoss: [], ...wish };
  return explain(backupsFit(params), { ...answersOf({ ...soundCluster, ...cluster }), ...setting });
}

test.each([
  [
    "a schedule that stops only after all its backups have failed",
    { retain: 4, maxFailure: 4 },
    "retain: a number above 4: maxFailure is 4 (its default), but must be below retain (4): set maxFailure",
  ],
  [
    "three backups with the default of maxFailure, and says which default that is",
    { retain: 3 },
    "retain: a number above 4: maxFailure is 4 (its default), but must be below retain (3): set maxFailure",
  ],
  [
    "two backups, because Harvester wants at least two failures",
    { retain: 2, maxFailure: 2 },
    "maxFailure: a number below 2: maxFailure is 2, but must be below retain (2)",
  ],
  ["a time that cron does not understand", { cron: "at night" }, "cron: a cron expression with five fields"],
  ["fewer than two backups", { retain: 1 }, "retain"],
])("refuses %s", (_what, more, says) => {
  const vars = { kubeconfig: "k", schedules: { nightly: { machine: "web", cron: "30 2 * * *", ...more } } };
  const [issue] = vmBackupsSchema.safeParse(vars).error?.issues ?? [];
  expect(`${issue?.path.join(".")}: ${issue?.message}`).toContain(says);
});

const cronProblem = (cron: string): string | undefined =>
  vmBackupsSchema.safeParse({ kubeconfig: "k", schedules: { nightly: { machine: "web", cron } } }).error?.issues[0]
    ?.message;

test.each([
  ["every minute", "* * * * *", "one minute of the hour, like `30 2 * * *`: Harvester allows one backup an hour"],
  ["twice an hour", "0,30 * * * *", "one minute of the hour"],
  ["every half hour at night", "*/30 2 * * *", "one minute of the hour"],
  ["in hour 25", "0 25 * * *", 'the hour "25" is wrong: "25" is not a number from 0 to 23'],
  ["every 70 minutes", "*/70 * * * *", 'the step "70" is not a number from 1 to 60'],
  ["on 30 February", "0 2 30 2 *", "a date that exists"],
])("a schedule %s is refused before the cluster is contacted", (_what, cron, says) => {
  expect(cronProblem(cron)).toContain(says);
});

test.each(["0 * * * *", "30  2 * * *", "*/60 2 * * *", "15 2/6 ? * mon-fri", "0 2 29 2 *", "0 0 1,15 * SUN", "@daily"])(
  "the schedule %s is accepted",
  (cron) => {
    expect(cronProblem(cron)).toBeUndefined();
  },
);

test("a schedule does not set `suspend`, which Harvester itself may set, unless the user sets it", () => {
  const schedule = { machine: "web", cron: "30 2 * * *" };
  const { schedules } = vmBackupsSchema.parse({
    kubeconfig: "k",
    schedules: { a: schedule, b: { ...schedule, suspend: true } },
  });
  expect(scheduleObjects({ schedules }).map(({ spec }) => spec)).toEqual([
    {
      cron: "30 2 * * *",
      retain: 8,
      maxFailure: 4,
      vmbackup: { source: { apiGroup: "kubevirt.io", kind: "VirtualMachine", name: "web" }, type: "backup" },
    },
    expect.objectContaining({ suspend: true }),
  ]);
});

describe("a backup is refused", () => {
  test.each<[string, Backup, Partial<Objects>, string]>([
    [
      "of a machine that does not exist",
      once({ machine: "default/wbe" }),
      {},
      "the machine default/wbe of default/web-3 does not exist",
    ],
    [
      "under the name of another backup",
      once(),
      { backups: [backupOf("web-3", "db")] },
      "default/web-3 already exists, as a backup of default/db",
    ],
    [
      "that has failed, and the error has Harvester's own message",
      once(),
      {
        backups: [
          backupOf("web-3", "web", { readyToUse: false, error: { message: "VolumeSnapshot x in error state" } }),
        ],
      },
      "default/web-3 has failed: VolumeSnapshot x in error state",
    ],
  ])("%s", (_what, backup, cluster, says) => {
    expect(fit({ backups: [backup] }, cluster).refusal?.message).toBe(says);
  });

  test("that is ready, but was made of a deleted machine with the same name", () => {
    const { metadata, ...more } = machineOf("web") as { metadata: object };
    const machines = [{ ...more, metadata: { ...metadata, uid: "new" } }];
    const ask = (status: object): Explanation =>
      fit({ backups: [once({ name: "default/web-1" })] }, { machines, backups: [backupOf("web-1", "web", status)] });
    expect(ask({ readyToUse: true, sourceUID: "old" }).refusal?.message).toBe(
      "default/web-1 is a backup of an earlier machine default/web, which was deleted; a backup of the present one needs another name",
    );
    expect(ask({ readyToUse: true, sourceUID: "new" })).toMatchObject({ notes: [] });
    expect(ask({ readyToUse: true }).notes).toEqual([
      "default/web-1 may be a backup of an earlier machine default/web: Harvester does not say which of the two it was made of",
    ]);
  });

  test("without a backup target, or with one that Harvester cannot reach", () => {
    const ask = (setting: object, type: Backup["type"] = "backup"): string | undefined =>
      fit({ backups: [once({ type })] }, {}, setting).refusal?.message;
    expect(ask(target(""))).toBe("the cluster has no backup target");
    expect(ask(target('{"type":"","endpoint":""}'))).toBe("the cluster has no backup target");
    expect(ask(target(nfs, "False", "mount.nfs: access denied"))).toBe(
      "Harvester cannot reach the backup target nfs://nas:/backups: mount.nfs: access denied",
    );
    expect(ask(target(""), "snapshot")).toBeUndefined();
    expect(ask(target(nfs))).toBeUndefined();
  });

  test("only if it does not exist yet: one that is ready needs no target", () => {
    expect(fit({ backups: [once({ name: "default/web-1" })] }, {}, target("")).refusal).toBeUndefined();
  });
});

/** The names of the tasks in a role, in order. */
function namesIn(nodes: readonly Node[]): string[] {
  return nodes.flatMap((one): string[] => {
    if (one === false || one === null || one === undefined) return [];
    if (!("node" in one)) return namesIn(one);
    return one.node === "task" ? [one.module.card.name] : [];
  });
}

describe("a schedule", () => {
  test("is refused if the machine has another one, because Harvester allows only one", () => {
    expect(fit({ schedules: [{ ...nightly, name: "default/hourly" }] }).refusal?.message).toBe(
      "default/web already has the schedule default/nightly, and Harvester allows only one",
    );
  });

  test("is refused if it would become the schedule of another machine", () => {
    const machines = [machineOf("web"), machineOf("db")];
    expect(fit({ schedules: [{ ...nightly, machine: "default/db" }] }, { machines }).refusal?.message).toBe(
      "default/nightly makes each backup of default/web; Harvester does not allow this to be changed",
    );
  });

  test("makes Harvester delete its backups only with permission, and never other backups", () => {
    const made = (name: string, day: number, status?: object): object =>
      backupOf(name, "web", status, { schedule: "default/nightly", created: `2026-01-0${day}T00:00:00Z` });
    const broken = { readyToUse: false, error: { message: "x" } };
    const backups = [
      backupOf("by-hand", "web"),
      made("s-1", 1),
      made("s-2", 2),
      made("s-3", 3, broken),
      made("s-4", 4),
    ];
    const less = { ...nightly, retain: 2 };
    expect(fit({ schedules: [less] }, { backups }).refusal?.message).toBe(
      "with retain 2, Harvester would delete backups of default/nightly: default/s-3, default/s-1; to accept this, list them in acceptLoss",
    );
    expect(fit({ schedules: [less], acceptLoss: ["default/s-3", "default/s-1"] }, { backups }).refusal).toBeUndefined();
    expect(fit({ schedules: [nightly] }, { backups }).refusal).toBeUndefined();
  });

  test("is refused if acceptLoss names backups that do not exist, but only if Harvester would still delete backups", () => {
    const less = { ...nightly, retain: 2 };
    expect(fit({ schedules: [less], acceptLoss: ["default/s-l"] }).refusal?.message).toBe(
      "acceptLoss lists default/s-l, not found in the cluster: correct or remove these names",
    );
    const after = { schedules: [scheduleOf("nightly", "web", { retain: 2 })] };
    expect(fit({ schedules: [less], acceptLoss: ["default/s-l"] }, after).refusal).toBeUndefined();
  });

  test("is applied before the wait for backups, while the guard's list of backups to lose is still current", () => {
    const { children } = vmBackups(
      vmBackupsSchema.parse({
        kubeconfig: "k",
        backups: { "web-3": { machine: "web" } },
        schedules: { nightly: { machine: "web", cron: "30 2 * * *" } },
      }),
    );
    const names = namesIn(children);
    expect(names).toEqual(["backupsFit", "kubeObject", "kubeObject", "backupsReady", "schedulesShown"]);
  });

  test("is reported with its last backup, and with Harvester's reason if it is suspended", () => {
    const conditions = [
      {
        type: "BackupSuspend",
        status: "True",
        reason: "Reach Max Failure",
        message: "failure backups 4 reach max tolerance 4",
      },
    ];
    const cluster = {
      schedules: [scheduleOf("nightly", "web", { suspend: true, status: { suspended: true, failure: 4, conditions } })],
      backups: [
        backupOf("s-1", "web", { readyToUse: false, error: { message: "no space" } }, { schedule: "default/nightly" }),
      ],
    };
    const task = schedulesShown({ kubeconfig: "k", schedules: ["default/nightly"] });
    expect(explain(task, answersOf({ ...soundCluster, ...cluster })).notes).toEqual([
      "default/nightly: 1 of 8 backups, the last one default/s-1: Harvester reports: no space",
      "default/nightly is suspended: Reach Max Failure: failure backups 4 reach max tolerance 4",
      "default/nightly has failed 4 times in a row",
    ]);
  });
});

test("the wait for a backup reports its progress and Harvester's own message", () => {
  const wait = (status: object): string | undefined =>
    explain(
      backupsReady({ kubeconfig: "k", backups: ["default/web-3"], deadlineSeconds: 1 }),
      answersOf({ ...soundCluster, backups: [backupOf("web-3", "web", status)] }),
    ).refusal?.message;
  expect(wait({ progress: 40 })).toBe("default/web-3: 40 % done");
  expect(wait({ error: { message: "no space" } })).toBe("default/web-3: Harvester reports: no space");
  expect(wait({ readyToUse: true })).toBeUndefined();
});
