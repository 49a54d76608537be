import type { LonghornDisk, LonghornNodeObject, LonghornSettingObject } from "../cluster-answers/longhorn/objects.ts";
import { diskLimits, roomOn } from "../resources/storage.ts";
import { gib } from "../resources/table.ts";
import { few, type Finding, inLonghorn } from "./findings.ts";

type Conditions = LonghornNodeObject["conditions"];

const look = (node: string): string => inLonghorn(`get nodes.longhorn.io ${node} -o yaml`);

/** Problems of Longhorn's nodes and disks. */
export function diskFindings(
  nodes: readonly LonghornNodeObject[],
  settings: readonly LonghornSettingObject[] | undefined,
): Finding[] {
  if (nodes.every(({ disks }) => disks.length === 0))
    return [{ severity: "critical", what: "Longhorn has no disks", next: "Harvester UI: Hosts, Storage" }];
  const limits = diskLimits(settings);
  return [
    ...nodes.flatMap(nodeFindings),
    ...nodes
      .flatMap(({ disks }) => disks)
      .flatMap((disk) => [...stateFindings(disk), ...spaceFindings(disk, roomOn(disk, limits))]),
    ...reserveFindings(nodes.flatMap(({ disks }) => disks)),
  ];
}

/** The conditions that should be true, but are not. If a condition is missing, Longhorn has not checked it yet. */
function unmet(conditions: Conditions, type: string): string | undefined {
  const own = conditions.find((one) => one.type === type);
  if (own?.status === "True") return undefined;
  return own === undefined ? "Longhorn has not reported it" : own.message || own.reason || "Longhorn gives no reason";
}

function nodeFindings({ name, isEnabled, isEmptied, conditions, disks }: LonghornNodeObject): Finding[] {
  const down = unmet(conditions, "Ready");
  const pods = inLonghorn(`get pods -o wide --field-selector=spec.nodeName=${name}`);
  return [
    ...(down === undefined
      ? []
      : [{ severity: "critical" as const, what: `Longhorn on ${name} is not ready: ${down}`, next: pods }]),
    ...(isEnabled
      ? []
      : [
          {
            severity: "warning" as const,
            what: `${name} gets no replicas: scheduling is switched off`,
            next: look(name),
          },
        ]),
    ...(isEmptied
      ? [{ severity: "hint" as const, what: `Longhorn is moving all replicas off ${name}`, next: look(name) }]
      : []),
    ...(disks.length === 0
      ? [{ severity: "hint" as const, what: `${name} does not have a disk for Longhorn`, next: look(name) }]
      : []),
  ];
}

function stateFindings({ node, name, isEnabled, isEmptied, seen }: LonghornDisk): Finding[] {
  const disk = `the disk ${name} of ${node}`;
  const next = look(node);
  if (seen === undefined)
    return [{ severity: "warning", what: `Longhorn has not checked ${disk}, so its state is unknown`, next }];
  const [down, full] = [unmet(seen.conditions, "Ready"), unmet(seen.conditions, "Schedulable")];
  return [
    ...(seen.health.includes("FAILED")
      ? [
          {
            severity: "critical" as const,
            what: `${disk} reports that it is failing`,
            next: "replace it; on the node: `smartctl -a DEVICE`",
          },
        ]
      : []),
    ...(down === undefined ? [] : [{ severity: "critical" as const, what: `${disk} is not ready: ${down}`, next }]),
    ...(full === undefined || down !== undefined || !isEnabled
      ? []
      : [{ severity: "warning" as const, what: `${disk} takes no more replicas: ${full}`, next }]),
    ...(isEnabled
      ? []
      : [{ severity: "warning" as const, what: `${disk} gets no replicas: scheduling is switched off`, next }]),
    ...(isEmptied ? [{ severity: "hint" as const, what: `Longhorn is moving all replicas off ${disk}`, next }] : []),
  ];
}

function spaceFindings({ node, name, isEnabled }: LonghornDisk, room: number | undefined): Finding[] {
  if (!isEnabled || room === undefined || room >= 0) return [];
  const what = `the disk ${name} of ${node} is over-committed by ${gib(-room)} GiB: its volumes can fill it`;
  return [{ severity: "warning", what, next: "playbooks/ops/resources.ts; then remove volumes, or add a disk" }];
}

/** A disk that the system also uses must reserve space for it (SUSE's best practice for Longhorn). */
function reserveFindings(disks: readonly LonghornDisk[]): Finding[] {
  const shared = disks.filter(
    ({ path, reserved }) => reserved === 0 && /^\/var\/lib\/(longhorn|harvester\/defaultdisk)\/?$/.test(path),
  );
  if (shared.length === 0) return [];
  const what = `nothing is reserved on the default disk of ${few(shared.map(({ node }) => node))}; if images or logs share it, it can fill up`;
  return [{ severity: "hint", what, next: "on the node: `df -h /var/lib/harvester/defaultdisk`" }];
}
