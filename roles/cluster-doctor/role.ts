import { operator, role, task, z } from "../../src/authoring.ts";
import { askCluster } from "../cluster-answers/answers.ts";
import { needsKubeconfig, notSeenTexts } from "../cluster-answers/not-seen.ts";
import { doctorNotes, doctorSchema, verdict } from "../longhorn-doctor/findings.ts";
import { diagnose, doctorLists } from "./diagnosis.ts";
import { metricNames } from "./metrics.ts";

/** The vars of the doctor. */
export const clusterDoctorSchema = doctorSchema.extend({
  metrics: z
    .array(z.string())
    .default([
      "kubevirt_vmi_info",
      "longhorn_node_status",
      "longhorn_volume_actual_size_bytes",
      "longhorn_volume_robustness",
    ])
    .describe("Names of metrics that must exist in the rancher-monitoring add-on; missing ones are reported"),
});

/** Reports what is wrong with a cluster, the worst problems first. */
export const clusterFindings = task({
  name: "clusterFindings",
  summary: "Report what is wrong with a Harvester cluster, the worst problems first",
  params: z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") }),
  examples: [],
  title: () => "findings",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...doctorLists), operator: operator() }))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes((_p, now) => {
    const { findings, unseen, unknown, scope } = diagnose(now, now.operator.since);
    return [
      ...doctorNotes(findings, unseen, "healthy: no problem was found"),
      ...notSeenTexts(unknown),
      ...(scope === "" ? [] : [`looked at: ${scope}`]),
    ];
  });

/** Fails if the cluster has problems, or cannot be read completely, so that the exit code shows it. */
export const clusterHealthy = task({
  name: "clusterHealthy",
  summary: "Fail if a Harvester cluster has problems",
  params: doctorSchema,
  examples: [],
  title: () => "the cluster is healthy",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...doctorLists), operator: operator() }))
  .want((p, now) => {
    const { findings, unseen } = diagnose(now, now.operator.since);
    return verdict(findings, unseen, p.failOn);
  })
  .steps(() => []);

/** Reports what is wrong with a Harvester cluster, and fails if something is. Changes nothing. */
export const clusterDoctor = role(
  {
    name: "cluster doctor",
    summary: "Report what is wrong with a Harvester cluster, and change nothing",
    params: clusterDoctorSchema,
  },
  ({ kubeconfig, failOn, metrics }) => [
    clusterFindings({ kubeconfig }),
    metrics.length > 0 && metricNames({ kubeconfig, metrics }),
    clusterHealthy({ kubeconfig, failOn }),
  ],
);
