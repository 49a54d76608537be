import { task, z } from "../../src/authoring.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import type { LonghornDisk, LonghornNodeObject, LonghornSettingObject } from "../cluster-answers/longhorn/objects.ts";
import { lookAtEach, needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";
import { gib, sum, table } from "./table.ts";

const lists = ["longhornNodes", "longhornSettings"] as const;

/** Reports the space on Longhorn's disks: total, reserved, promised to volumes, and still available. */
export const storageResources = task({
  name: "storageResources",
  summary: "Report the space on Longhorn's disks",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "storage",
})
  .facts((p) => askCluster(p.kubeconfig, ...lists))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { seen, unseen } = lookAtEach(now, lists);
    return [
      ...(seen.longhornNodes === undefined ? [] : diskTexts(seen.longhornNodes, seen.longhornSettings)),
      ...notSeenTexts(unseenLists(unseen)),
    ];
  });

/** Longhorn's limits for all disks, in percent; undefined if its settings do not show them. */
export interface DiskLimits {
  /** The share of a disk's unreserved space that may be promised to volumes. */
  readonly promised: number | undefined;
  /** The share of a disk that must be free before the disk gets another replica. */
  readonly free: number | undefined;
}

/** Reads Longhorn's limits for disks (types/setting.go in longhorn/longhorn-manager). */
export function diskLimits(settings: readonly LonghornSettingObject[] | undefined): DiskLimits {
  const percent = (name: string): number | undefined => {
    const value = settings?.find((one) => one.name === name)?.value ?? "";
    return /^\d+$/.test(value) ? Number(value) : undefined;
  };
  return {
    promised: percent("storage-over-provisioning-percentage"),
    free: percent("storage-minimal-available-percentage"),
  };
}

/**
 * How many bytes of volumes Longhorn would still put on a disk, by size alone; negative if it has already promised too
 * much (IsSchedulableToDisk in scheduler/replica_scheduler.go of longhorn/longhorn-manager). A disk that must not get
 * replicas has no room.
 */
export function roomOn({ seen, reserved, isEnabled }: LonghornDisk, { promised }: DiskLimits): number | undefined {
  if (seen === undefined || promised === undefined) return undefined;
  return isEnabled ? ((seen.maximum - reserved) * promised) / 100 - seen.scheduled : 0;
}

/** The name of a disk in tables; Longhorn's own names can be very long. */
export function diskText({ node, name }: Pick<LonghornDisk, "node" | "name">): string {
  return `${node} ${name.length > 20 ? `${name.slice(0, 19)}…` : name}`;
}

function diskTexts(
  nodes: readonly LonghornNodeObject[],
  settings: readonly LonghornSettingObject[] | undefined,
): string[] {
  const limits = diskLimits(settings);
  // A node that is down or switched off keeps its data, but gets no new data.
  const disks = nodes.flatMap((node) =>
    node.disks.map((disk) => ({ ...disk, isEnabled: disk.isEnabled && takesReplicas(node) })),
  );
  if (disks.length === 0) return ["Longhorn does not have a disk"];
  const numbers = disks.map((disk) => [
    disk.seen?.maximum,
    disk.reserved,
    disk.seen?.scheduled,
    roomOn(disk, limits),
    disk.seen?.available,
  ]);
  // Over-commitment on one disk does not reduce the space on others.
  const counted = numbers.map((row) => row.map((number, column) => (column === 3 && (number ?? 0) < 0 ? 0 : number)));
  const total = [0, 1, 2, 3, 4].map((column) => sum(counted.map((row) => row[column])));
  const rows = disks.map((disk, at) => [...(numbers[at] ?? []).map(gib), diskText(disk)]);
  return [
    ...table(
      [5],
      [
        ["GiB", "reserved", "promised", "left", "available", "disk"],
        ...rows,
        ...(rows.length > 1 ? [[...total.map(gib), "all"]] : []),
      ],
    ),
    ...(limits.promised === undefined
      ? ["unknown: what is left, because Longhorn's over-provisioning setting is unknown"]
      : [`left = (GiB − reserved) × ${limits.promised} % − promised; available = free now`]),
    ...(limits.free === undefined
      ? []
      : [`a disk gets no replica that would leave less than ${limits.free} % available`]),
    ...nodes.flatMap(nodeStates),
    ...nodes.flatMap((node) => node.disks).flatMap(diskStates),
  ];
}

function takesReplicas({ isEnabled, conditions }: LonghornNodeObject): boolean {
  return isEnabled && conditions.some(({ type, status }) => type === "Ready" && status === "True");
}

function nodeStates({ name, isEnabled, conditions }: LonghornNodeObject): string[] {
  const ready = conditions.find(({ type }) => type === "Ready");
  return [
    ...(ready?.status === "True"
      ? []
      : [`Longhorn on ${name} is not ready, and gets no replicas: ${ready?.message || "Longhorn gave no reason"}`]),
    ...(isEnabled ? [] : [`${name} gets no replicas: scheduling is switched off`]),
  ];
}

function diskStates(disk: LonghornDisk): string[] {
  const text = diskText(disk);
  if (disk.seen === undefined) return [`unknown: the space on ${text}, because Longhorn has not checked the disk`];
  const bad = disk.seen.conditions.filter(
    ({ type, status }) => (type === "Ready" || type === "Schedulable") && status !== "True",
  );
  return [
    ...(disk.isEnabled ? [] : [`${text} gets no replicas: scheduling is switched off`]),
    ...bad.map(
      ({ type, message, reason }) =>
        `${text} is not ${type.toLowerCase()}: ${message || reason || "Longhorn gave no reason"}`,
    ),
  ];
}
