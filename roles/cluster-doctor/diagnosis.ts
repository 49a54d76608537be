import type { Answers } from "../cluster-answers/answers.ts";
import { lookAtEach, type NotSeen, type Partly, unseenLists } from "../cluster-answers/not-seen.ts";
import { counted } from "../cluster/count.ts";
import { diskFindings } from "../longhorn-doctor/disks.ts";
import type { Finding } from "../longhorn-doctor/findings.ts";
import { settingFindings } from "../longhorn-doctor/settings.ts";
import { volumeFindings } from "../longhorn-doctor/volumes.ts";
import { capacityFindings, certificateFindings, nodeFindings } from "./nodes.ts";
import {
  addonFindings,
  imageFindings,
  machineFindings,
  networkFindings,
  podFindings,
  upgradeFindings,
} from "./workloads.ts";

/** The lists that the doctor requests from a cluster. */
export const doctorLists = [
  "nodes",
  "pods",
  "machines",
  "instances",
  "volumes",
  "replicas",
  "longhornNodes",
  "longhornSettings",
  "networkStatuses",
  "addons",
  "upgrades",
  "images",
] as const;

type Lists = (typeof doctorLists)[number];

/** The doctor's knowledge of a cluster. */
export interface Diagnosis {
  readonly findings: readonly Finding[];
  /** Lists that could not be read; they count as a problem. */
  readonly unseen: readonly NotSeen[];
  /** Things that this release does not show; they are reported, but do not count as problems. */
  readonly unknown: readonly NotSeen[];
  /** What was checked: `3 nodes, 12 pods`. */
  readonly scope: string;
}

/** Finds what is wrong with a cluster. */
export function diagnose(answers: Answers<Lists>, now: string): Diagnosis {
  const partly = lookAtEach(answers, doctorLists);
  const { nodes, pods, machines, instances, addons, upgrades, images, networkStatuses } = partly.seen;
  const certificates = certificateFindings(nodes ?? [], now);
  const down = new Set((nodes ?? []).filter(({ ready }) => !ready).map(({ name }) => name));
  return {
    findings: [
      ...nodeFindings(nodes ?? []),
      ...certificates.findings,
      ...(nodes === undefined || pods === undefined ? [] : capacityFindings(nodes, pods)),
      ...machineFindings(machines ?? [], instances, down),
      ...storageFindings(partly),
      ...networkFindings(networkStatuses ?? []),
      ...podFindings(pods ?? []),
      ...addonFindings(addons ?? []),
      ...upgradeFindings(upgrades ?? []),
      ...imageFindings(images ?? []),
    ],
    unseen: unseenLists(partly.unseen),
    unknown: certificates.unknown,
    scope: scopeOf(partly),
  };
}

/** The problems of Longhorn. Hints about Longhorn are in a separate report, so that this one stays short. */
function storageFindings({ seen }: Partly<Lists>): Finding[] {
  const { longhornNodes: nodes, longhornSettings: settings, volumes, replicas } = seen;
  const all = [
    ...(nodes === undefined ? [] : diskFindings(nodes, settings)),
    ...(volumes === undefined || replicas === undefined ? [] : volumeFindings(volumes, replicas, nodes)),
    ...(settings === undefined ? [] : settingFindings(settings)),
  ];
  return all.filter(({ severity }) => severity !== "hint");
}

function scopeOf({ seen }: Partly<Lists>): string {
  const counts = [
    [seen.nodes, "node"],
    [seen.machines, "virtual machine"],
    [seen.volumes, "volume"],
    [seen.pods, "pod"],
    [seen.addons, "add-on"],
    [seen.images, "image"],
  ] as const;
  return counts.flatMap(([list, noun]) => (list === undefined ? [] : [counted(list.length, noun)])).join(", ");
}
