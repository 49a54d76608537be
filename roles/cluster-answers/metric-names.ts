import {
  type ControllerFact,
  type KubernetesAnswer,
  kubernetesDocument,
  type KubernetesError,
  z,
} from "../../src/authoring.ts";
import { errorText, fieldText } from "./answers.ts";

/**
 * The path, through the API's proxy, at which Prometheus in Harvester's add-on rancher-monitoring lists the names of
 * all its metrics (Prometheus docs, "Querying label values").
 */
export const metricNamesPath =
  "/api/v1/namespaces/cattle-monitoring-system/services/http:rancher-monitoring-prometheus:9090/proxy/api/v1/label/__name__/values";

/** Asks a cluster's Prometheus, through the API, for the names of all metrics. */
export function askMetricNames(kubeconfig: string): ControllerFact<KubernetesAnswer> {
  return kubernetesDocument(kubeconfig, metricNamesPath);
}

const schema = z.looseObject({ status: z.literal("success"), data: z.array(z.string()) });

/** Returns the names of all metrics, or the reason why they cannot be determined. */
export function metricNamesIn(
  answer: KubernetesAnswer,
): { readonly seen: ReadonlySet<string> } | { readonly unseen: KubernetesError } {
  if ("error" in answer) return { unseen: { code: answer.error.code, message: errorText(answer.error) } };
  if (!answer.found) return { unseen: { code: "no-answer", message: "the cluster does not have this service" } };
  const read = schema.safeParse(answer.object);
  return read.success
    ? { seen: new Set(read.data.data) }
    : { unseen: { code: "incomplete-object", message: fieldText("the answer of Prometheus", read.error) } };
}
