import { z } from "zod";
import { argoClusterLabel, type ArgoClusters } from "../../facts/controller/argo-cluster.ts";
import type { Patience } from "../kubernetes-exchange.ts";
import { decoded } from "./argo-secret.ts";
import { Side } from "./side.ts";

const name = z.string().min(1);

/** The question that asks which clusters are registered with Argo CD. */
export const clustersRequest = z.strictObject({
  clustersOf: z.strictObject({ argoKubeconfig: name, argoNamespace: name }),
});

/** Reads the names of the clusters from Argo CD's Secrets. Throws Unanswered if there is no usable response. */
export async function readClusters(
  { clustersOf: { argoKubeconfig, argoNamespace } }: z.output<typeof clustersRequest>,
  patience: Patience,
  signal: AbortSignal,
): Promise<ArgoClusters> {
  const argo = await Side.open("Argo CD's cluster", argoKubeconfig, patience, signal);
  const path = `/api/v1/namespaces/${argoNamespace}/secrets`;
  const list = await argo.list(
    `${path}?labelSelector=${encodeURIComponent(`${argoClusterLabel}=cluster`)}`,
    "SecretList",
  );
  const known = list.flatMap((one) => decoded(one) ?? []);
  if (known.length !== list.length) throw argo.wrong(path);
  return { names: [...new Set(known.map((one) => one.name || one.server))].toSorted() };
}
