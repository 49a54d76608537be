import { task, z } from "../../src/authoring.ts";
import { kubeconfigFile } from "../../src/facts/catalogue.ts";
import {
  type Answers,
  askCluster,
  type ListName,
  lookAt,
  type Seen,
  type Unseen,
  unseenTexts,
} from "../cluster-answers/answers.ts";
import type { NodeObject, VolumeObject } from "../cluster-answers/objects.ts";
import { foreignIn } from "../identity/foreign-kubeconfig.ts";

const params = z.strictObject({ kubeconfig: z.string().describe("The cluster's kubeconfig on the controller") });

/** Reports the cluster's own view of its nodes, virtual machines and volumes, and the lists that could not be read. */
export const kubernetesStatus = task({
  name: "kubernetesStatus",
  summary: "Report the cluster's view of its nodes, virtual machines and volumes",
  params,
  examples: [],
  title: () => "status from Kubernetes",
})
  .facts((p) => ({ copy: kubeconfigFile(p.kubeconfig) }))
  // A kubeconfig with unexpected parts is not used: the node that it came from could run commands on the controller.
  .facts((p, { copy }) => ({
    ...(foreignIn(copy) === undefined && askCluster(p.kubeconfig, "nodes", "instances", "volumes")),
  }))
  .want(() => ({}))
  .steps(() => [])
  .notes((p, { copy, nodes, instances, volumes }) => {
    const foreign = foreignIn(copy);
    if (foreign !== undefined)
      return [`the cluster was not queried: ${p.kubeconfig} contains ${foreign}, which no node's kubeconfig contains`];
    if (nodes === undefined || instances === undefined || volumes === undefined) return [];
    const now = { nodes, instances, volumes };
    const unseen: Unseen[] = [];
    /** Returns the notes about one list, or remembers why the list could not be read. */
    const report = <N extends ListName>(
      list: N,
      answers: Answers<N>,
      notes: (objects: Seen<N>[N]) => readonly string[],
    ): readonly string[] => {
      const look = lookAt(answers, list);
      if ("seen" in look) return notes(look.seen[list]);
      unseen.push(...look.unseen);
      return [];
    };
    const seen = [
      ...report("nodes", now, nodeNotes),
      ...report("instances", now, (all) =>
        named(
          "virtual machines are running",
          all.filter(({ running }) => running),
        ),
      ),
      ...report("volumes", now, volumeNotes),
    ];
    return [...seen, ...unseenTexts(unseen)];
  });

function nodeNotes(nodes: readonly NodeObject[]): string[] {
  return nodes.map(
    ({ name, isUp, isLeaving, roles, cordoned }) =>
      `${name}: ${isUp ? "ready" : "not ready"}${isLeaving ? ", being removed" : ""}${cordoned ? ", cordoned" : ""} (${roles.join(", ") || "worker"})`,
  );
}

function volumeNotes(volumes: readonly VolumeObject[]): string[] {
  const are = (state: string): VolumeObject[] => volumes.filter(({ robustness }) => robustness === state);
  return [...named("volumes lack replicas", are("degraded")), ...named("volumes are faulted", are("faulted"))];
}

function named(what: string, objects: readonly { readonly name: string }[]): string[] {
  const names = objects.map(({ name }) => name).toSorted();
  return names.length === 0 ? [] : [`${what}: ${names.join(", ")}`];
}
