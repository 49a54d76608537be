import { task, z } from "../../src/authoring.ts";
import { askCluster, lookAt } from "../cluster-answers/answers.ts";
import { askMetricNames, metricNamesIn } from "../cluster-answers/metric-names.ts";
import { needsKubeconfig, notSeenTexts, unseenLists } from "../cluster-answers/not-seen.ts";

const lists = ["addons"] as const;
const monitoring = "cattle-monitoring-system/rancher-monitoring";

/**
 * Wrong metric names that people use, and their replacements (docs/observability/metrics.md in kubevirt/kubevirt,
 * commit 008b6e6b; Harvester's own controllers export no metric for the state of a machine).
 */
const instead: Readonly<Record<string, string>> = {
  harvester_vm_status: "kubevirt_vm_info or kubevirt_vmi_info",
  kubevirt_vmi_phase_count: "node:kubevirt_vmi_phase:sum, in newer releases of KubeVirt",
};

/** Reports which metric names the cluster's Prometheus does not know: an alert on such a name never fires. */
export const metricNames = task({
  name: "metricNames",
  summary: "Report the names of metrics that do not exist in the cluster's Prometheus",
  params: z.strictObject({
    kubeconfig: z.string().describe("The cluster's kubeconfig on the controller"),
    metrics: z.array(z.string()).describe("Names of metrics that dashboards or alerts use"),
  }),
  examples: [],
  title: () => "names of metrics that Prometheus does not know",
})
  .facts((p) => ({ ...askCluster(p.kubeconfig, ...lists), names: askMetricNames(p.kubeconfig) }))
  .want((_p, now) => needsKubeconfig(now))
  .steps(() => [])
  .notes(({ metrics }, now) => {
    const look = lookAt(now, ...lists);
    const texts = "unseen" in look ? notSeenTexts(unseenLists(look.unseen)) : [];
    const addon = "seen" in look ? look.seen.addons.find(({ name }) => name === monitoring) : undefined;
    const names = metricNamesIn(now.names);
    if ("unseen" in names) {
      const why =
        "seen" in look && addon?.isEnabled !== true
          ? "the rancher-monitoring add-on is not enabled"
          : names.unseen.message;
      return [
        ...notSeenTexts([
          { what: "the names of metrics", code: names.unseen.code === "HTTP 403" ? "no-right" : "", message: why },
        ]),
        ...texts,
      ];
    }
    const missing = metrics.filter((name) => !names.seen.has(name));
    return [
      ...(metrics.length - missing.length > 0
        ? [`exist: ${metrics.filter((name) => names.seen.has(name)).join(", ")}`]
        : []),
      ...missing.map((name) => `does not exist: ${name}${instead[name] === undefined ? "" : `; use ${instead[name]}`}`),
      ...texts,
    ];
  });
