import { z } from "zod";
import { argoClusterLabel, type ArgoClusterQuestion } from "../../facts/controller/argo-cluster.ts";
import { type ClusterSecret, sameServer } from "./argo-secret.ts";
import type { Side } from "./side.ts";

const applicationsSchema = z.array(
  z.looseObject({
    metadata: z.looseObject({
      name: z.string(),
      ownerReferences: z.array(z.looseObject({ kind: z.string() })).default([]),
    }),
    spec: z.looseObject({
      destination: z.looseObject({ name: z.string().default(""), server: z.string().default("") }),
    }),
  }),
);

/**
 * The Applications that a change to the Secret can disconnect from their cluster. Applications that an ApplicationSet
 * created can even be deleted: a cluster generator selects by labels, and names Applications after the cluster
 * (applicationset/generators/cluster.go in argoproj/argo-cd, v2.14). Applications are queried only before such a
 * change.
 */
export async function atRiskIn(own: ClusterSecret, question: ArgoClusterQuestion, argo: Side): Promise<string[]> {
  const { fieldManager, labels, argoNamespace } = question;
  const moves = own.name !== question.name || !sameServer(own.server, question.server);
  // furrow never takes over a Secret that someone else manages.
  if (moves && !own.managers.includes(fieldManager)) return [];
  const wanted: Readonly<Record<string, string>> = { ...labels, [argoClusterLabel]: "cluster" };
  const losesLabel =
    own.labelsOf(fieldManager).some((label) => !(label in wanted)) ||
    Object.entries(own.labels).some(([label, value]) => label in wanted && wanted[label] !== value);
  if (!moves && !losesLabel) return [];
  const path = `/apis/argoproj.io/v1alpha1/namespaces/${argoNamespace}/applications`;
  const list = applicationsSchema.safeParse(await argo.list(path, "ApplicationList"));
  if (!list.success) throw argo.wrong(path);
  return list.data
    .filter(({ spec: { destination } }) =>
      destination.name === "" ? sameServer(destination.server, own.server) : destination.name === own.name,
    )
    .filter(({ metadata }) => moves || metadata.ownerReferences.some(({ kind }) => kind === "ApplicationSet"))
    .map(({ metadata }) => metadata.name)
    .toSorted();
}
