import { isUnwritten } from "../cluster-answers/longhorn/volumes.ts";
import type { LonghornNodeObject } from "../cluster-answers/longhorn/objects.ts";
import type { ReplicaObject, VolumeObject } from "../cluster-answers/objects.ts";
import { counted } from "../cluster/count.ts";
import { few, type Finding, inLonghorn, type Severity } from "./findings.ts";

/** A volume and its healthy replicas; Longhorn could continue with any one of them. */
interface Checked {
  readonly volume: VolumeObject;
  readonly healthy: readonly ReplicaObject[];
}

/** Problems of volumes and their replicas. If the nodes are unknown, tags and zones are not compared. */
export function volumeFindings(
  volumes: readonly VolumeObject[],
  replicas: readonly ReplicaObject[],
  nodes: readonly LonghornNodeObject[] | undefined,
): Finding[] {
  const all = volumes.map((volume) => ({
    volume,
    healthy: replicas.filter((one) => one.volume === volume.name && one.healthy && one.node !== ""),
  }));
  const group = (severity: Severity, are: string, next: string, of: readonly string[]): Finding[] =>
    of.length === 0 ? [] : [{ severity, what: `${counted(of.length, "volume")} ${are}: ${few(of)}`, next }];
  const named = (some: readonly Checked[]): string[] => some.map(({ volume }) => volume.name);
  const faulted = all.filter(({ volume }) => volume.robustness === "faulted");
  const unwritten = all.filter(({ volume }) => isUnwritten(volume, replicas));
  const intact = all.filter(({ volume }) => volume.robustness !== "faulted");
  const last = intact.filter(isLast);
  const lacking = intact.filter((one) => isLacking(one) && !isLast(one) && !unwritten.includes(one));
  return [
    ...group(
      "critical",
      "faulted, without a healthy replica",
      "Longhorn UI: the volume, Salvage; or restore a backup",
      named(faulted),
    ),
    ...group("critical", "with a single healthy replica left", replicasOf(last), last.map(countText)),
    ...group("warning", "with too few replicas", replicasOf(lacking), lacking.map(countText)),
    ...group(
      "warning",
      "without a place for a replica",
      inLonghorn("describe volumes.longhorn.io"),
      intact.flatMap(({ volume }) => placeText(volume)),
    ),
    ...tooManySnapshots(volumes),
    ...(nodes === undefined ? [] : [...placeFindings(intact, nodes, group), ...tagFindings(volumes, nodes)]),
    ...group(
      "hint",
      "without data, never attached",
      "delete those that nothing needs, in the Harvester UI: Volumes",
      named(unwritten),
    ),
    ...group(
      "hint",
      "configured with one replica: the data is lost with its node",
      "the storage class of the volume",
      volumes.flatMap(({ name, replicas: own }) => (own === 1 ? [name] : [])),
    ),
  ];
}

/** Shows the replicas of the first volume in a list. */
function replicasOf([first]: readonly Checked[]): string {
  return inLonghorn(`get replicas.longhorn.io -l longhornvolume=${first?.volume.name}`);
}

/** True if a volume that should have more replicas has only one left. */
function isLast({ volume, healthy }: Checked): boolean {
  return healthy.length === 1 && (volume.replicas ?? 1) > 1;
}

/**
 * True if a volume has fewer healthy replicas than it should, even while it is detached and Longhorn does not say so.
 */
function isLacking({ volume, healthy }: Checked): boolean {
  return volume.robustness === "degraded" || (volume.replicas !== undefined && healthy.length < volume.replicas);
}

function countText({ volume, healthy }: Checked): string {
  const state = volume.state === "attached" ? "" : `, ${volume.state}`;
  return `${volume.name} (${healthy.length} of ${volume.replicas ?? "?"}${state})`;
}

function placeText({ name, conditions }: VolumeObject): string[] {
  const own = conditions.find(({ type, status }) => type === "Scheduled" && status === "False");
  return own === undefined ? [] : [`${name} (${own.message || own.reason || "Longhorn gives no reason"})`];
}

function tooManySnapshots(volumes: readonly VolumeObject[]): Finding[] {
  const own = volumes.filter(({ conditions }) =>
    conditions.some(({ type, status }) => type === "TooManySnapshots" && status === "True"),
  );
  if (own.length === 0) return [];
  const what = `${counted(own.length, "volume")} with too many snapshots: ${few(own.map(({ name }) => name))}`;
  return [{ severity: "warning", what, next: "Longhorn UI: the volume, Snapshots and Backups" }];
}

type Group = (severity: Severity, are: string, next: string, of: readonly string[]) => Finding[];

/** Volumes whose replicas are all in one place, although other places exist. */
function placeFindings(all: readonly Checked[], nodes: readonly LonghornNodeObject[], group: Group): Finding[] {
  // Without nodes there are no disks either, and that is reported as a separate finding.
  if (nodes.length === 0) return [];
  if (nodes.length === 1)
    return [
      {
        severity: "hint",
        what: "all replicas are on one node, because Longhorn has only one",
        next: "add a node; until then, keep backups",
      },
    ];
  const zones = new Map(nodes.map(({ name, zone }) => [name, zone]));
  const hasZones = new Set(zones.values()).size > 1;
  const several = all.filter(({ healthy }) => healthy.length > 1);
  const onOne = several.filter(({ healthy }) => new Set(healthy.map(({ node }) => node)).size === 1);
  const inOne = several.filter(
    (one) =>
      hasZones && !onOne.includes(one) && new Set(one.healthy.map(({ node }) => zones.get(node) ?? "")).size === 1,
  );
  const next = "Longhorn's settings replica-soft-anti-affinity and replica-zone-soft-anti-affinity";
  return [
    ...group(
      "warning",
      "with all replicas on one node",
      next,
      onOne.map(({ volume, healthy }) => `${volume.name} (${healthy[0]?.node})`),
    ),
    ...group(
      "warning",
      "with all replicas in one zone",
      next,
      inOne.map(({ volume, healthy }) => `${volume.name} (${zones.get(healthy[0]?.node ?? "")})`),
    ),
  ];
}

/** Tags that volumes require, but no disk or node has. */
function tagFindings(volumes: readonly VolumeObject[], nodes: readonly LonghornNodeObject[]): Finding[] {
  const fits = ({ diskTags, nodeTags }: VolumeObject): boolean =>
    nodes.some(
      (node) =>
        nodeTags.every((tag) => node.tags.includes(tag)) &&
        node.disks.some((disk) => diskTags.every((tag) => disk.tags.includes(tag))),
    );
  const none = volumes.filter((volume) => volume.diskTags.length + volume.nodeTags.length > 0 && !fits(volume));
  if (none.length === 0) return [];
  const texts = none.map(({ name, diskTags, nodeTags }) => `${name} (${[...diskTags, ...nodeTags].join(", ")})`);
  const what = `${counted(none.length, "volume")} with tags that no disk or node has: ${few(texts)}`;
  return [{ severity: "warning", what, next: "the tags of disks in the Harvester UI: Hosts, Storage" }];
}
