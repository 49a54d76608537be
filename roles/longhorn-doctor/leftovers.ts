import type { LonghornSettingObject, SnapshotObject } from "../cluster-answers/longhorn/objects.ts";
import type { ReplicaObject, VolumeObject } from "../cluster-answers/objects.ts";
import { counted } from "../cluster/count.ts";
import { gib } from "../resources/table.ts";
import { few, type Finding, inLonghorn } from "./findings.ts";

/** The maximum number of snapshots of a volume (MaxSnapshotNum in types/setting.go of longhorn/longhorn-manager). */
const mostSnapshots = 250;
const day = 86_400_000;

/** The time of the check, and the age from which a snapshot counts as old. */
export interface Age {
  /** ISO 8601. */
  readonly now: string;
  readonly oldDays: number;
}

/** Snapshots that are old, failed, or close to the limit of their volume; and volumes without a limit. */
export function snapshotFindings(
  snapshots: readonly SnapshotObject[],
  volumes: readonly VolumeObject[],
  settings: readonly LonghornSettingObject[] | undefined,
  { now, oldDays }: Age,
): Finding[] {
  const next = "Longhorn UI: the volume, Snapshots and Backups";
  const usual = Number(settings?.find(({ name }) => name === "snapshot-max-count")?.value) || mostSnapshots;
  const kept = snapshots.filter(({ isRemoved }) => !isRemoved);
  const near = volumes.flatMap(({ name, mostSnapshots: own }) => {
    const [count, most] = [kept.filter(({ volume }) => volume === name).length, own || usual];
    return count >= most * 0.8 ? [`${name} (${count} of ${most})`] : [];
  });
  const old = kept.filter(({ created, byUser }) => byUser && Date.parse(now) - Date.parse(created) > oldDays * day);
  const undated = kept.filter(({ created }) => Number.isNaN(Date.parse(created)));
  const failed = snapshots.filter(({ error }) => error !== "");
  const open = volumes.filter(
    (volume) => (volume.mostSnapshots || usual) >= mostSnapshots && volume.mostSnapshotBytes === 0,
  );
  const bytes = old.reduce((sum, one) => sum + one.bytes, 0);
  return [
    ...some(near, { severity: "warning", what: `volumes close to their snapshot limit: ${few(near)}`, next }),
    ...some(failed, {
      severity: "warning",
      what: `${counted(failed.length, "snapshot")} failed: ${few(failed.map((one) => `${one.name} (${one.error})`))}`,
      next,
    }),
    ...some(old, {
      severity: "hint",
      what: `${counted(old.length, "snapshot")} older than ${oldDays} days, ${gib(bytes)} GiB in total: ${few(old.map((one) => `${one.name} of ${one.volume}`))}`,
      next,
    }),
    ...some(undated, {
      severity: "hint",
      what: `${counted(undated.length, "snapshot")} without a date, so the age is unknown`,
      next,
    }),
    ...some(open, {
      severity: "hint",
      what: `${counted(open.length, "volume")} without a limit for snapshots: they may fill the disks`,
      next: "Longhorn's snapshot-max-count setting, or the volume's own limits",
    }),
  ];
}

function some(all: readonly unknown[], finding: Finding): Finding[] {
  return all.length === 0 ? [] : [finding];
}

/**
 * Orphaned data and processes on the nodes: they do not belong to any volume. Longhorn keeps them until someone decides
 * what to do with them.
 */
export function orphanFindings(orphans: readonly { readonly node: string; readonly type: string }[]): Finding[] {
  return [...Map.groupBy(orphans, ({ node, type }) => `${node}/${type}`).values()].map((own) => ({
    severity: "hint",
    what: `${counted(own.length, `orphaned ${own[0]?.type}`)} on ${own[0]?.node || "an unknown node"}`,
    next: `${inLonghorn("get orphans.longhorn.io")}; Longhorn UI: Settings, Orphan Resources`,
  }));
}

/** Failed replicas, and replicas of volumes that Longhorn does not list. */
export function replicaFindings(replicas: readonly ReplicaObject[], volumes: readonly VolumeObject[]): Finding[] {
  const listed = new Set(volumes.map(({ name }) => name));
  const alone = replicas.filter(({ volume }) => !listed.has(volume)).map(({ name }) => name);
  const failed = replicas
    .filter(({ hasFailed, volume }) => hasFailed && listed.has(volume))
    .map(({ name, node }) => `${name} (${node || "no node"})`);
  return [
    ...some(alone, {
      severity: "warning",
      what: `${counted(alone.length, "replica")} of volumes that Longhorn does not list: ${few(alone)}`,
      next: inLonghorn(`get replicas.longhorn.io ${alone[0]} -o yaml`),
    }),
    ...some(failed, {
      severity: "hint",
      what: `${counted(failed.length, "failed replica")}, which Longhorn reuses or removes: ${few(failed)}`,
      next: inLonghorn(`describe replicas.longhorn.io ${failed[0]?.split(" ")[0]}`),
    }),
  ];
}
