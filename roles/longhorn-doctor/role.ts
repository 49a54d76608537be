import { operator, role, task, z } from "../../src/authoring.ts";
import { type Answers, askCluster } from "../cluster-answers/answers.ts";
import { lookAtEach, needsKubeconfig, type NotSeen, unseenLists } from "../cluster-answers/not-seen.ts";
import { diskFindings } from "./disks.ts";
import { doctorNotes, doctorSchema, type Finding, verdict } from "./findings.ts";
import { type Age, orphanFindings, replicaFindings, snapshotFindings } from "./leftovers.ts";
import { settingFindings } from "./settings.ts";
import { volumeFindings } from "./volumes.ts";

/** The lists that a doctor requests from Longhorn. */
export const longhornLists = [
  "longhornNodes",
  "longhornSettings",
  "volumes",
  "replicas",
  "snapshots",
  "orphans",
] as const;

type Lists = (typeof longhornLists)[number];

/** The vars of the report on Longhorn. */
export const longhornDoctorSchema = doctorSchema.extend({
  oldDays: z.int().min(1).default(30).describe("Days after which a snapshot that a user made counts as old"),
});

/** Everything that a doctor finds in Longhorn, and the lists that it could not read. */
export function longhornFindings(
  answers: Answers<Lists>,
  age: Age,
): { readonly findings: readonly Finding[]; readonly unseen: readonly NotSeen[] } {
  const { seen, unseen } = lookAtEach(answers, longhornLists);
  const { longhornNodes: nodes, longhornSettings: settings, volumes, replicas, snapshots, orphans } = seen;
  return {
    findings: [
      ...(nodes === undefined ? [] : diskFindings(nodes, settings)),
      ...(volumes === undefined || replicas === undefined
        ? []
        : [...volumeFindings(volumes, replicas, nodes), ...replicaFindings(replicas, volumes)]),
      ...(snapshots === undefined || volumes === undefined ? [] : snapshotFindings(snapshots, volumes, settings, age)),
      ...orphanFindings(orphans ?? []),
      ...(settings === undefined ? [] : settingFindings(settings)),
    ],
    unseen: unseenLists(unseen),
  };
}

/** Reports what is wrong with Longhorn, the worst problems first. */
export const longhornReport = task({
  name: "longhornReport",
  summary: "Report what is wrong with Longhorn's disks, volumes, replicas, snapshots and settings",
  params: longhornDoctorSchema.pick({ kubeconfig: true, oldDays: true }),
  examples: [],
  title: () => "findings",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...longhornLists), operator: operator() }))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((p, now) => {
    const { findings, unseen } = longhornFindings(now, { now: now.operator.since, oldDays: p.oldDays });
    return doctorNotes(
      findings,
      unseen,
      "Longhorn is healthy: disks, volumes, replicas, snapshots and settings were checked",
    );
  });

/** Fails if Longhorn has problems, or cannot be read completely, so that the exit code shows it. */
export const longhornHealthy = task({
  name: "longhornHealthy",
  summary: "Fail if Longhorn has problems",
  params: longhornDoctorSchema,
  examples: [],
  title: () => "Longhorn is healthy",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...longhornLists), operator: operator() }))
  .want((p, now) => {
    const { findings, unseen } = longhornFindings(now, { now: now.operator.since, oldDays: p.oldDays });
    return verdict(findings, unseen, p.failOn);
  })
  .steps(() => []);

/** Reports what is wrong with Longhorn, and fails if something is. Changes nothing. */
export const longhornDoctor = role(
  {
    name: "longhorn doctor",
    summary: "Report what is wrong with Longhorn, and change nothing",
    params: longhornDoctorSchema,
  },
  (vars) => [longhornReport({ kubeconfig: vars.kubeconfig, oldDays: vars.oldDays }), longhornHealthy(vars)],
);
