import { z } from "../../src/authoring.ts";
import { countVotes, etcdMembers, memberTroubles } from "../cluster-answers/nodes/etcd-members.ts";
import type { NodeObject } from "../cluster-answers/objects.ts";
import type { NotSeen } from "../cluster-answers/not-seen.ts";
import type { PodObject } from "../cluster-answers/workload-objects.ts";
import { counted, isOrAre } from "../cluster/count.ts";
import { few, type Finding } from "../longhorn-doctor/findings.ts";
import { requestedOn } from "../resources/nodes.ts";

const day = 86_400_000;
const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];

/** Problems of nodes: their state, pressure conditions, and the votes in etcd. */
export function nodeFindings(nodes: readonly NodeObject[]): Finding[] {
  const look = (name: string): string => `\`kubectl describe node ${name}\``;
  return [
    ...nodes.flatMap((node): Finding[] => {
      const { name, ready, isUp, cordoned, maintained, conditions } = node;
      const why = conditions.find(({ type }) => type === "Ready")?.message;
      const under = conditions.filter(({ type, status }) => pressures.includes(type) && status === "True");
      return [
        ...(ready
          ? []
          : [
              {
                severity: "critical" as const,
                what: isUp ? `${name} is being removed` : `${name} is not ready${why ? `: ${why}` : ""}`,
                next: `${look(name)}; its console`,
              },
            ]),
        ...under.map(({ type, message }) => ({
          severity: "critical" as const,
          what: `${name} has ${type}${message === "" ? "" : `: ${message}`}`,
          next: look(name),
        })),
        ...(maintained || cordoned
          ? [
              {
                severity: "warning" as const,
                what: `${name} is ${maintained ? "in maintenance" : "cordoned"}: it gets no machines`,
                next: "Harvester UI: Hosts",
              },
            ]
          : []),
      ];
    }),
    ...voteFindings(nodes),
  ];
}

/** Says how far etcd is from losing its quorum: more than half of all voting members must be up. */
function voteFindings(nodes: readonly NodeObject[]): Finding[] {
  const members = etcdMembers(nodes);
  const { up, unknown, of, needed } = countVotes(members);
  const troubles = memberTroubles(members);
  const votes = `${up} of ${of} voting nodes ${isOrAre(up)} up, and ${needed} ${isOrAre(needed)} needed${troubles === "" ? "" : ` (${troubles})`}`;
  if (of === 0 || up === of || (up > needed && troubles === "")) return [];
  if (up < needed && up + unknown >= needed)
    return [
      {
        severity: "critical",
        what: `cannot tell whether etcd has a quorum: ${votes}`,
        next: "`journalctl -u rke2-server` on these nodes",
      },
    ];
  return [
    up < needed
      ? { severity: "critical", what: `etcd has no quorum: ${votes}`, next: "bring nodes back; do not remove any" }
      : up > needed
        ? { severity: "critical", what: `etcd lacks a vote: ${votes}`, next: "bring the other node back" }
        : {
            severity: "critical",
            what: `etcd must not lose another node: ${votes}`,
            next: "bring the other node back before anything else",
          },
  ];
}

const certificateInfo = "harvesterhci.io/rke2-cert-info";
const infoSchema = z.looseObject({ closestExpiryTime: z.iso.datetime() });

/**
 * When the RKE2 certificates on the nodes expire. Newer releases of Harvester record this on each node
 * (pkg/util/certrotation/types.go in harvester/harvester, commit cc7d8a6d); nodes without this record are reported as
 * unknown.
 */
export function certificateFindings(
  nodes: readonly NodeObject[],
  now: string,
): { readonly findings: readonly Finding[]; readonly unknown: readonly NotSeen[] } {
  const ends = nodes.map(({ name, annotations }) => ({ name, end: endIn(annotations[certificateInfo]) }));
  const blind = ends.filter(({ end }) => end === undefined).map(({ name }) => name);
  const next =
    "Harvester's setting auto-rotate-rke2-certs; on the node: `openssl x509 -enddate -noout -in /var/lib/rancher/rke2/server/tls/serving-kube-apiserver.crt`";
  return {
    findings: ends.flatMap(({ name, end }): Finding[] => {
      if (end === undefined) return [];
      const days = Math.floor((Date.parse(end) - Date.parse(now)) / day);
      if (days < 0) return [{ severity: "critical", what: `a certificate of ${name} expired at ${end}`, next }];
      return days > 30
        ? []
        : [
            {
              severity: days > 7 ? "warning" : "critical",
              what: `a certificate of ${name} expires in ${counted(days, "day")}, at ${end}`,
              next,
            },
          ];
    }),
    unknown:
      blind.length === 0
        ? []
        : [
            {
              what: `when the certificates of ${few(blind)} expire`,
              code: "no-annotation",
              message: `this release of Harvester does not record it on the node (${certificateInfo})`,
            },
          ],
  };
}

function endIn(text: string | undefined): string | undefined {
  try {
    return infoSchema.safeParse(JSON.parse(text ?? "")).data?.closestExpiryTime;
  } catch {
    return undefined;
  }
}

/** Nodes on which almost all memory or processors are requested. */
export function capacityFindings(nodes: readonly NodeObject[], pods: readonly PodObject[]): Finding[] {
  return nodes.flatMap(({ name, allocatable }) => {
    const requested = requestedOn(name, pods);
    const parts = [
      { what: "cores", of: allocatable.cpu, is: requested.cpu },
      { what: "memory", of: allocatable.memory, is: requested.memory },
    ].flatMap(({ what, of, is }) => {
      const percent = of === undefined || is === undefined || of === 0 ? 0 : Math.round((is * 100) / of);
      return percent >= 90 ? [`${percent} % of its ${what}`] : [];
    });
    return parts.length === 0
      ? []
      : [
          {
            severity: "warning" as const,
            what: `${name} has pods that request ${parts.join(" and ")}`,
            next: "playbooks/ops/resources.ts",
          },
        ];
  });
}
